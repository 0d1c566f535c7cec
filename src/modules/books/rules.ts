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

/** What must hold of every entry: it balances, and no line is empty (docs/architecture.md, Data). */
function assertBalanced(postings: readonly Posting[]): readonly Posting[] {
  const lines = postings.filter((posting) => posting.amount !== 0);
  assert(sum(lines.map((line) => line.amount)) === 0, "a journal entry balances");
  return lines;
}

/**
 * A payment that came in through a gateway or at the bank: the money less its fee; what an invoice took (`applied`) off what the
 * customer owes; what nobody owed (`credit`) kept for the customer, or as a credit without a name when there is none (interface 16.21, two
 * payments); the rest is revenue with its VAT.
 */
export const paymentPostings = (payment: {
  amount: Cents;
  fee: Cents | null;
  into: "gateway_clearing" | "bank";
  applied: Cents;
  vat: Cents;
  credit: Cents;
  /** On whose account: an invoice's customer, else the payer. */
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

/** An invoice that leaves draft: owed from now on, earned without its VAT. */
export const invoicePostings = ({ total, subtotal, tax }: Totals, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([
    post("receivable", total, customerId),
    post("revenue", negative(subtotal), customerId),
    post("vat_output", negative(tax)),
  ]);

/**
 * An issued invoice that is cancelled: nothing is owed or earned, and what was paid on it is the customer's credit, without what was
 * given back of it before (`refunded`), which takes nothing off what is earned any more.
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

/** A payment that was made outside of any gateway, on an invoice. */
export const offlinePaymentPostings = (amount: Cents, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([post("bank", amount), post("receivable", negative(amount), customerId)]);

/** A credit note: earned no longer, with its VAT, and held for the customer until it is applied. */
export const creditNotePostings = (note: { amount: Cents; tax: Cents }, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([
    post("revenue", subtract(note.amount, note.tax), customerId),
    post("vat_output", note.tax),
    post("customer_credit", negative(note.amount), customerId),
  ]);

/** A credit that takes something off what an invoice asks for. */
export const creditApplicationPostings = (amount: Cents, customerId: CustomerId): readonly Posting[] =>
  assertBalanced([post("customer_credit", amount, customerId), post("receivable", negative(amount), customerId)]);

/** Money given back: out of the customer's credit as far as the payment made one, the rest against revenue. */
export const refundPostings = (refund: {
  amount: Cents;
  fromCredit: Cents;
  through: "gateway" | "manual";
  customerId: CustomerId | null;
}): readonly Posting[] =>
  assertBalanced([
    post("refunds", subtract(refund.amount, refund.fromCredit), refund.customerId),
    post("customer_credit", refund.fromCredit, refund.customerId),
    post(refund.through === "gateway" ? "gateway_clearing" : "bank", negative(refund.amount)),
  ]);

/** The opposite of what was posted. */
export const reversed = (postings: readonly Posting[]): readonly Posting[] =>
  postings.map((posting) => ({ ...posting, amount: negative(posting.amount) }));
