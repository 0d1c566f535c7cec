import { type Cents, cents, formatMoney, subtract, sum, ZERO } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { addSeconds, DAY_SECONDS, type Instant, secondsBetween } from "../../kernel/time.ts";
import type { Transaction } from "./types.ts";

type RequiredField =
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

/** A new transaction: pending, with empty values for what is not given. */
export const newTransaction = (given: Pick<Transaction, RequiredField> & Partial<Transaction>): Transaction => ({
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

/** The total of all refunds that have not failed, in cents (interface 2.7). */
export const refundedAmount = (refunds: readonly Refund[]): Cents =>
  sum(refunds.filter((refund) => refund.status !== "failed").map((refund) => refund.amount));

/** What can still be refunded, in cents. */
export const refundableAmount = (transaction: Transaction, refunds: readonly Refund[]): Cents =>
  subtract(transaction.amount, refundedAmount(refunds));

/** How a reported fact differs from the payment, as text for staff. */
export interface Mismatch {
  readonly what: "amount" | "currency" | "account";
  readonly expected: string;
  readonly received: string;
}

/** How the reported money differs from the requested money; null when it does not (decision 25). */
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

/** How much of a refund is taken from the credit that an overpayment made, in cents: credit first (interface 16.21). */
export function refundFromCredit(overpaid: Cents, refundedBefore: Cents, amount: Cents): Cents {
  return cents(Math.min(overpaid, refundedBefore + amount) - Math.min(overpaid, refundedBefore));
}

/** Minutes after the start of a payment at which its gateway is asked about it; after the last, once a day. */
const CHECK_MINUTES = [1, 3, 10, 30, 60, 180, 360, 720, 1440, 2880, 4320];

/** Seconds after which a payment that its gateway does not know is cancelled (interface 3.1, "abandons"). */
export const ABANDONED_AFTER_SECONDS = 3 * DAY_SECONDS;

/** When the gateway is next asked about a payment that was started at `startedAt` and is pending at `now`. */
export function nextCheck(startedAt: Instant, now: Instant): Instant {
  const minutes = secondsBetween(startedAt, now) / 60;
  const next = CHECK_MINUTES.find((candidate) => candidate > minutes);
  return next === undefined ? addSeconds(now, DAY_SECONDS) : addSeconds(startedAt, next * 60);
}
