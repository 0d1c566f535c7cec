import type { Refund } from "../../domain/refunds.ts";
import type { Reversal } from "../../domain/reversal.ts";
import { type Cents, cents, formatMoney, sum, ZERO } from "../../kernel/money.ts";
import {
  addDays,
  addSeconds,
  type CalendarDay,
  calendarDay,
  DAY_SECONDS,
  type Instant,
  secondsBetween,
  startOfDay,
  toTimestampOrNull,
} from "../../kernel/time.ts";
import type { DebitSpan, Risk, Transaction } from "./types.ts";

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
  reportedAt: null,
  declineReason: null,
  card: null,
  paidAt: null,
  ...given,
});

/**
 * Whether the payment is settled together with others in one set (decisions.md#debits-are-settled-in-sets): a debit of a mandate's own
 * amount. It is never more than was asked, so it changes nothing that its customer owes, and it shares no record with other payments except
 * its mandate. A debit that pays an invoice is settled alone.
 */
export const isSettledInSets = ({ type, invoiceId }: Pick<Transaction, "type" | "invoiceId">): boolean =>
  type === "debit_order" && invoiceId === null;

/** The total of all refunds that have not failed, in cents (interface 2.7). */
export const refundedAmount = (refunds: readonly Refund[]): Cents =>
  sum(refunds.filter((refund) => refund.status !== "failed").map((refund) => refund.amount));

/** The total that banks reversed, in cents; reversals that wait do not count. */
export const reversedAmount = (reversals: readonly Reversal[]): Cents =>
  sum(reversals.filter(({ reversedAt }) => reversedAt !== null).map(({ amount }) => amount));

/** The reversals that stand: without those that wait, and those whose money came back. */
export function standingReversals(reversals: readonly Reversal[]): readonly Reversal[] {
  const givenBack = new Set(reversals.map(({ givesBack }) => givesBack));
  return reversals.filter(({ id, amount, reversedAt }) => reversedAt !== null && amount > 0 && !givenBack.has(id));
}

/** What can still be refunded, in cents: neither refunded nor reversed by a bank, nor paid out of the customer's credit. */
export const refundableAmount = (
  transaction: Transaction,
  refunds: readonly Refund[],
  reversals: readonly Reversal[],
  paidOut: Cents,
): Cents => cents(Math.max(0, transaction.amount - refundedAmount(refunds) - reversedAmount(reversals) - paidOut));

/**
 * The difference between a reported fact and the payment, as text for staff. `second_payment`: the gateway's id of the
 * payment, when the payer paid again under the reference of a completed one. `refund`: what was refunded in the
 * gateway's own dashboard, when it is more than is left. `renewal`: what a gateway collected for a subscription, when
 * it is not the subscription's amount.
 */
export interface Mismatch {
  readonly what: "amount" | "currency" | "account" | "second_payment" | "refund" | "renewal";
  readonly expected: string;
  readonly received: string;
}

/** How the reported money differs from the requested money; null when it does not (decisions.md#mismatch-is-not-applied). */
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

/**
 * The mismatch of a report that money was paid, when the gateway's id in it is not that of the payment, which has completed: a second
 * payment under one reference (decisions.md#second-payment-under-one-reference). Null when either has no id.
 */
export function secondPayment(payment: Pick<Transaction, "paidAt" | "providerRef">, reported: string | null) {
  const { paidAt, providerRef } = payment;
  const another = paidAt !== null && providerRef !== null && reported !== null && reported !== providerRef;
  return another ? ({ what: "second_payment", expected: providerRef, received: reported } satisfies Mismatch) : null;
}

/**
 * How much of a refund or reversal is taken from the credit that an overpayment made, in cents: credit first (interface 16.21).
 * `takenBefore` is what refunds and reversals took before; `overpaid` is without what was paid out of it (interface 18.1).
 */
export function refundFromCredit(overpaid: Cents, takenBefore: Cents, amount: Cents): Cents {
  return cents(Math.min(overpaid, takenBefore + amount) - Math.min(overpaid, takenBefore));
}

/**
 * The part of a reversal, in cents, that undoes an application of the payment or its revenue: the amount above its
 * overpaid amount. Refunds do not change it, since they did not reopen the invoice. So the order of refunds and
 * reversals does not matter.
 */
export function undoneByReversal(overpaid: Cents, reversedBefore: Cents, amount: Cents): Cents {
  return cents(Math.max(0, reversedBefore + amount - overpaid) - Math.max(0, reversedBefore - overpaid));
}

/** The VAT in the cents of an earned amount from `from` to `to`, when `vat` is the VAT in all `earned` cents; parts add up to the whole. */
export function vatInPart(vat: Cents, earned: Cents, { from, to }: { from: Cents; to: Cents }): Cents {
  const upTo = (part: Cents) => Number((2n * BigInt(vat) * BigInt(part) + BigInt(earned)) / (2n * BigInt(earned)));
  return earned === 0 ? ZERO : cents(upTo(to) - upTo(from));
}

/** Whether a report is about a reversal that is known: the bank's code and time are equal (decisions.md#same-reversal). */
export const isSameReversal = (
  known: Pick<Reversal, "code" | "occurredAt">,
  reported: Pick<Reversal, "code" | "occurredAt">,
): boolean =>
  known.code === reported.code && toTimestampOrNull(known.occurredAt) === toTimestampOrNull(reported.occurredAt);

/** For this many days after the day on which a debit was collected, its payer may dispute it at the bank (interface 16.20). */
const DISPUTE_DAYS = 60;

/** The last day on which a debit that was collected on `day` can be disputed. */
export const lastDisputeDay = (day: CalendarDay): CalendarDay => addDays(day, DISPUTE_DAYS);

/**
 * The overview shows the debits collected in this many days, including today: the days in which a batch's forecast
 * counts unpaid debits.
 */
const SHOWN_DAYS = 90;

/** The times at which debits were collected that can still be disputed at `now`, or no longer; within the days that the overview shows. */
export function debitSpan(risk: Risk, now: Instant): DebitSpan {
  const dayFromToday = (days: number) => startOfDay(addDays(calendarDay(now), days));
  return risk === "at_risk"
    ? { risk, from: dayFromToday(-DISPUTE_DAYS), until: dayFromToday(1) }
    : { risk, from: dayFromToday(1 - SHOWN_DAYS), until: dayFromToday(-DISPUTE_DAYS) };
}

/** The last day on which a payment can be disputed; null for a payment that is no debit, or was not collected. */
export const disputableUntil = ({ type, paidAt }: Pick<Transaction, "type" | "paidAt">): CalendarDay | null =>
  type === "debit_order" && paidAt ? lastDisputeDay(calendarDay(paidAt)) : null;

/** Whether a payment can still be disputed at `now`. */
export function isDisputable(payment: Pick<Transaction, "type" | "paidAt">, now: Instant): boolean {
  const until = disputableUntil(payment);
  return until !== null && calendarDay(now) <= until;
}

/**
 * Whether the payment charges the stored card of a gateway subscription, without a payer, and the gateway's answer to
 * it is not known: there is neither a page nor an id by which the gateway could be asked about it, only our reference.
 */
export const isLostRetry = ({
  type,
  renewal,
  paymentLinkId,
  providerRef,
}: Pick<Transaction, "type" | "renewal" | "paymentLinkId" | "providerRef">): boolean =>
  type === "recurring" && renewal && paymentLinkId === null && providerRef === null;

/** Whether the payment was reported as paid, and waits until its gateway's statement names it; one that was flagged waits no longer. */
export const waitsForStatement = ({
  status,
  reportedAt,
  flags,
}: Pick<Transaction, "status" | "reportedAt" | "flags">): boolean =>
  status === "pending" && reportedAt !== null && !flags.includes("not_on_statement");

/** Who confirms a payment: its gateway while the payer waits; in days, the bank of a saved card, or the gateway's statement. */
export type ConfirmedBy = "gateway" | "saved_card" | "statement";

/** Who confirms the payment. */
export function confirmedBy(payment: Pick<Transaction, "type" | "status" | "reportedAt" | "flags">): ConfirmedBy {
  if (payment.type === "card_debit") return "saved_card";
  return waitsForStatement(payment) ? "statement" : "gateway";
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
