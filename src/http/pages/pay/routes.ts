import type { FastifyInstance } from "fastify";
import { invoiceFile } from "../../../flows/documents/invoice-file.ts";
import { recordView } from "../../../flows/documents/record-view.ts";
import type { Gateway } from "../../../flows/gateways/accounts.ts";
import { hostedPath } from "../../../flows/hosted-links.ts";
import { pathOfShortLink } from "../../../flows/payment-links/addresses.ts";
import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import { startLinkPayment } from "../../../flows/payment-links/start-link-payment.ts";
import type { Services } from "../../../flows/services.ts";
import { type Cents, formatMoney, toDecimalText } from "../../../kernel/money.ts";
import { EFT_PAGE } from "../../../modules/eft-orders/declarations.ts";
import { PAY_PAGE, SHORT_PATH } from "../../../modules/payment-links/declarations.ts";
import { documentOfInvoice } from "../../../templates/document.ts";
import { payPage } from "../../../templates/pages/pay.ts";
import { cardInWords } from "../../../templates/wording.ts";
import { sendFile } from "../../files.ts";
import { brandOf } from "../brand.ts";
import type { Form } from "../form.ts";
import { type FormPage, formPage, invalidFields, type Outcome, redisplay, type Sent, validated } from "../form-page.ts";
import { PAYMENTS } from "../limits.ts";
import { emailFault, emailField } from "../payer-email.ts";
import { gatewayRoutes, outcomeOfStart, pagesOfPayment } from "../paying-page.ts";
import { createSite, mountPages, noSuchPage, type PageAnswer, type PageOptions } from "../site.ts";
import { visitOf } from "../visit.ts";
import { CARD_PAGE } from "./card-page.ts";
import { factsOf, type PayVisit, payVisitOf } from "./facts.ts";
import { offeredGateway } from "./offered-gateway.ts";
import { partField, partOf } from "./part.ts";
import { LINK_PAYMENTS } from "./result.ts";
import { pdfPath, unavailableAnswer } from "./unavailable.ts";

/**
 * Registers `/pay/<token>` (interface 2.3, 15.1): the pay page, its form, and the result pages; and `/p/<code>`, the short
 * address that leads to it.
 */
export function registerPayPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/pay", [
    formPage(site, PAGE),
    formPage(site, CARD_PAGE),
    {
      url: "/:token/invoice.pdf",
      safe: true,
      get: async (request, reply) => {
        const visit = await visitOf(site, request, PAY_PAGE);
        const { invoice } = await factsOf(visit);
        if (!invoice) throw noSuchPage();
        return sendFile(reply, await invoiceFile(services, visit.ctx, invoice.id));
      },
    },
    ...gatewayRoutes(site, LINK_PAYMENTS),
  ]);
  mountPages(app, site, `/${SHORT_PATH}`, [
    {
      url: "/:code",
      safe: true,
      get: async (request, reply) => {
        const { code } = request.params as { code: string };
        const path = await pathOfShortLink(services, code);
        if (!path) throw noSuchPage();
        return site.goTo(reply, path);
      },
    },
  ]);
}

function show(visit: PayVisit, facts: PayPageFacts, sent: Sent | null): PageAnswer {
  const { site, ctx } = visit;
  const { link, settings, unavailable, gateways, amount } = facts;
  if (unavailable) return unavailableAnswer(visit, facts, unavailable);
  const { title, description, currency, recurring, expiresAt } = link;
  const invoice = facts.invoice && { document: documentOfInvoice(facts.invoice), pdf: pdfPath(visit) };
  const typed = (field: string) => sent?.form?.field(field) ?? "";
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: payPage({
      brand: brandOf(ctx.organisation, settings),
      payable: { title, description, amount, currency, invoice, recurring, expiresAt },
      gateways: gateways.map((gateway) => offeredGateway(ctx, gateway)),
      chosenGateway: typed("gateway") || null,
      fields: emailField(facts.customer, gateways, sent),
      receipts: settings.receipts && site.services.mailEnabled,
      savedCards: facts.savedCards.cards.map((card) => ({ id: card.id, text: cardInWords(card) })),
      signInPath: facts.savedCards.afterSignIn ? `/portal/${ctx.organisation.slug}` : null,
      chosenCard: typed("card") || null,
      underWay: facts.underWay && {
        amount: facts.underWay.amount,
        url: `${visit.path}/result/${facts.underWay.reference}`,
      },
      part: link.collectsBalance && !link.keepsCard ? partField(invoice?.document, sent) : null,
      formToken: site.formToken(visit.path),
      problems: sent?.problem ? [sent.problem] : [],
    }),
  };
}

/** The payer's choice. */
interface Choice {
  readonly gateway: Gateway;
  readonly email: string;
  /** Cents of the invoice to pay; null for all of it. */
  readonly part: Cents | null;
}

const wrongPart = ({ amount, link }: PayPageFacts) =>
  invalidFields({
    amount: `Write an amount up to ${formatMoney(amount, link.currency)}, such as 250.00, or leave it empty.`,
  });

function check(form: Form, facts: PayPageFacts): { readonly input: Choice } | ReturnType<typeof redisplay> {
  const gateway = facts.gateways.find(({ account }) => account.id === form.field("gateway"));
  if (!gateway) return redisplay(400, "Choose how to pay.");
  const email = form.field("email");
  const emailError = emailFault(facts.customer, gateway, email);
  if (emailError) return invalidFields({ email: emailError });
  const part = partOf(facts, form.field("amount"));
  return part === "wrong" ? wrongPart(facts) : { input: { gateway, email, part } };
}

async function pay(visit: PayVisit, facts: PayPageFacts, { gateway, email, part }: Choice): Promise<Outcome> {
  const { site, ctx } = visit;
  const { id, name } = gateway.account;
  const payer = { email: facts.customer?.email ? null : email || null, firstName: null, lastName: null };
  const start = await startLinkPayment(
    site.services,
    ctx,
    visit.id,
    { gatewayId: id, amount: part, ...payer },
    (reference) => pagesOfPayment(visit, reference),
  );
  switch (start.kind) {
    case "transfer":
      return { goTo: hostedPath(ctx, EFT_PAGE, start.order) };
    case "unavailable":
      return { page: unavailableAnswer(visit, facts, start.why) };
    default:
      return outcomeOfStart(visit, name, start);
  }
}

/** Redirects to the page on which the payer confirms the amount. */
const payByCard = validated(
  (form: Form, facts: PayPageFacts) => {
    const card = facts.savedCards.cards.find(({ id }) => id === form.field("card"));
    if (!card) return redisplay(400, "Choose one of your saved cards.");
    const part = partOf(facts, form.field("amount"));
    return part === "wrong" ? wrongPart(facts) : { input: { card, part } };
  },
  async ({ path }: PayVisit, _facts: PayPageFacts, { card, part }): Promise<Outcome> => ({
    goTo: `${path}/card/${card.id}${part === null ? "" : `?amount=${toDecimalText(part)}`}`,
  }),
);

const PAGE: FormPage<PayVisit, PayPageFacts> = {
  url: "/:token",
  open: payVisitOf,
  async read(visit) {
    const facts = await factsOf(visit);
    if (visit.byPayer && facts.invoice) await recordView(visit.site.services, visit.ctx, facts.invoice.id);
    return facts;
  },
  // Counted for each link: many payers may share one address, and a payer has few links.
  limits: ({ id, network }) => ({ [`page:pay:${id}:${network}`]: PAYMENTS }),
  acceptsForm: (_visit, { unavailable }) => unavailable === null,
  formName: ({ path }) => path,
  actions: { "": validated(check, pay), pay_card: payByCard },
  show,
};
