import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import { vatOfEntries } from "../../modules/books/store.ts";
import { vatInPart } from "../../modules/payments/rules.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";

/** What a refund or a reversal takes back of a payment's revenue, in cents. */
interface TakenBack {
  readonly amount: Cents;
  /** What others have taken back of the payment, before the credit that it made is taken off. */
  readonly others: Cents;
}

/**
 * The VAT, in cents, in the part of a payment's revenue that is taken back. The part that takes the last of the revenue
 * takes all VAT that is left, and no more is ever taken back than the payment had. An invoice's payment has none: its
 * invoice has.
 */
export async function vatTakenBack(tx: Tx, payment: Transaction, { amount, others }: TakenBack): Promise<Cents> {
  const vat = payment.invoiceId ? ZERO : await vatOfEntries(tx, ["payment"], [payment.reference]);
  if (vat === ZERO) return ZERO;
  const [refunds, reversals] = await Promise.all([refundsOf(tx, [payment.id]), reversalsOf(tx, [payment.id])]);
  const corrections = [...refunds, ...reversals].map(({ id }) => id);
  const left = sum([vat, await vatOfEntries(tx, ["refund", "refund_reversal", "reversal"], corrections)]);
  const earned = subtract(payment.amount, payment.overpaid);
  const upTo = (taken: number) => cents(Math.min(earned, Math.max(0, taken - payment.overpaid)));
  const [from, to] = [upTo(others), cents(Math.min(earned, upTo(others) + amount))];
  return to === earned ? left : cents(Math.min(left, vatInPart(vat, earned, { from, to })));
}
