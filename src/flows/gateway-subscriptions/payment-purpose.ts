import type { CardDetails, PaidFact, PaymentFact } from "../../gateways/facts.ts";
import { UNSTATED } from "../../kernel/exemption.ts";
import { ZERO } from "../../kernel/money.ts";
import { SUBSCRIPTION_CHARGED, SUBSCRIPTION_END } from "../../modules/gateway-subscriptions/declarations.ts";
import { afterCollection, arrivedAt, isSecondOfPage, laterDate } from "../../modules/gateway-subscriptions/rules.ts";
import {
  CARD_TOKEN_COLUMN,
  endRetry,
  lockGatewaySubscription,
  lockSubscriptionsOfLink,
} from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription, SubscriptionCard } from "../../modules/gateway-subscriptions/types.ts";
import { deactivatePaymentLink, findPaymentLink, openLinksOfSubscription } from "../../modules/payment-links/store.ts";
import { setSubscription } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { type Ctx, realTime } from "../context.ts";
import { SUBSCRIPTION_PAYMENT_FAILED } from "../customer-subscriptions/declarations.ts";
import { alertChargedOn } from "../mail/staff-alerts.ts";
import { asRevenue } from "../payments/as-revenue.ts";
import { endsPayment, type LockedPurpose, type PaymentSplit, type Purpose } from "../payments/purpose.ts";
import { beginSubscription } from "./begin-subscription.ts";
import { confirmAtGateway } from "./confirm-at-gateway.ts";
import { expectEarlyReports } from "./early-reports.ts";
import { periodInvoice } from "./invoice-of-period.ts";
import { appendGatewaySubscriptionEvent, saveSubscription } from "./save-subscription.ts";

/**
 * The purpose of a gateway subscription's payments: the first payment of a recurring link, and the card set-up of a
 * migration that was begun earlier, start a subscription at its gateway; later payments of it are its charges
 * (interface 2.12). Locks the subscription.
 */
export const gatewaySubscriptionPurpose: Purpose = {
  locks: "gateway subscription",
  async lock(tx, ctx, payment, move, fact) {
    if (!fact || move === "cancelled" || !endsPayment(move)) return null;
    const begins = fact.kind === "paid" && fact.subscription !== null;
    if (payment.type === "card_setup") return begins ? confirmAtGateway(tx, ctx, payment) : null;
    if (payment.subscriptionId !== null) return chargeOf(tx, ctx, payment, payment.subscriptionId, fact);
    return begins ? firstPayment(tx, ctx, payment, fact) : null;
  },
};

/**
 * Handles a first payment. Null for a payment of a link that is not recurring: a subscription in the gateway's report
 * was not requested. A second payment of a single-use link, of a gateway's page or of a replacement starts a
 * subscription that is cancelled at once.
 */
async function firstPayment(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  { reference: told }: PaymentFact,
): Promise<LockedPurpose | null> {
  const { paymentLinkId, paidAt, amount } = payment;
  if (paymentLinkId === null || paidAt !== null) return null;
  lockSubscriptionsOfLink(tx, paymentLinkId);
  const link = await findPaymentLink(tx, paymentLinkId);
  if (!link?.recurring) return null;
  const { recurring } = link;
  const replaced = link.gatewaySubscriptionId && (await lockGatewaySubscription(tx, link.gatewaySubscriptionId));
  const isSecond =
    (link.singleUse && link.paidCount > 0) || replaced?.replacedById != null || isSecondOfPage(payment, told);
  let subscriptionId: string | null = null;
  return {
    // The second payment of an invoice pays its remaining amount.
    ...(isSecond && !link.invoiceId ? { split: async () => ({ applied: ZERO, overpaid: amount, vat: ZERO }) } : {}),
    async complete(paid, _split, fact) {
      const begun = beginSubscription(
        tx,
        ctx,
        { terms: { ...link, ...recurring, paymentLinkId }, isSecond },
        paid,
        fact,
      );
      subscriptionId = begun.id;
      setSubscription(tx, paid.id, begun.id);
      if (isSecond) return;
      await expectEarlyReports(tx, ctx, begun);
      if (replaced) await replace(tx, ctx, replaced, begun);
    },
    changes: () => ({ subscriptionId }),
  };
}

async function chargeOf(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  id: string,
  fact: PaymentFact,
): Promise<LockedPurpose | null> {
  const subscription = await lockGatewaySubscription(tx, id);
  if (!subscription || payment.reference === subscription.firstReference) return null;
  if (fact.kind !== "paid") return { fail: () => missed(tx, ctx, subscription, payment, fact) };
  const invoiced = subscription.invoiceId && (await periodInvoice(tx, ctx, subscription.invoiceId, payment));
  const { paymentLinkId } = subscription;
  return {
    // A link that was mailed for the charge divides it.
    ...(paymentLinkId && !payment.paymentLinkId ? { split: () => revenueOf(tx, ctx, payment, paymentLinkId) } : {}),
    ...invoiced,
    async complete(paid, split, paidFact) {
      await invoiced?.complete(paid, split, paidFact);
      await collected(tx, ctx, subscription, paid, paidFact);
    },
  };
}

/** A charge that the gateway made by itself has the VAT of the link that began the subscription. */
async function revenueOf(tx: Tx, ctx: Ctx, payment: Transaction, linkId: string): Promise<PaymentSplit> {
  const link = await findPaymentLink(tx, linkId);
  const product = link?.productId ? await findProduct(tx, link.productId) : null;
  return asRevenue(tx, ctx, payment, { stated: link?.vat ?? UNSTATED, product });
}

async function collected(
  tx: Tx,
  ctx: Ctx,
  subscription: GatewaySubscription,
  payment: Transaction,
  fact: PaidFact,
): Promise<void> {
  const { reference, paymentLinkId } = payment;
  if (subscription.status === "cancelled") await alertChargedOn(tx, ctx, subscription, payment);
  endRetry(tx, subscription.id, { reference, link: paymentLinkId, collected: true, at: realTime() });
  const card = paymentLinkId === null ? cardAfter(ctx, subscription.card, fact.card) : subscription.card;
  const after = { ...charged(ctx, subscription, fact, false), card };
  appendGatewaySubscriptionEvent(tx, ctx, SUBSCRIPTION_CHARGED, saveSubscription(tx, ctx, subscription, after));
}

/**
 * The card of a subscription after a collection that the gateway made: the card that the gateway reports, which a
 * network may have renewed.
 */
function cardAfter(
  { secrets, organisation }: Ctx,
  known: SubscriptionCard | null,
  told: CardDetails | null,
): SubscriptionCard | null {
  if (!known || !told?.token) return known;
  const context = { organisation: organisation.id, column: CARD_TOKEN_COLUMN };
  const isSame = secrets.open(known.tokenSealed, context) === told.token;
  const tokenSealed = isSame ? known.tokenSealed : secrets.seal(told.token, context);
  return { tokenSealed, brand: told.brand, last4: told.last4 };
}

/** A payer who does not pay a mailed link has not missed a charge. */
function missed(
  tx: Tx,
  ctx: Ctx,
  subscription: GatewaySubscription,
  { reference, paymentLinkId }: Transaction,
  fact: PaymentFact,
): void {
  if (paymentLinkId !== null) return;
  endRetry(tx, subscription.id, { reference, link: null, collected: false, at: realTime() });
  const missedCharges = subscription.missedCharges + 1;
  const after = { ...charged(ctx, subscription, fact, true), missedCharges };
  appendGatewaySubscriptionEvent(tx, ctx, SUBSCRIPTION_PAYMENT_FAILED, saveSubscription(tx, ctx, subscription, after));
}

const charged = (
  { now }: Ctx,
  subscription: GatewaySubscription,
  { occurredAt, subscription: link }: PaymentFact,
  isMissed: boolean,
): GatewaySubscription => ({
  ...afterCollection(subscription, isMissed, occurredAt ?? arrivedAt(subscription, now)),
  nextChargeOn: laterDate(subscription.nextChargeOn, link?.nextChargeOn ?? null),
});

/**
 * Cancels a subscription whose replacement was paid: here at once, and at its gateway by due work; its mailed links
 * end.
 */
async function replace(tx: Tx, ctx: Ctx, old: GatewaySubscription, by: GatewaySubscription): Promise<void> {
  for (const recurring of [true, false])
    for (const link of await openLinksOfSubscription(tx, old.id, recurring)) deactivatePaymentLink(tx, link.id);
  saveSubscription(tx, ctx, old, { ...old, status: "cancelled", replacedById: by.id });
  enqueue(tx, SUBSCRIPTION_END, old.id, ctx.now);
}
