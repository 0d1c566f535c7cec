import type { Cents } from "../../kernel/money.ts";
import { type Instant, parseDateTime } from "../../kernel/time.ts";
import type { ReportedAmount } from "../amounts.ts";
import type { GatewayFact, PaymentFact, RefundFact } from "../facts.ts";
import type { Checkout, Event, Payment, RefundPayload } from "./wire.ts";

/** The parts of the request that made a checkout. */
interface Asked {
  readonly reference: string;
  readonly amount: Cents;
  readonly currency: string;
}

/**
 * A checkout as a fact. It is paid once it is completed; with every other status it may still be. When Yoco does not repeat the amount, the
 * requested amount counts.
 */
export function checkoutFact(checkout: Checkout, asked: Asked): PaymentFact {
  const { status, paymentId, amount, currency } = checkout;
  const report = reportOf(status, {
    reference: checkout.externalId ?? asked.reference,
    providerRef: paymentId ?? null,
    amount: amount ?? { amount: asked.amount },
    currency: currency ?? asked.currency,
    occurredAt: null,
  });
  return status === "completed" ? { ...report, kind: "paid", fee: null } : { ...report, kind: "pending" };
}

/** The fact of a message. `reference` is that of its payment. */
export function eventFact(event: Event, reference: string | null): GatewayFact {
  const occurredAt = event.createdDate ? parseDateTime(event.createdDate) : null;
  switch (event.type) {
    case "payment.succeeded":
      return { ...paymentReport(event, event.payload, reference, occurredAt), kind: "paid", fee: null };
    case "payment.failed": {
      const reason = event.payload.failureReason || "The payment was declined.";
      return { ...paymentReport(event, event.payload, reference, occurredAt), kind: "declined", reason, hard: false };
    }
    case "refund.succeeded":
      return refundFact(event, event.payload, { reference, occurredAt, kind: "processed" });
    case "refund.failed":
      return refundFact(event, event.payload, { reference, occurredAt, kind: "refused" });
  }
}

const paymentReport = (
  { type }: Event,
  { id, amount, currency }: Payment,
  reference: string | null,
  occurredAt: Instant | null,
) => reportOf(type, { reference, providerRef: id, amount, currency, occurredAt });

const reportOf = (
  gatewayWord: string,
  payment: {
    readonly reference: string | null;
    readonly providerRef: string | null;
    readonly amount: ReportedAmount;
    readonly currency: string;
    readonly occurredAt: Instant | null;
  },
) =>
  ({
    about: "payment",
    gatewayWord,
    payerEmail: null,
    card: null,
    subscription: null,
    ...payment,
    ...payment.amount,
  }) as const;

const refundFact = (
  { type }: Event,
  { id, paymentId, amount, currency, failureReason, metadata }: RefundPayload,
  { reference, occurredAt, kind }: Pick<RefundFact, "reference" | "occurredAt"> & { kind: "processed" | "refused" },
): RefundFact => ({
  about: "refund",
  kind,
  occurredAt,
  gatewayWord: type,
  refundId: metadata?.refundId ?? null,
  providerRefundRef: id,
  reference,
  paymentRef: paymentId || null,
  amount: amount.amount,
  ...(currency ? { currency } : {}),
  reason: kind === "refused" ? failureReason || "Yoco could not make the refund." : null,
});
