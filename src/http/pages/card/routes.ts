import type { FastifyInstance } from "fastify";
import { type CardPageFacts, readCardPage } from "../../../flows/card-setups/read-card-setup.ts";
import { startCardSetup } from "../../../flows/card-setups/start-card-setup.ts";
import type { Gateway } from "../../../flows/gateways/accounts.ts";
import type { Services } from "../../../flows/services.ts";
import type { CardSetupId } from "../../../kernel/ids.ts";
import { withQuery } from "../../../kernel/urls.ts";
import { CARD_PAGE } from "../../../modules/card-setups/declarations.ts";
import { isPaymentOfSetup } from "../../../modules/card-setups/store.ts";
import { CARD_SETUP_AMOUNT, CARD_SETUP_CURRENCY, type CardSetup } from "../../../modules/card-setups/types.ts";
import type { Transaction } from "../../../modules/payments/types.ts";
import {
  type CardSetupResultModel,
  cardSetupClosedPage,
  cardSetupPage,
  cardSetupResultPage,
} from "../../../templates/pages/card-setup.ts";
import { brandOf } from "../brand.ts";
import { type FormPage, formPage, invalidFields, type Outcome, redisplay, type Sent, validated } from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import { emailFault, emailField } from "../payer-email.ts";
import { gatewayOption, gatewayRoutes, outcomeOfStart, type PayingPage, pagesOfPayment } from "../paying-page.ts";
import { createSite, mountPages, noSuchPage, type PageAnswer, type PageOptions } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";

/**
 * Registers `/card/<token>` (interface 2.9, 15.1): the page on which a customer adds a card, and the pages to which
 * payers return.
 */
export function registerCardPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/card", [formPage(site, PAGE), ...gatewayRoutes(site, SETUP_PAYMENTS)]);
}

type CardVisit = Visit<CardSetupId>;

async function read({ site, ctx, id }: CardVisit): Promise<CardPageFacts> {
  const facts = await readCardPage(site.services, ctx, id);
  if (!facts) throw noSuchPage();
  return facts;
}

function show(visit: CardVisit, facts: CardPageFacts, sent: Sent | null): PageAnswer {
  const { site, ctx, path } = visit;
  const { setup, gateways, unavailable, settings } = facts;
  const brand = brandOf(ctx.organisation, settings);
  const { expiresAt, failureReason } = setup;
  const html = unavailable
    ? cardSetupClosedPage({ brand, reason: unavailable, card: facts.card, expiresAt, onwardUrl: onwardUrl(setup) })
    : cardSetupPage({
        brand,
        amount: CARD_SETUP_AMOUNT,
        currency: CARD_SETUP_CURRENCY,
        expiresAt,
        failure: failureReason,
        gateways: gateways.map(gatewayOption),
        chosenGateway: sent?.form?.field("gateway") || null,
        fields: emailField(facts.customer, gateways, sent),
        formToken: site.formToken(path),
        problems: sent?.problem ? [sent.problem] : [],
      });
  return { sandbox: ctx.organisation.sandbox, capability: true, html };
}

/** The return URL with the session's outcome (interface 4.11); null without one, and while the session is open. */
const onwardUrl = ({ id, returnUrl, status }: CardSetup): string | null =>
  returnUrl !== null && status !== "pending" ? withQuery(returnUrl, { cardSetup: id, status }) : null;

interface Choice {
  readonly gateway: Gateway;
  readonly email: string | null;
}

const addCard = validated<CardVisit, CardPageFacts, Choice>(
  (form, { gateways, customer }) => {
    const gateway = gateways.find(({ account }) => account.id === form.field("gateway"));
    if (!gateway) return redisplay(400, "Choose how to pay.");
    const email = form.field("email");
    const fault = emailFault(customer, gateway, email);
    if (fault) return invalidFields({ email: fault });
    return { input: { gateway, email: customer?.email ? null : email || null } };
  },
  async (visit, facts, { gateway, email }): Promise<Outcome> => {
    const { site, ctx, id } = visit;
    const choice = { gatewayId: gateway.account.id, email };
    const start = await startCardSetup(site.services, ctx, id, choice, (reference) => pagesOfPayment(visit, reference));
    if (start.kind !== "unavailable") return outcomeOfStart(visit, gateway.account.name, start);
    return { page: show(visit, { ...facts, unavailable: start.why }, null) };
  },
);

const PAGE: FormPage<CardVisit, CardPageFacts> = {
  url: "/:token",
  open: (site, request) => visitOf(site, request, CARD_PAGE),
  read,
  limits: ({ id, network }) => ({ [`page:card:${id}:${network}`]: SUBMISSIONS }),
  acceptsForm: (_visit, { unavailable }) => unavailable === null,
  formName: ({ path }) => path,
  actions: { "": addCard },
  show,
};

/**
 * Interface 4.11: back to the merchant once the attempt is decided, with the session's outcome, never with data from
 * the browser.
 */
const SETUP_PAYMENTS: PayingPage<"cset"> = {
  page: CARD_PAGE,
  startedOn: (tx, id, { id: payment }) => isPaymentOfSetup(tx, id, payment),
  async answer(visit, { transaction }) {
    const facts = await read(visit);
    const { id, returnUrl, status } = facts.setup;
    if (transaction.status !== "pending" && returnUrl !== null) {
      const outcome = status === "pending" ? "failed" : status;
      return { goTo: withQuery(returnUrl, { cardSetup: id, status: outcome }) };
    }
    return { page: result(visit, facts, transaction) };
  },
};

function result({ ctx, path }: CardVisit, facts: CardPageFacts, transaction: Transaction): PageAnswer {
  const { amount, currency, reference, sandbox } = transaction;
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: cardSetupResultPage({
      brand: { ...brandOf(ctx.organisation, facts.settings), sandbox },
      amount,
      currency,
      reference,
      outcome: outcomeOf(facts.setup, transaction),
      card: facts.card,
      retryUrl: facts.unavailable ? null : path,
    }),
  };
}

function outcomeOf(
  { status, failureReason }: CardSetup,
  { status: payment }: Transaction,
): CardSetupResultModel["outcome"] {
  if (payment === "pending") return "pending";
  if (status === "completed") return "completed";
  if (status === "expired") return payment === "failed" || payment === "cancelled" ? "expired" : "paid_late";
  return failureReason ?? "cancelled";
}
