import type { ChargeRequest, PaymentIdentity, RefundRequest, Refusal, VerifiedNotification } from "./contract.ts";
import type { DeclinedFact, RefundFact } from "./facts.ts";

/** A clear refusal, with a reason that staff may see. */
export const refused = (reason: string): Refusal => ({ kind: "refused", reason });

/** A genuine message about a test payment, at the address of a live account. */
export const LEFT_OUT_TEST: VerifiedNotification = {
  kind: "verified",
  facts: [],
  leftOut: "It is about a test payment, which moves no money, and the account is a live one.",
};

/** The outcome of a refund that was clearly not made: the money stays with the merchant. */
export const refusedRefund = (
  { payment, refundId, amount }: RefundRequest,
  reason: string,
  gatewayWord = "refused",
): RefundFact => ({
  about: "refund",
  kind: "refused",
  occurredAt: null,
  gatewayWord,
  refundId,
  providerRefundRef: null,
  reference: payment.reference,
  amount,
  reason,
});

type Charge = Pick<PaymentIdentity, "reference" | "amount" | "currency"> & Partial<Pick<ChargeRequest, "payer">>;

/** The outcome of a charge of a stored card that was clearly not made. `hard` as in `DeclinedFact`. */
export const declinedCharge = (
  { reference, amount, currency, payer }: Charge,
  { word = "refused", reason, hard }: { readonly word?: string; readonly reason: string; readonly hard: boolean },
): DeclinedFact => ({
  about: "payment",
  kind: "declined",
  occurredAt: null,
  gatewayWord: word,
  reference,
  providerRef: null,
  payerEmail: payer?.email ?? null,
  card: null,
  subscription: null,
  amount,
  currency,
  reason,
  hard,
});
