import type { PaymentFact, RefundFact } from "../facts.ts";
import type { RefundNotice, Transaction } from "./wire.ts";

const PAYMENT_KINDS = new Map<string, "paid" | "abandoned" | "declined">([
  ["Complete", "paid"],
  ["Cancelled", "abandoned"],
  ["Abandoned", "abandoned"],
  ["Error", "declined"],
]);

const REFUND_KINDS = new Map<string, "processed" | "refused">([
  ["Complete", "processed"],
  ["Failed", "refused"],
  ["Cancelled", "refused"],
  ["Returned", "refused"],
  ["Invalid", "refused"],
]);

/** An attempt at a payment as a fact. An unknown status counts as pending. */
export function paymentFact(transaction: Transaction): PaymentFact {
  const { transactionId, transactionReference, amount, currencyCode, status, statusMessage } = transaction;
  const kind = PAYMENT_KINDS.get(status) ?? "pending";
  const report = {
    about: "payment",
    occurredAt: null,
    gatewayWord: status,
    reference: transactionReference,
    providerRef: transactionId,
    payerEmail: null,
    card: null,
    subscription: null,
    ...amount,
    currency: currencyCode,
  } as const;
  if (kind === "paid") return { ...report, kind, fee: null };
  if (kind !== "declined") return { ...report, kind };
  return { ...report, kind, reason: statusMessage || "The payment failed at the bank.", hard: false };
}

/**
 * Which of several attempts under one reference decides the payment: a complete one (of several, the known one); else
 * one that is still running; else one that failed; else the first.
 */
export function decisive(facts: readonly PaymentFact[], providerRef: string | null): PaymentFact | null {
  const paid = facts.filter(({ kind }) => kind === "paid");
  return (
    paid.find((fact) => fact.providerRef === providerRef) ??
    paid[0] ??
    facts.find(({ kind }) => kind === "pending") ??
    facts.find(({ kind }) => kind === "declined") ??
    facts[0] ??
    null
  );
}

/** A message about a refund as a fact. `refundId` is ours, from the address at which the message arrived. */
export function refundFact(notice: RefundNotice, refundId: string | null): RefundFact {
  const kind = REFUND_KINDS.get(notice.Status) ?? "pending";
  return {
    about: "refund",
    kind,
    occurredAt: null,
    gatewayWord: notice.Status,
    refundId,
    providerRefundRef: notice.RefundId,
    reference: null,
    paymentRef: notice.TransactionId || null,
    amount: notice.Amount.amount,
    currency: notice.CurrencyCode,
    reason: kind === "refused" ? notice.StatusMessage || "The bank did not take the refund." : null,
  };
}
