import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { CreditRefund } from "./types.ts";

/** Interface 18.1, credit refund. */
export const creditRefundView = (refund: CreditRefund) => ({
  object: "credit_refund" as const,
  id: refund.id,
  customerId: refund.customerId,
  amount: toRand(refund.amount),
  currency: refund.currency,
  method: refund.method,
  reason: refund.reason,
  sources: refund.parts.map(({ source, amount }) => ({
    transactionReference: source.kind === "transaction" ? source.reference : null,
    invoiceId: source.kind === "invoice_payment" ? source.invoiceId : null,
    amount: toRand(amount),
  })),
  createdAt: toTimestamp(refund.createdAt),
});
