import type { RefundRequest, Refusal } from "./contract.ts";
import type { RefundFact } from "./facts.ts";

/** A clear refusal, with a reason that staff may see. */
export const refused = (reason: string): Refusal => ({ kind: "refused", reason });

/** A refund that was clearly not made: the money stays with the merchant. */
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
