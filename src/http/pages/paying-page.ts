import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "../../flows/context.ts";
import { type Gateway, seemsDown } from "../../flows/gateways/accounts.ts";
import { currentSettings } from "../../flows/organisations/settings.ts";
import { handoffOf, type PaymentFacts, paymentOnPage } from "../../flows/payments/payment-on-page.ts";
import { returnFromGateway } from "../../flows/payments/return-from-gateway.ts";
import type { StartedAttempt } from "../../flows/payments/start-payment.ts";
import type { Id } from "../../kernel/ids.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { HostedPage } from "../../platform/tokens.ts";
import type { GatewayOption } from "../../templates/pages/gateway-choice.ts";
import { handOffPage } from "../../templates/pages/pay.ts";
import { withinLimit } from "../rate-limit.ts";
import { brandOf } from "./brand.ts";
import { type Outcome, redisplay } from "./form-page.ts";
import { noSuchPage, type PageAnswer, type PageRoute, type Site } from "./site.ts";
import { type Visit, visitOf } from "./visit.ts";

/** A hosted page on which payments start. */
export interface PayingPage<Kind extends string> {
  readonly page: HostedPage<Kind>;
  /** Whether the payment was started on the page of this record. */
  startedOn(tx: Tx, id: Id<Kind>, payment: Transaction): boolean | Promise<boolean>;
  /**
   * The path at which the payer of a pending payment continues; null when that is the gateway's page that they left.
   */
  readonly continueAt?: (visit: Visit<Id<Kind>>, payment: Transaction) => string | null;
  /** Shows a payer who has returned the result, by the payment's verified status. */
  answer(
    visit: Visit<Id<Kind>>,
    payment: PaymentFacts,
  ): Promise<{ readonly goTo: string } | { readonly page: PageAnswer }>;
}

/** The URLs of a payment below the page at `path`, to which its gateway sends the payer back. */
export const pagesOfPayment = ({ site, path }: Pick<Visit<string>, "site" | "path">, reference: string) => ({
  returnUrl: `${site.services.baseUrl}${path}/result/${reference}`,
  cancelUrl: `${site.services.baseUrl}${path}/cancel/${reference}`,
});

/** A gateway as pages offer it, by the name that the merchant gave it. */
export const gatewayOption = (gateway: Gateway): GatewayOption => {
  const { id, name } = gateway.account;
  return { id, name, methods: [], byHand: false, isDown: seemsDown(gateway) };
};

/**
 * The outcome of a form that started a payment, or could not start it. `gatewayName` is the name of the chosen gateway.
 */
export function outcomeOfStart(
  { path }: Pick<Visit<string>, "path">,
  gatewayName: string,
  start: StartedAttempt | { readonly kind: "not_offered" },
): Outcome {
  switch (start.kind) {
    case "redirect":
      return { goTo: start.url };
    case "form":
      return { goTo: `${path}/go/${start.reference}` };
    case "not_offered":
      return redisplay(400, `${gatewayName} is not offered any more. Choose another way to pay.`);
    case "refused":
      return redisplay(200, `${gatewayName} did not take this payment. Try again, or choose another way to pay.`);
    case "unclear":
      return redisplay(
        503,
        `${gatewayName} does not answer. Nothing has been charged; please try again in a minute, or choose another way to pay.`,
        { headers: { "Retry-After": "60" } },
      );
  }
}

/**
 * All open result pages together query the gateway of a pending payment at most once in this time, and so do all cancel
 * pages.
 */
const ASK_SECONDS = 3;

/** Routes below a page that lead to a gateway by a form, and those to which gateways send the payer back. */
export const gatewayRoutes = <Kind extends string>(site: Site, paying: PayingPage<Kind>): PageRoute[] => [
  { url: "/:token/go/:reference", get: (request, reply) => handOff(site, paying, request, reply) },
  {
    url: "/:token/result/:reference",
    get: (request, reply) => answerReturn(site, paying, request, reply, { cancelled: false }),
    post: (request, reply) => redirectToGet(site, request, reply),
  },
  {
    url: "/:token/cancel/:reference",
    get: (request, reply) => answerReturn(site, paying, request, reply, { cancelled: true }),
    post: (request, reply) => redirectToGet(site, request, reply),
  },
];

/** Redirects a POST with which a gateway sends the payer back. Its body is unauthenticated and not read. */
const redirectToGet = async (site: Site, { url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
  site.goTo(reply, url.split("?", 1)[0] ?? "");

/** The payment in the URL. Throws 404 when it was not started on this page. */
async function paymentAt<Kind extends string>(
  { startedOn }: PayingPage<Kind>,
  { site, ctx, id }: Visit<Id<Kind>>,
  request: FastifyRequest,
): Promise<PaymentFacts> {
  const { reference } = request.params as { reference: string };
  const payment = await paymentOnPage(site.services, ctx, reference, (tx, started) => startedOn(tx, id, started));
  if (!payment) throw noSuchPage();
  return payment;
}

async function handOff<Kind extends string>(
  site: Site,
  paying: PayingPage<Kind>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visit = await visitOf(site, request, paying.page);
  const { transaction, gatewayName } = await paymentAt(paying, visit, request);
  if (transaction.status !== "pending") return site.goTo(reply, `${visit.path}/result/${transaction.reference}`);
  const handoff = handoffOf(site.services, visit.ctx, transaction);
  if (!handoff) throw noSuchPage();
  const { organisation } = visit.ctx;
  return site.send(reply, {
    sandbox: organisation.sandbox,
    capability: true,
    formOrigins: [new URL(handoff.action).origin],
    html: handOffPage({
      brand: brandOf(organisation, await site.services.db.read(organisation.id, currentSettings)),
      amount: transaction.amount,
      currency: transaction.currency,
      gatewayName: gatewayName ?? transaction.gatewayType,
      action: handoff.action,
      inputs: handoff.fields,
    }),
  });
}

/** Answers a payer who has returned, after asking the gateway of a pending payment. */
async function answerReturn<Kind extends string>(
  site: Site,
  paying: PayingPage<Kind>,
  request: FastifyRequest,
  reply: FastifyReply,
  { cancelled }: { cancelled: boolean },
): Promise<FastifyReply> {
  const visit = await visitOf(site, request, paying.page);
  const { transaction } = await paymentAt(paying, visit, request);
  const elsewhere = transaction.status === "pending" ? (paying.continueAt?.(visit, transaction) ?? null) : null;
  if (elsewhere !== null) return site.goTo(reply, elsewhere);
  if (await mayAsk(site, transaction, cancelled))
    await returnFromGateway(site.services, visit.ctx, transaction.reference, cancelled);
  const answer = await paying.answer(visit, await paymentAt(paying, visit, request));
  return "goTo" in answer ? site.goTo(reply, answer.goTo) : site.send(reply, answer.page);
}

/** Asks the gateway of a payment that is pending, at most every few seconds. */
export async function askWhilePending(site: Site, ctx: Ctx, transaction: Transaction): Promise<void> {
  if (await mayAsk(site, transaction, false)) await returnFromGateway(site.services, ctx, transaction.reference, false);
}

/** The cancel page is counted separately, so that a payer who has just been on the result page can cancel. */
async function mayAsk(site: Site, { id, status }: Transaction, cancelled: boolean): Promise<boolean> {
  const scope = `page:${cancelled ? "cancel" : "result"}:${id}`;
  return status === "pending" && (await withinLimit(site.services.db, scope, 1, ASK_SECONDS));
}
