import type { Refund } from "../../domain/refund.ts";
import { type Cents, ZERO } from "../../kernel/money.ts";
import { creditNoteOfPayment } from "../../modules/credit-notes/store.ts";
import { creditRefundedOf } from "../../modules/credit-refunds/store.ts";
import { refundableAmount } from "../../modules/payments/rules.ts";
import { isRefundable } from "../../modules/payments/states.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";

/** What can be refunded of a payment. */
interface Refundable {
  /** Nothing of a payment that has not completed, or that a credit note has given back. */
  readonly left: Cents;
  /** The number of the credit note that has given the payment back (decisions.md#set-up-is-not-refunded). */
  readonly credited: string | null;
  /** Every refund of it, oldest first. */
  readonly refunds: readonly Refund[];
}

/** Reads what can still be refunded of a payment. The caller has locked it. */
export async function leftToRefund(tx: Tx, transaction: Transaction): Promise<Refundable> {
  const [credited, refunds, reversals, paidOut] = await Promise.all([
    creditNoteOfPayment(tx, transaction.reference),
    refundsOf(tx, [transaction.id]),
    reversalsOf(tx, [transaction.id]),
    creditRefundedOf(tx, transaction.id),
  ]);
  const open = credited === null && isRefundable(transaction.status);
  return { left: open ? refundableAmount(transaction, refunds, reversals, paidOut) : ZERO, credited, refunds };
}
