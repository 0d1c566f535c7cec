import type { PaidFact, PaymentFact } from "../../gateways/facts.ts";
import { SUBSCRIPTION_CHARGED, SUBSCRIPTION_PAYMENT_FAILED } from "../../modules/gateway-subscriptions/declarations.ts";
import { afterCollection, laterDate } from "../../modules/gateway-subscriptions/rules.ts";
import { lockGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import { setSubscription } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { LockedPurpose, Purpose } from "../payments/purpose.ts";
import { beginSubscription } from "./begin-subscription.ts";
import { saveSubscription, tellOfSubscription } from "./save-subscription.ts";

/**
 * The first payment of a recurring link begins a subscription at its gateway; later payments of it are its charges (interface 2.12).
 * Locks the subscription.
 */
export const gatewaySubscriptionPurpose: Purpose<Ctx> = {
  locks: "gateway subscription",
  async lock(tx, ctx, payment, move, fact) {
    if (!fact || move === "refunded" || move === "cancelled") return null;
    if (payment.subscriptionId !== null) return chargeOf(tx, ctx, payment, payment.subscriptionId, fact);
    return fact.kind === "paid" && fact.subscription ? firstPayment(tx, ctx, payment) : null;
  },
};

/** Null for a payment of a link that is not recurring: what the gateway says of a subscription was not asked for. */
async function firstPayment(tx: Tx, ctx: Ctx, { paymentLinkId, paidAt }: Transaction): Promise<LockedPurpose | null> {
  const link = paymentLinkId === null || paidAt !== null ? null : await findPaymentLink(tx, paymentLinkId);
  if (!link?.recurring) return null;
  const { recurring } = link;
  let subscriptionId: string | null = null;
  return {
    complete(payment, _split, fact) {
      const subscription = beginSubscription(tx, ctx, { ...link, recurring }, payment, fact);
      subscriptionId = subscription.id;
      setSubscription(tx, payment.id, subscription.id);
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
  return {
    complete: (_payment, _split, paid) => collected(tx, ctx, subscription, paid),
    fail: () => missed(tx, ctx, subscription, fact),
  };
}

function collected(tx: Tx, ctx: Ctx, subscription: GatewaySubscription, fact: PaidFact): void {
  const after = charged(ctx, subscription, fact, false);
  tellOfSubscription(tx, ctx, SUBSCRIPTION_CHARGED, saveSubscription(tx, ctx, subscription, after));
}

function missed(tx: Tx, ctx: Ctx, subscription: GatewaySubscription, fact: PaymentFact): void {
  const after = charged(ctx, subscription, fact, true);
  tellOfSubscription(tx, ctx, SUBSCRIPTION_PAYMENT_FAILED, saveSubscription(tx, ctx, subscription, after));
}

const charged = (
  { now }: Ctx,
  subscription: GatewaySubscription,
  { occurredAt, subscription: link }: PaymentFact,
  isMissed: boolean,
): GatewaySubscription => ({
  ...afterCollection(subscription, isMissed, occurredAt ?? now),
  nextChargeOn: laterDate(subscription.nextChargeOn, link?.nextChargeOn ?? null),
});
