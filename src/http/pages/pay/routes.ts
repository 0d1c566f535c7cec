import type { FastifyInstance } from "fastify";
import { invoiceFile } from "../../../flows/documents/invoice-file.ts";
import { bankDetailsOf, type Gateway } from "../../../flows/gateways/accounts.ts";
import { hostedPath } from "../../../flows/hosted-links.ts";
import { invoicePayUrl } from "../../../flows/invoices/invoice-object.ts";
import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import { startLinkPayment } from "../../../flows/payment-links/start-link-payment.ts";
import type { Services } from "../../../flows/services.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { type Cents, formatMoney, roundToCents } from "../../../kernel/money.ts";
import { EFT_PAGE } from "../../../modules/eft-orders/declarations.ts";
import { PAY_PAGE } from "../../../modules/payment-links/declarations.ts";
import type { Unavailable as Reason } from "../../../modules/payment-links/rules.ts";
import type { PaymentLink } from "../../../modules/payment-links/types.ts";
import { documentOfInvoice } from "../../../templates/document.ts";
import type { GatewayOption } from "../../../templates/pages/gateway-choice.ts";
import { payPage, type Unavailable, unavailablePage } from "../../../templates/pages/pay.ts";
import { sendFile } from "../../files.ts";
import { brandOf } from "../brand.ts";
import type { Form } from "../form.ts";
import { type FormPage, formPage, invalidFields, type Outcome, redisplay, type Sent, validated } from "../form-page.ts";
import { gatewayRoutes, outcomeOfStart, pagesOfPayment } from "../gateway-return.ts";
import { PAYMENTS } from "../limits.ts";
import { emailFault, emailField } from "../payer-email.ts";
import { createSite, mountPages, noSuchPage, type PageAnswer, type PageOptions } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";
import { factsOf } from "./facts.ts";
import { LINK_PAYMENTS } from "./result.ts";

/** Registers `/pay/<token>` (interface 2.3, 15.1): the pay page, its form, and the result pages. */
export function registerPayPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/pay", [
    formPage(site, PAGE),
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
}

type PayVisit = Visit<PaymentLinkId>;

function show(visit: PayVisit, facts: PayPageFacts, sent: Sent | null): PageAnswer {
  const { site, ctx } = visit;
  const { link, settings, unavailable, gateways, amount } = facts;
  if (unavailable) return unavailableAnswer(visit, facts, unavailable);
  const { title, description, currency, recurring, expiresAt } = link;
  const invoice = facts.invoice && { document: documentOfInvoice(facts.invoice), pdf: pdfPath(visit) };
  const typed = (field: string) => sent?.form?.field(field) ?? "";
  const error = (field: string) => sent?.errors?.[field] ?? null;
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: payPage({
      brand: brandOf(ctx.organisation, settings),
      payable: { title, description, amount, currency, invoice, recurring, expiresAt },
      gateways: gateways.map((gateway) => optionOf(visit, gateway)),
      chosenGateway: typed("gateway") || null,
      fields: emailField(facts.customer, gateways, sent),
      receipts: settings.receipts && site.services.mailEnabled,
      part: link.collectsBalance ? { value: typed("amount"), error: error("amount") } : null,
      formToken: site.formToken(visit.path),
      problems: sent?.problem ? [sent.problem] : [],
    }),
  };
}

const pdfPath = ({ path }: PayVisit): string => `${path}/invoice.pdf`;

/** The part of the invoice that the payer wants to pay, from the text of the form; null for all of it. */
function partOf({ link, amount }: PayPageFacts, written: string): Cents | null | "wrong" {
  const text = written.replaceAll(/[R\s\u00a0]/gi, "").replace(",", ".");
  if (!link.collectsBalance || text === "") return null;
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(text)) return "wrong";
  const part = roundToCents(text);
  return part > 0 && part <= amount ? part : "wrong";
}

/** A gateway as the page offers it: a bank transfer with its bank's name, any other with the name that the merchant gave it. */
function optionOf({ ctx }: PayVisit, { account, adapter }: Gateway): GatewayOption {
  if (!adapter.manualBankTransfer) return { id: account.id, name: account.name, methods: [], byHand: false };
  const { bankName } = bankDetailsOf(ctx, account);
  return { id: account.id, name: "Bank transfer", methods: [bankName], byHand: true };
}

function unavailableAnswer(visit: PayVisit, { link, settings, invoice }: PayPageFacts, why: Reason): PageAnswer {
  const { organisation } = visit.ctx;
  const newer = link.collectsBalance && invoice ? invoicePayUrl(visit.ctx, invoice) : null;
  return {
    sandbox: organisation.sandbox,
    capability: true,
    html: unavailablePage({
      brand: brandOf(organisation, settings),
      title: link.title,
      amount: link.amount,
      currency: link.currency,
      unavailable: inWords(why, link, invoice?.number ?? null, newer),
      pdf: invoice ? pdfPath(visit) : null,
    }),
  };
}

function inWords(why: Reason, link: PaymentLink, invoiceNumber: string | null, newer: string | null): Unavailable {
  switch (why) {
    case "paid":
      return invoiceNumber === null ? { reason: "already_paid" } : { reason: "invoice_paid", invoiceNumber };
    case "cancelled":
      return { reason: "invoice_cancelled", invoiceNumber: invoiceNumber ?? "" };
    case "deactivated":
      return newer === null
        ? { reason: "deactivated" }
        : { reason: "replaced", invoiceNumber: invoiceNumber ?? "", url: newer };
    case "expired":
      return { reason: "expired", expiredAt: link.expiresAt ?? link.createdAt };
    case "account":
      return { reason: "account_read_only" };
    case "quota":
      return { reason: "monthly_limit_reached" };
    case "gateway":
      return { reason: "no_gateway" };
  }
}

/** What the payer has chosen. */
interface Choice {
  readonly gateway: Gateway;
  readonly email: string;
  /** Cents of the invoice to pay; null for all of it. */
  readonly part: Cents | null;
}

function check(form: Form, facts: PayPageFacts): { readonly input: Choice } | ReturnType<typeof redisplay> {
  const gateway = facts.gateways.find(({ account }) => account.id === form.field("gateway"));
  if (!gateway) return redisplay(400, "Choose how to pay.");
  const email = form.field("email");
  const emailError = emailFault(facts.customer, gateway, email);
  if (emailError) return invalidFields({ email: emailError });
  const part = partOf(facts, form.field("amount"));
  if (part !== "wrong") return { input: { gateway, email, part } };
  const most = formatMoney(facts.amount, facts.link.currency);
  return invalidFields({ amount: `Write an amount up to ${most}, such as 250.00, or leave it empty.` });
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

const PAGE: FormPage<PayVisit, PayPageFacts> = {
  url: "/:token",
  open: (site, request) => visitOf(site, request, PAY_PAGE),
  read: factsOf,
  // Counted for each link: many payers may share one address, and a payer has few links.
  limits: ({ id, network }) => ({ [`page:pay:${id}:${network}`]: PAYMENTS }),
  acceptsForm: (_visit, { unavailable }) => unavailable === null,
  formName: ({ path }) => path,
  actions: { "": validated(check, pay) },
  show,
};
