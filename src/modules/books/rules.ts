import { assert } from "../../kernel/assert.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import type { Posting } from "./types.ts";

const post = (account: Posting["account"], amount: Cents, customerId: CustomerId | null = null): Posting => ({
  account,
  amount,
  customerId,
});
const negative = (amount: Cents): Cents => cents(-amount);

/** What must hold of every entry: it balances, and no line is empty (design 4.6). */
function assertBalanced(postings: readonly Posting[]): readonly Posting[] {
  const lines = postings.filter((posting) => posting.amount !== 0);
  assert(sum(lines.map((line) => line.amount)) === 0, "a journal entry balances");
  return lines;
}

/**
 * A payment that came through a gateway, for no invoice: money at the gateway less its fee, revenue with its VAT, and what nobody
 * owed (`credit`) kept for the customer, or as a credit without a name when there is no customer (contract 8, two payments).
 */
export const paymentPostings = (payment: {
  amount: Cents;
  fee: Cents | null;
  vat: Cents;
  credit: Cents;
  customerId: CustomerId | null;
}): readonly Posting[] => {
  const fee = payment.fee ?? ZERO;
  const earned = subtract(payment.amount, payment.credit);
  return assertBalanced([
    post("gateway_clearing", subtract(payment.amount, fee)),
    post("gateway_fees", fee),
    post("revenue", negative(subtract(earned, payment.vat)), payment.customerId),
    post("vat_output", negative(payment.vat)),
    post("customer_credit", negative(payment.credit), payment.customerId),
  ]);
};

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
