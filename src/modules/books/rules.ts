import { assert } from "../../kernel/assert.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import type { Totals } from "../../kernel/lines.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import type { Posting } from "./types.ts";

const post = (account: Posting["account"], amount: Cents, customerId: CustomerId | null = null): Posting => ({
  account,
  amount,
  customerId,
});
const negative = (amount: Cents): Cents => cents(-amount);

/** Checks that the entry balances, and removes lines of zero (docs/architecture.md, Data). Throws an AssertionError. */
function assertBalanced(postings: readonly Posting[]): readonly Posting[] {
  const lines = postings.filter((posting) => posting.amount !== 0);
  assert(sum(lines.map((line) => line.amount)) === 0, "a journal entry balances");
  return lines;
}

/**
 * The postings of a completed payment, in cents. The amount minus its fee is received. `applied` reduces what the
 * customer owes; `credit`, which is more than was owed, becomes the customer's credit, or a credit without a customer
 * when none is known (interface 16.21, two payments); the rest is revenue with its VAT.
 */
export const paymentPostings = (payment: {
  amount: Cents;
  fee: Cents | null;
  into: "gateway_clearing" | "bank";
  applied: Cents;
  vat: Cents;
  credit: Cents;
  /** The customer of the invoice, else the payer. */
  customerId: CustomerId | null;
}): readonly Posting[] => {
  const fee = payment.fee ?? ZERO;
  const earned = cents(payment.amount - payment.credit - payment.applied);
  return assertBalanced([
    post(payment.into, subtract(payment.amount, fee)),
    post("gateway_fees", fee),
    post("receivable", negative(payment.applied), payment.customerId),
    post("revenue", negative(subtract(earned, payment.vat)), payment.customerId),
    post("vat_output", negative(payment.vat)),
    post("customer_credit", negative(payment.credit), payment.customerId),
  ]);
};

/** The postings of an invoice that leaves draft: the total is receivable, the rest of it after VAT is revenue. */
export const invoicePostings = ({ total, subtotal, tax }: Totals, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([
    post("receivable", total, customerId),
    post("revenue", negative(subtotal), customerId),
    post("vat_output", negative(tax)),
  ]);

/**
 * The postings of an issued invoice that is cancelled: its receivable, revenue and VAT are reversed. The amount paid on
 * it becomes the customer's credit, without the part that was refunded before (`refunded`), which no longer reduces
 * revenue.
 */
export const cancelledInvoicePostings = (
  { total, subtotal, tax, paid, refunded }: Totals & { readonly paid: Cents; readonly refunded: Cents },
  customerId: CustomerId,
): readonly Posting[] =>
  assertBalanced([
    post("receivable", negative(subtract(total, paid)), customerId),
    post("revenue", subtotal, customerId),
    post("vat_output", tax),
    post("refunds", negative(refunded), customerId),
    post("customer_credit", negative(subtract(paid, refunded)), customerId),
  ]);

/** The postings when an invoice is paid outside of any gateway. */
export const offlinePaymentPostings = (amount: Cents, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([post("bank", amount), post("receivable", negative(amount), customerId)]);

/**
 * The postings of a part of a line of a bank statement, with the line's sign: the money moves to the reconciled bank
 * account from the account in which it was posted. `bank` and `gateway_clearing` hold money that no statement has shown
 * yet.
 */
export const bankMatchPostings = (
  amount: Cents,
  from: "bank" | "gateway_clearing" | "customer_credit" | "bank_charges" | "own_transfers",
  customerId: CustomerId | null,
): readonly Posting[] => assertBalanced([post("bank_reconciled", amount), post(from, negative(amount), customerId)]);

/** The postings of a credit note: it reduces revenue and VAT, and becomes the customer's credit until it is applied. */
export const creditNotePostings = (note: { amount: Cents; tax: Cents }, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([
    post("revenue", subtract(note.amount, note.tax), customerId),
    post("vat_output", note.tax),
    post("customer_credit", negative(note.amount), customerId),
  ]);

/** The postings of a credit that is applied to an invoice. */
export const creditApplicationPostings = (amount: Cents, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([post("customer_credit", amount, customerId), post("receivable", negative(amount), customerId)]);

/** The postings of a credit note's rest that a refund has settled: the money that was given back is what the note had credited. */
export const settledNotePostings = (amount: Cents, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([post("customer_credit", amount, customerId), post("refunds", negative(amount), customerId)]);

/** The postings of customer credit that is paid out by hand. */
export const creditRefundPostings = (amount: Cents, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([post("customer_credit", amount, customerId), post("bank", negative(amount))]);

/**
 * The postings of a refund, in cents: first from the credit that the payment made (`fromCredit`), the rest from revenue
 * with the VAT in it (`vat`).
 */
export const refundPostings = (refund: {
  amount: Cents;
  fromCredit: Cents;
  vat: Cents;
  through: "gateway" | "manual";
  customerId: CustomerId | null;
}): readonly Posting[] =>
  assertBalanced([
    post("refunds", cents(refund.amount - refund.fromCredit - refund.vat), refund.customerId),
    post("vat_output", refund.vat),
    post("customer_credit", refund.fromCredit, refund.customerId),
    post(refund.through === "gateway" ? "gateway_clearing" : "bank", negative(refund.amount)),
  ]);

/**
 * The postings of a payment that a bank reversed, by a chargeback or a returned debit, in cents: the part that reduced
 * the customer's debt is owed again (`reopened`), credit that the payment made is removed, revenue and its VAT are
 * reduced. The rest is money that was refunded before; it is a loss.
 */
export const reversalPostings = (reversal: {
  amount: Cents;
  reopened: Cents;
  fromCredit: Cents;
  /** With VAT. */
  earned: Cents;
  vat: Cents;
  customerId: CustomerId | null;
}): readonly Posting[] => {
  const { amount, reopened, fromCredit, earned, vat, customerId } = reversal;
  return assertBalanced([
    post("receivable", reopened, customerId),
    post("customer_credit", fromCredit, customerId),
    post("revenue", subtract(earned, vat), customerId),
    post("vat_output", vat),
    post("refunds", cents(amount - reopened - fromCredit - earned), customerId),
    post("gateway_clearing", negative(amount)),
  ]);
};

/** The same postings with opposite amounts. */
export const reversed = (postings: readonly Posting[]): readonly Posting[] =>
  postings.map((posting) => ({ ...posting, amount: negative(posting.amount) }));
