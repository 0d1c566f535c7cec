import type { FastifyReply, FastifyRequest } from "fastify";
import { hostedPath } from "../../../flows/hosted-links.ts";
import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import { handoffOf, type LinkPaymentFacts, paymentOfLink } from "../../../flows/payments/payment-of-link.ts";
import { returnFromGateway } from "../../../flows/payments/return-from-gateway.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { EFT_PAGE } from "../../../modules/eft-orders/declarations.ts";
import { PAY_PAGE } from "../../../modules/payment-links/declarations.ts";
import { outcomeUrl } from "../../../modules/payment-links/rules.ts";
import type { Transaction } from "../../../modules/payments/types.ts";
import { handOffPage } from "../../../templates/pages/pay.ts";
import { resultPage } from "../../../templates/pages/result.ts";
import { withinLimit } from "../../rate-limit.ts";
import { brandOf } from "../brand.ts";
import { noSuchPage, type PageRoute, type Site } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";
import { factsOf } from "./facts.ts";

/** The gateway of a pending payment is queried at most once in this time, for all open pages together. */
const ASK_SECONDS = 3;

/** Routes below `/pay` that lead to a gateway by a form, and those to which gateways send the payer back. */
export const resultRoutes = (site: Site): PageRoute[] => [
  { url: "/:token/go/:reference", get: (request, reply) => handOff(site, request, reply) },
  {
    url: "/:token/result/:reference",
    get: (request, reply) => answerReturn(site, request, reply, { cancelled: false }),
    post: (request, reply) => redirectToGet(site, request, reply),
  },
  {
    url: "/:token/cancel/:reference",
    get: (request, reply) => answerReturn(site, request, reply, { cancelled: true }),
    post: (request, reply) => redirectToGet(site, request, reply),
  },
];

/** Redirects a POST by which a gateway sends the payer back. Its body is unauthenticated and not read. */
const redirectToGet = async (site: Site, { url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
  site.goTo(reply, url.split("?", 1)[0] ?? "");

/** The payment in the URL. Throws 404 when it is not a payment of this link. */
async function paymentAt(visit: Visit<PaymentLinkId>, request: FastifyRequest): Promise<LinkPaymentFacts> {
  const { reference } = request.params as { reference: string };
  const payment = await paymentOfLink(visit.site.services, visit.ctx, visit.id, reference);
  if (!payment) throw noSuchPage();
  return payment;
}

async function handOff(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(site, request, PAY_PAGE);
  const { transaction, gatewayName } = await paymentAt(visit, request);
  if (transaction.status !== "pending") return site.goTo(reply, `${visit.path}/result/${transaction.reference}`);
  const handoff = handoffOf(site.services, visit.ctx, transaction);
  if (!handoff) throw noSuchPage();
  const { organisation } = visit.ctx;
  const { settings } = await factsOf(visit);
  return site.send(reply, {
    sandbox: organisation.sandbox,
    capability: true,
    formOrigins: [new URL(handoff.action).origin],
    html: handOffPage({
      brand: brandOf(organisation, settings),
      amount: transaction.amount,
      currency: transaction.currency,
      gatewayName: gatewayName ?? transaction.gatewayType,
      action: handoff.action,
      inputs: handoff.fields,
    }),
  });
}

/** Answers a payer who comes back (interface 4.2, behaviour 3): redirects to the merchant when the verified status is final, else shows the result page. */
async function answerReturn(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { cancelled }: { cancelled: boolean },
): Promise<FastifyReply> {
  const visit = await visitOf(site, request, PAY_PAGE);
  const { transaction } = await paymentAt(visit, request);
  if (transaction.eftOrderId && transaction.status === "pending")
    return site.goTo(reply, hostedPath(visit.ctx, EFT_PAGE, transaction.eftOrderId));
  if (await mayAsk(visit, transaction, cancelled))
    await returnFromGateway(site.services, visit.ctx, transaction.reference, cancelled);
  const [payment, facts] = await Promise.all([paymentAt(visit, request), factsOf(visit)]);
  const { status, reference } = payment.transaction;
  if (status !== "pending" && facts.link.returnUrl !== null)
    return site.goTo(reply, outcomeUrl(facts.link.returnUrl, reference, outcomeOf(status)));
  return showResult(visit, facts, payment, reply);
}

async function mayAsk(
  { site }: Visit<PaymentLinkId>,
  { id, status }: Transaction,
  cancelled: boolean,
): Promise<boolean> {
  if (status !== "pending") return false;
  return cancelled || (await withinLimit(site.services.db, `page:result:${id}`, 1, ASK_SECONDS));
}

/** The outcome that the merchant is told. A refunded payment is `complete`: it was made. */
const outcomeOf = (status: Exclude<Transaction["status"], "pending">): "complete" | "failed" | "cancelled" =>
  status === "failed" || status === "cancelled" ? status : "complete";

function showResult(
  visit: Visit<PaymentLinkId>,
  { settings, unavailable }: PayPageFacts,
  { transaction, gatewayName, refunded }: LinkPaymentFacts,
  reply: FastifyReply,
): FastifyReply {
  const { site, ctx } = visit;
  const brand = brandOf(ctx.organisation, settings);
  const mailsReceipt = settings.receipts && site.services.mailEnabled;
  return site.send(reply, {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: resultPage({
      brand: { ...brand, sandbox: transaction.sandbox },
      status: transaction.status,
      reference: transaction.reference,
      title: transaction.description ?? transaction.reference,
      amount: transaction.amount,
      currency: transaction.currency,
      paidAt: transaction.paidAt,
      refundedAmount: refunded,
      gatewayName,
      receiptEmail: mailsReceipt ? transaction.payerEmail : null,
      retryUrl: unavailable ? null : visit.path,
      onward: null,
    }),
  });
}
