import { type Cents, cents, formatMoney, subtract, sum, ZERO } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { addSeconds, DAY_SECONDS, type Instant, secondsBetween } from "../../kernel/time.ts";
import type { Transaction } from "./types.ts";

type Begun =
  | "id"
  | "reference"
  | "amount"
  | "currency"
  | "type"
  | "gatewayAccountId"
  | "gatewayType"
  | "sandbox"
  | "description"
  | "createdAt";

/** A payment as it begins: pending, for nothing and of nobody but what is given. */
export const newTransaction = (given: Pick<Transaction, Begun> & Partial<Transaction>): Transaction => ({
  status: "pending",
  fee: null,
  providerRef: null,
  checkoutRef: null,
  payerEmail: null,
  paymentLinkId: null,
  invoiceId: null,
  eftOrderId: null,
  customerId: null,
  externalReference: null,
  metadata: {},
  renewal: false,
  parentReference: null,
  subscriptionId: null,
  handoffSealed: null,
  flags: [],
  overpaid: ZERO,
  paidAt: null,
  ...given,
});

/** What has been or may be given back: every refund that did not fail (interface 2.7). */
export const refundedAmount = (refunds: readonly Refund[]): Cents =>
  sum(refunds.filter((refund) => refund.status !== "failed").map((refund) => refund.amount));

/** What can still be given back. */
export const refundableAmount = (transaction: Transaction, refunds: readonly Refund[]): Cents =>
  subtract(transaction.amount, refundedAmount(refunds));

/** What of a piece of news is not what was asked, for people to compare. */
export interface Mismatch {
  readonly what: "amount" | "currency" | "account";
  readonly expected: string;
  readonly received: string;
}

/** Whether news of money is about the money that was asked for; null when it is, else what does not fit (decision 25). */
export function mismatchOf(
  asked: { amount: Cents; currency: string },
  reported: { amount: Cents; currency: string },
): Mismatch | null {
  if (reported.currency !== asked.currency)
    return { what: "currency", expected: asked.currency, received: reported.currency };
  if (reported.amount === asked.amount) return null;
  const [expected, received] = [asked, reported].map(({ amount, currency }) => formatMoney(amount, currency));
  return { what: "amount", expected: expected ?? "", received: received ?? "" };
}

/** How much of a refund comes out of the credit that an overpayment made: credit first (interface 16.21). */
export function refundFromCredit(overpaid: Cents, refundedBefore: Cents, amount: Cents): Cents {
  return cents(Math.min(overpaid, refundedBefore + amount) - Math.min(overpaid, refundedBefore));
}

/** Minutes after the start at which a payment left pending is asked about; then daily. */
const CHECK_MINUTES = [1, 3, 10, 30, 60, 180, 360, 720, 1440, 2880, 4320];

/** A payment that the gateway knows nothing of is given up after three days (interface 3.1, "abandons"). */
export const ABANDONED_AFTER_SECONDS = 3 * DAY_SECONDS;

/** When to ask next about a payment started at `startedAt` that is still pending at `now`. */
export function nextCheck(startedAt: Instant, now: Instant): Instant {
  const minutes = secondsBetween(startedAt, now) / 60;
  const next = CHECK_MINUTES.find((candidate) => candidate > minutes);
  return next === undefined ? addSeconds(now, DAY_SECONDS) : addSeconds(startedAt, next * 60);
}
