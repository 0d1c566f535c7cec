import type { PaymentFact, RefundFact, SubscriptionFact, SubscriptionLink } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import type { Notice, Payment } from "./wire.ts";

const KINDS = new Map<string, "paid" | "abandoned" | "declined">([
  ["PAID", "paid"],
  ["SETTLED", "paid"],
  ["COMPLETED", "paid"],
  ["EXPIRED", "abandoned"],
  ["CANCELLED", "abandoned"],
  ["FAILED", "declined"],
]);

/** Whether Stitch reports the payment as paid. */
export const isPaid = (status: string): boolean => KINDS.get(status) === "paid";

/** Stitch Express takes rand only. */
const CURRENCY = "ZAR";

/** The parts of a payment as Stitch reports it in any message or answer. */
type Reported = Pick<Payment, "id" | "status" | "type" | "merchantReference"> &
  Partial<Pick<Payment, "amount">> & {
    readonly fee?: Payment["fee"] | undefined;
    readonly payerEmailAddress?: string | null | undefined;
  };

/**
 * A payment as a fact. `linkId` is the id of the link that the payer opened; it identifies a payment that is still
 * open. Throws `GatewayUnclear` for a paid payment without its amount.
 */
export function paymentFact(payment: Reported, linkId: string | null): PaymentFact {
  const { id, status, type, merchantReference, amount, fee } = payment;
  const report = {
    about: "payment",
    occurredAt: null,
    gatewayWord: status,
    reference: merchantReference ?? null,
    providerRef: id === linkId ? null : id,
    payerEmail: payment.payerEmailAddress || null,
    card: null,
    subscription: type === "SUBSCRIPTION" && merchantReference ? linkOf(merchantReference, linkId) : null,
    currency: CURRENCY,
  } as const;
  const kind = KINDS.get(status) ?? "pending";
  if (kind === "paid") {
    if (!amount) throw new GatewayUnclear("Stitch: a paid payment without its amount");
    return { ...report, kind, ...amount, fee: fee?.amount.amount ?? null };
  }
  const money = { amount: null, ...amount };
  if (kind !== "declined") return { ...report, kind, ...money };
  return { ...report, kind, ...money, reason: "The payment was declined.", hard: false };
}

/**
 * The fact of a message about a payment, with the fee where the payment is known. A failed collection of a subscription
 * is a later collection, although it carries the first payment's reference; the first payment itself is queried.
 */
export const noticeFact = (notice: Notice, payment: Payment | null): PaymentFact => {
  const { id, status, type, merchantReference } = notice;
  const amount = notice.amount ?? payment?.amount;
  const fact = paymentFact(
    {
      id,
      status,
      type,
      merchantReference,
      ...(amount ? { amount } : {}),
      fee: payment?.fee,
      payerEmailAddress: payment?.payerEmailAddress,
    },
    notice.linkId ?? null,
  );
  return fact.kind === "declined" && fact.subscription ? { ...fact, reference: null } : fact;
};

const REFUND_KINDS = new Map<string, RefundFact["kind"]>([
  ["PROCESSED", "processed"],
  ["COMPLETED", "processed"],
  ["SETTLED", "processed"],
  ["FAILED", "refused"],
  ["CANCELLED", "refused"],
]);

/** The state of a refund by Stitch's word for it. */
export const refundKind = (status: string): RefundFact["kind"] => REFUND_KINDS.get(status) ?? "pending";

/**
 * The refund that a message tells of; null for another message. A message about a payment that was refunded names no
 * refund: one that was refunded in part does not tell how much was given back.
 */
export function refundNotice({ id, type, status, amount, merchantReference, paymentId }: Notice): RefundFact | null {
  const report = {
    about: "refund",
    occurredAt: null,
    gatewayWord: status,
    refundId: null,
    reference: merchantReference ?? null,
    currency: CURRENCY,
    reason: null,
  } as const;
  if (/^REFUND/i.test(type ?? "")) {
    const kind = refundKind(status);
    const reason = kind === "refused" ? "Stitch could not make the refund." : null;
    const ids = { providerRefundRef: id, paymentRef: paymentId ?? null };
    return { ...report, kind, ...ids, amount: amount?.amount ?? null, reason };
  }
  const told = { ...report, kind: "processed", providerRefundRef: null, paymentRef: id, amount: null } as const;
  if (status === "REFUNDED") return { ...told, whole: true };
  return status === "PARTIALLY_REFUNDED" ? told : null;
}

/** Every message of a subscription carries our reference of its first payment; calls to Stitch use its own id. */
const linkOf = (merchantReference: string, id: string | null): SubscriptionLink => ({
  key: merchantReference,
  handle: id ?? merchantReference,
  nextChargeOn: null,
});

/**
 * How a message changes the subscription itself; null for a message about a payment. `listed` is the subscription in
 * Stitch's list: a cancelled payment of a running subscription has the same status word.
 */
export function endFact(
  { type, status, merchantReference, linkId }: Notice,
  listed: string | null,
): SubscriptionFact | null {
  const isEnd = type === "SUBSCRIPTION" && (status === "CANCELLED" || status === "EXPIRED");
  if (!isEnd || !merchantReference || (listed !== null && SUBSCRIPTION_KINDS.get(listed) !== "cancelled")) return null;
  return subscriptionFact({ id: linkId ?? merchantReference, status }, merchantReference);
}

const SUBSCRIPTION_KINDS = new Map<string, SubscriptionFact["kind"]>([
  ["AUTHORISED", "active"],
  ["FAILED", "past_due"],
  ["FAILED_AND_WILL_RETRY", "past_due"],
  ["CANCELLED", "cancelled"],
  ["EXPIRED", "cancelled"],
]);

/** A subscription as a fact; null for one that the payer has not authorised, and for a status that is not known. */
export function subscriptionFact(
  { id, status }: { readonly id: string; readonly status: string },
  key: string,
): SubscriptionFact | null {
  const kind = SUBSCRIPTION_KINDS.get(status);
  if (!kind) return null;
  return { about: "subscription", kind, occurredAt: null, gatewayWord: status, subscription: linkOf(key, id) };
}
