import type { CustomerId } from "../../kernel/ids.ts";
import { toRand } from "../../kernel/money.ts";
import { type Instant, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { totalOf } from "./rules.ts";
import type { CreditPart, CreditRefund } from "./types.ts";

const sourceView = ({ source, amount }: CreditPart) => ({
  transactionReference: source.kind === "transaction" ? source.reference : null,
  invoiceId: source.kind === "invoice_payment" ? source.invoiceId : null,
  itemId: source.kind === "bank_line" ? source.itemId : null,
  amount: toRand(amount),
});

/** Interface 18.1, credit refund. */
export const creditRefundView = (refund: CreditRefund) => ({
  object: "credit_refund" as const,
  id: refund.id,
  customerId: refund.customerId,
  amount: toRand(refund.amount),
  currency: refund.currency,
  method: refund.method,
  reason: refund.reason,
  sources: refund.parts.map(sourceView),
  createdAt: toTimestamp(refund.createdAt),
});

/** Interface 18.1: what a customer can be paid out in one currency. */
export const payableCreditView = (
  customerId: CustomerId,
  {
    currency,
    currencies,
    parts,
    heldUntil,
  }: {
    readonly currency: string;
    readonly currencies: readonly string[];
    readonly parts: readonly CreditPart[];
    readonly heldUntil: Instant | null;
  },
) => ({
  object: "payable_credit" as const,
  customerId,
  currency,
  currencies,
  amount: toRand(totalOf(parts)),
  sources: parts.map(sourceView),
  heldUntil: toTimestampOrNull(heldUntil),
});
