import type { DisputeFact, PaymentFact, ReversalFact } from "../../gateways/facts.ts";
import { lockSubscriptionKey } from "../../modules/gateway-subscriptions/store.ts";
import { findByProviderRef, findByReference } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import type { Ctx } from "../context.ts";

/** Finds the payment of a fact, or records the payment that the fact reports; null when it does neither. */
export type Identify = (tx: Tx, ctx: Ctx, accountId: string, fact: PaymentFact) => Promise<Transaction | null>;

const byReference: Identify = async (tx, _ctx, _accountId, fact) => {
  const payment = fact.reference === null ? null : await findByReference(tx, fact.reference);
  return payment && isLaterCollection(payment, fact) ? null : payment;
};

/**
 * Whether the fact reports a later collection. A gateway that collects again by itself may reuse the reference of the
 * first payment; its own id then differs.
 */
const isLaterCollection = (payment: Transaction, { subscription, providerRef }: PaymentFact): boolean =>
  subscription !== null &&
  payment.paidAt !== null &&
  payment.providerRef !== null &&
  providerRef !== null &&
  providerRef !== payment.providerRef;

/**
 * Finds a payment by the gateway's id. A reference that is not ours contradicts that id, except for a subscription:
 * there the gateway makes up a reference for each collection.
 */
const byGatewayId: Identify = async (tx, _ctx, accountId, { reference, providerRef, subscription }) =>
  providerRef !== null && (reference === null || subscription !== null)
    ? findByProviderRef(tx, accountId, providerRef)
    : null;

/**
 * Finds the completed payment with the same reference, when the fact is neither a collection nor a second payment of a
 * link; the fact is then flagged.
 */
const paidBefore: Identify = async (tx, _ctx, _accountId, { kind, reference }) =>
  kind === "paid" && reference !== null ? findByReference(tx, reference) : null;

/**
 * Records payments that a gateway has made by itself. Tried in the order of the catalogue when no payment is found by
 * reference or id.
 */
export const MADE_BY_GATEWAY = new ExtensionPoint<Identify>();

/**
 * Finds the payment of a fact: by our reference, else by the gateway's id
 * (decisions.md#payments-are-found-by-reference-first). Records a payment for a collection of a known subscription that
 * has none yet, and for the second payment of a recurring link's page. Null when there is none. Locks the names of the
 * fact's subscription and reference, so that several simultaneous reports make one payment.
 */
export async function identifyPayment(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  fact: PaymentFact,
): Promise<Transaction | null> {
  if (fact.subscription) lockSubscriptionKey(tx, accountId, fact.subscription.key, fact.reference);
  for (const identify of [byReference, byGatewayId, ...MADE_BY_GATEWAY.of(ctx), paidBefore]) {
    const payment = await identify(tx, ctx, accountId, fact);
    if (payment) return payment;
  }
  return null;
}

/**
 * Finds the payment that a reversal, a return or a dispute is about: by the gateway's id, which also distinguishes the
 * collections of a subscription; else by our reference. Null when there is none.
 */
export async function findReported(
  tx: Tx,
  accountId: string,
  { reference, providerRef }: Pick<PaymentFact | ReversalFact | DisputeFact, "reference" | "providerRef">,
): Promise<Transaction | null> {
  const byId = providerRef === null ? null : await findByProviderRef(tx, accountId, providerRef);
  if (byId || reference === null) return byId;
  const payment = await findByReference(tx, reference);
  const another = payment?.providerRef && providerRef !== null && payment.providerRef !== providerRef;
  return another ? null : payment;
}
