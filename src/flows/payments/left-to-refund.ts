import type { Refund } from "../../domain/refunds.ts";
import { type Cents, cents, formatMoney, ZERO } from "../../kernel/money.ts";
import { type CreditOver, creditNoteOfPayment, creditOverOf } from "../../modules/credit-notes/store.ts";
import { creditUsedOf } from "../../modules/credit-refunds/store.ts";
import { refundableAmount } from "../../modules/payments/rules.ts";
import { isRefundable } from "../../modules/payments/states.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { RefundedPayment } from "./post-refund.ts";

/** What can be refunded of a payment. */
interface Refundable {
  /** The amount left to refund; zero for a payment that has not completed, or that a credit note has credited. */
  readonly left: Cents;
  /** The number of the credit note that has given the payment back (decisions.md#set-up-is-not-refunded). */
  readonly credited: string | null;
  /** Every refund of the payment, oldest first. */
  readonly refunds: readonly Refund[];
}

/**
 * Reads what the payment itself leaves to refund; `limitOfRefund` gives the limit of a requested refund. The caller has
 * locked the payment.
 */
export async function leftToRefund(tx: Tx, transaction: Transaction): Promise<Refundable> {
  const [credited, refunds, reversals, paidOut] = await Promise.all([
    creditNoteOfPayment(tx, transaction.reference),
    refundsOf(tx, [transaction.id]),
    reversalsOf(tx, [transaction.id]),
    creditUsedOf(tx, transaction.id),
  ]);
  const open = credited === null && isRefundable(transaction.status);
  return { left: open ? refundableAmount(transaction, refunds, reversals, paidOut) : ZERO, credited, refunds };
}

/** The limit of a refund. */
interface RefundLimit extends Refundable {
  /** The sentence that refuses a higher amount. */
  readonly most: string;
  /** The sentence that refuses any amount. */
  readonly nothing: string;
}

/**
 * Reads the limit of a refund of the payment: what the payment leaves, less what was given to the customer as credit
 * and used, unless the money was returned elsewhere already. The caller has locked the payment.
 */
export async function limitOfRefund(
  tx: Tx,
  { transaction, purposes }: Pick<RefundedPayment, "transaction" | "purposes">,
  { madeElsewhere }: { readonly madeElsewhere: boolean },
): Promise<RefundLimit> {
  const [open, over] = await Promise.all([
    leftToRefund(tx, transaction),
    transaction.invoiceId && !madeElsewhere ? creditOverOf(tx, transaction.invoiceId) : null,
  ]);
  const given = madeElsewhere ? null : creditedDaysOf(purposes);
  const left = mostOf(open.left, over, given);
  const most = atMost(left, over, given, transaction.currency);
  const nothing = given && open.left > 0 ? most : "Nothing is left to refund on this payment.";
  return { ...open, left, most, nothing };
}

/** What was credited of the payment's invoice, if bills have used some of it. */
const creditedDaysOf = (purposes: RefundedPayment["purposes"]) =>
  purposes.flatMap(({ refundable }) => (refundable && refundable.used > 0 ? refundable : []))[0] ?? null;

type CreditedDays = ReturnType<typeof creditedDaysOf>;

/**
 * The most that can be refunded when credit notes or unused days credited a part to the customer; that part is not
 * refunded as well.
 */
function mostOf(left: Cents, over: CreditOver | null, given: CreditedDays): Cents {
  const most = Math.min(left, over ? over.paid - over.used : left, given ? given.left + (over?.open ?? 0) : left);
  return cents(Math.max(0, most));
}

function atMost(left: Cents, over: CreditOver | null, given: CreditedDays, currency: string): string {
  const most = `At most ${formatMoney(left, currency)} is left to refund`;
  if (given)
    return (
      `${most}: ${formatMoney(given.used, currency)} of the invoice's unused days was given back as credit, ` +
      "which other bills have used."
    );
  if (!over?.used) return `${most}.`;
  return (
    `${most}: ${formatMoney(over.used, currency)} of the invoice's credit notes was the customer's credit, ` +
    "and has paid other invoices."
  );
}
