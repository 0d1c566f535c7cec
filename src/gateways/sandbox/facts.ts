import { cents } from "../../kernel/money.ts";
import { type CalendarDay, type Instant, instant } from "../../kernel/time.ts";
import type {
  CardDetails,
  DisputeFact,
  GatewayFact,
  MandateFact,
  PaymentFact,
  RefundFact,
  ReversalFact,
  SubscriptionFact,
} from "../facts.ts";
import type { Dispute, Mandate, Notification, Payment, Refund, Reversal, Subscription } from "./wire.ts";

const KINDS = { complete: "paid", failed: "declined", cancelled: "abandoned", pending: "pending" } as const;

const instantOrNull = (timestamp: string | null): Instant | null => (timestamp === null ? null : instant(timestamp));
const dayOrNull = (day: string | null): CalendarDay | null => day as CalendarDay | null;

/** The sandbox gateway's payment as the service's fact. */
export function paymentFact(payment: Payment): PaymentFact {
  const news = {
    about: "payment",
    occurredAt: instantOrNull(payment.occurredAt),
    gatewayWord: payment.decline?.code ?? payment.status,
    reference: payment.reference,
    providerRef: payment.id,
    payerEmail: payment.payerEmail,
    card: payment.card satisfies CardDetails | null,
    subscription: payment.subscription && {
      key: payment.subscription.id,
      handle: payment.subscription.id,
      nextChargeOn: dayOrNull(payment.subscription.nextChargeOn),
    },
    amount: cents(payment.amount),
    currency: payment.currency,
  } as const;
  const kind = KINDS[payment.status];
  if (kind === "paid") return { ...news, kind, fee: payment.fee === null ? null : cents(payment.fee) };
  if (kind !== "declined") return { ...news, kind };
  const { message = "The payment was declined.", hard = false } = payment.decline ?? {};
  return { ...news, kind, reason: message, hard };
}

/** A refund of the sandbox gateway as a fact. */
export const refundFact = (refund: Refund): RefundFact => ({
  about: "refund",
  kind: refund.status,
  occurredAt: instant(refund.occurredAt),
  gatewayWord: refund.status,
  refundId: refund.refundId,
  providerRefundRef: refund.id,
  reference: refund.reference,
  amount: refund.amount === null ? null : cents(refund.amount),
  reason: refund.reason,
});

/** A subscription of the sandbox gateway as a fact. */
export const subscriptionFact = (subscription: Subscription): SubscriptionFact => ({
  about: "subscription",
  kind: subscription.status,
  occurredAt: instant(subscription.updatedAt),
  gatewayWord: subscription.status,
  amount: cents(subscription.amount),
  subscription: { key: subscription.id, handle: subscription.id, nextChargeOn: dayOrNull(subscription.nextChargeOn) },
});

/** A mandate of the sandbox gateway as a fact. */
export const mandateFact = (mandate: Mandate): MandateFact => ({
  about: "mandate",
  kind: mandate.status,
  occurredAt: instant(mandate.updatedAt),
  gatewayWord: mandate.status,
  accountReference: mandate.accountReference,
  reason: mandate.reason,
  signUrl: mandate.signUrl,
});

const reversalFact = (reversal: Reversal): ReversalFact => ({
  about: "reversal",
  occurredAt: instant(reversal.occurredAt),
  gatewayWord: reversal.code,
  reference: reversal.reference,
  providerRef: reversal.paymentId,
  amount: cents(reversal.amount),
  reason: reversal.reason,
  code: reversal.code,
  hard: reversal.hard,
  ...(reversal.dispute && {
    dispute: {
      id: reversal.dispute.id,
      code: reversal.code,
      respondBy: instant(reversal.dispute.respondBy),
      lost: false,
    },
  }),
});

const disputeFact = (dispute: Dispute): DisputeFact => ({
  about: "dispute",
  kind: dispute.status,
  occurredAt: instant(dispute.occurredAt),
  gatewayWord: dispute.status,
  reference: dispute.reference,
  providerRef: dispute.paymentId,
  amount: cents(dispute.amount),
  reason: dispute.reason,
  disputeId: dispute.id,
  code: dispute.code,
  respondBy: null,
});

/** The facts of a notification. */
export function notificationFacts(notification: Notification): readonly GatewayFact[] {
  switch (notification.type) {
    case "payment":
      return [paymentFact(notification.payment)];
    case "payments":
      return notification.payments.map(paymentFact);
    case "refund":
      return [refundFact(notification.refund)];
    case "reversal":
      return [reversalFact(notification.reversal)];
    case "dispute":
      return [disputeFact(notification.dispute)];
    case "subscription":
      return [subscriptionFact(notification.subscription)];
    case "mandate":
      return [mandateFact(notification.mandate)];
  }
}
