import { createHash } from "node:crypto";
import { checkoutReferenceOf } from "../../kernel/references.ts";
import type { CardBrand, CardDetails, GatewayFact, PaymentFact, RefundFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { isHardDecline, type Result, resultOf } from "./result-codes.ts";
import type { Payment } from "./wire.ts";

const BRANDS = new Map<string, CardBrand>([
  ["VISA", "visa"],
  ["MASTER", "mastercard"],
  ["AMEX", "amex"],
  ["DINERS", "diners"],
]);

/**
 * A payment of Peach's as a fact. `reference` is ours where it is known. Throws `GatewayUnclear` for a complete one
 * without amount or currency.
 */
export function paymentFact(payment: Payment, reference: string | null): PaymentFact {
  const { "result.code": code, "result.description": description, amount, currency } = payment;
  const report = {
    about: "payment",
    occurredAt: null,
    gatewayWord: code,
    reference: reference ?? checkoutReferenceOf(payment.merchantTransactionId ?? ""),
    providerRef: payment.id || null,
    payerEmail: payment["customer.email"] || null,
    card: cardOf(payment),
    subscription: null,
  } as const;
  const money = { amount: null, ...amount, currency: currency ?? null };
  const result = resultOf(code);
  if (result === "complete") {
    if (!amount || !currency) throw new GatewayUnclear("Peach: a complete payment without its amount");
    return { ...report, kind: "paid", ...amount, currency, fee: null };
  }
  if (result === "pending" || result === "timeout") return { ...report, ...money, kind: "pending" };
  if (result === "cancelled") return { ...report, ...money, kind: "abandoned" };
  return { ...report, ...money, kind: "declined", reason: description || code, hard: isHardDecline(code) };
}

/** The facts of the payment that a message has named, from Peach's present answer. */
export function confirmedFacts(payment: Payment): readonly GatewayFact[] {
  const { "result.code": code, "result.description": description, amount } = payment;
  if (resultOf(code) !== "chargeback") {
    const fact = paymentFact(payment, null);
    return [fact.reference === null ? ofCharge(fact) : fact];
  }
  if (!amount) throw new GatewayUnclear("Peach: a chargeback without its amount");
  const reference = checkoutReferenceOf(payment.merchantTransactionId ?? "");
  const reason = description || "The card's bank took the payment back.";
  return [
    {
      about: "reversal",
      occurredAt: null,
      gatewayWord: code,
      reference,
      providerRef: null,
      amount: amount.amount,
      reason,
      code,
      hard: true,
    },
  ];
}

/** The fact of a charge of a stored card, whose token stays: it holds the payment with which the payer saved the card. */
export const ofCharge = (fact: PaymentFact): PaymentFact => ({
  ...fact,
  card: fact.card && { ...fact.card, token: null },
});

/** The card of a payment; null when Peach does not show it. Its token is what a later charge needs. */
function cardOf(payment: Payment): CardDetails | null {
  const { registrationId, paymentBrand, "card.last4Digits": last4, "card.bin": bin } = payment;
  if (!last4) return null;
  const { "card.expiryMonth": month, "card.expiryYear": year, "card.holder": holder } = payment;
  const initialTransactionId =
    payment.schemeTransactionId ||
    payment.cardholderInitiatedTransactionId ||
    payment["standingInstruction.initialTransactionId"] ||
    payment.id ||
    null;
  return {
    token: registrationId ? JSON.stringify({ registrationId, initialTransactionId }) : null,
    brand: BRANDS.get(paymentBrand ?? "") ?? "card",
    last4,
    expiryMonth: within(month, 1, 12),
    expiryYear: within(year, 2000, 2999),
    holderName: holder || null,
    // Peach makes a new registration each time; equal first and last digits mean the same card of a customer, whatever its expiry.
    fingerprint: bin ? fingerprint(bin, last4) : null,
    // Cards that were saved before 28 November 2026.
    otherFingerprints: bin ? [fingerprint(bin, last4, month, year)] : [],
  };
}

const fingerprint = (...parts: readonly (string | null | undefined)[]): string =>
  createHash("sha256").update(parts.join("|")).digest("hex");

function within(text: string | null | undefined, least: number, most: number): number | null {
  const number = /^\d{1,4}$/.test(text ?? "") ? Number(text) : 0;
  return number >= least && number <= most ? number : null;
}

const REFUND_KINDS: Readonly<Partial<Record<Result, RefundFact["kind"]>>> = {
  complete: "processed",
  pending: "pending",
};

/** The outcome of a refund by its result code; null for a time-out at the bank, which decides nothing. */
export function refundOutcome(code: string, description: string | null | undefined) {
  const result = resultOf(code);
  if (result === "timeout") return null;
  const kind = REFUND_KINDS[result] ?? "refused";
  return { kind, gatewayWord: code, reason: kind === "refused" ? description || code : null } as const;
}
