import { customerReferenceView } from "../../domain/customer-reference.ts";
import type { Refund } from "../../domain/refunds.ts";
import type { Reversal } from "../../domain/reversal.ts";
import { subtract, sum, toRand } from "../../kernel/money.ts";
import { percentOrNull } from "../../kernel/percent.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { disputableUntil, lastDisputeDay, refundedAmount, standingReversals } from "./rules.ts";
import type { Attempts, DebitsOfDay, Risk, TransactionRecord } from "./types.ts";

/**
 * A transaction as the API shows it (interface 2.7). `invoiceNumber` repeats `number` (interface 9.5); `sandbox` is present only
 * when the money is not real; `flags` are for staff (interface 16.21).
 */
export const transactionView = ({ transaction, refunds, reversals, invoice }: Omit<TransactionRecord, "customer">) => ({
  reference: transaction.reference,
  status: transaction.status,
  amount: toRand(transaction.amount),
  fee: transaction.fee === null ? null : toRand(transaction.fee),
  net: transaction.fee === null ? null : toRand(subtract(transaction.amount, transaction.fee)),
  currency: transaction.currency,
  type: transaction.type,
  gateway: transaction.gatewayType,
  description: transaction.description,
  providerRef: transaction.providerRef,
  payerEmail: transaction.payerEmail,
  paymentLinkId: transaction.paymentLinkId,
  externalReference: transaction.externalReference,
  eftOrderId: transaction.eftOrderId,
  metadata: transaction.metadata,
  renewal: transaction.renewal,
  parentReference: transaction.parentReference,
  subscriptionId: transaction.subscriptionId,
  refundedAmount: toRand(refundedAmount(refunds)),
  refunds: refunds.filter((refund) => refund.status !== "failed").map(refundView),
  ...reversalsView(reversals),
  ...disputableView(transaction),
  ...declinedView(transaction),
  ...(transaction.card && { card: { brand: transaction.card.brand, last4: transaction.card.last4 } }),
  invoice: invoice && { ...invoice, invoiceNumber: invoice.number },
  flags: transaction.flags,
  ...(transaction.sandbox ? { sandbox: true as const } : {}),
  paidAt: toTimestampOrNull(transaction.paidAt),
  createdAt: toTimestamp(transaction.createdAt),
});

const refundView = (refund: Refund) => ({
  refundNumber: refund.refundNumber,
  amount: toRand(refund.amount),
  currency: refund.currency,
  status: refund.status === "processed" ? ("processed" as const) : ("pending" as const),
  ...(refund.madeElsewhere ? { madeElsewhere: true as const } : {}),
  processedAt: toTimestampOrNull(refund.processedAt),
  createdAt: toTimestamp(refund.createdAt),
});

/**
 * The reversals; absent while no bank has reversed it. A reversal that waits for its payment to complete is not shown,
 * nor one whose money came back.
 */
function reversalsView(reversals: readonly Reversal[]) {
  const shown = standingReversals(reversals).flatMap(({ amount, reason, code, reversedAt }) =>
    reversedAt === null ? [] : [{ amount: toRand(amount), reason, code, reversedAt: toTimestamp(reversedAt) }],
  );
  return shown.length > 0 ? { reversals: shown } : {};
}

/** Only for a debit that was collected. */
function disputableView(transaction: TransactionRecord["transaction"]) {
  const until = disputableUntil(transaction);
  return until === null ? {} : { disputableUntil: until };
}

/** Only for a payment that was declined, or came back unpaid. */
const declinedView = ({ status, declineReason }: TransactionRecord["transaction"]) =>
  status === "failed" || declineReason !== null ? { declineReason: declineReason ?? ("other" as const) } : {};

/** Interface 14.4: the money collected by debit order in a currency; `days` hold those of the currency, oldest first. */
export function moneyAtRiskView(currency: string, days: Readonly<Record<Risk, readonly DebitsOfDay[]>>) {
  const last = days.at_risk.at(-1);
  return {
    currency,
    safe: figureView("safe", days.safe),
    atRisk: {
      ...figureView("at_risk", days.at_risk),
      until: last ? lastDisputeDay(last.day) : null,
      days: days.at_risk.map(({ day, amount, count }) => ({
        until: lastDisputeDay(day),
        amount: toRand(amount),
        count,
      })),
    },
  };
}

/** A figure, with the list of its payments. */
const figureView = (risk: Risk, days: readonly DebitsOfDay[]) => ({
  amount: toRand(sum(days.map(({ amount }) => amount))),
  count: days.reduce((total, { count }) => total + count, 0),
  list: `/dashboard/api/transactions?risk=${risk}`,
});

/** Data of `refund.*` events (interface 6): the transaction, its customer and the refund. */
export const refundEventView = (record: TransactionRecord, refund: Refund) => ({
  ...paymentEventView(record),
  refund: {
    refundNumber: refund.refundNumber,
    amount: toRand(refund.amount),
    currency: refund.currency,
    status: refund.status === "requested" ? ("pending" as const) : refund.status,
    processedAt: toTimestampOrNull(refund.processedAt),
    createdAt: toTimestamp(refund.createdAt),
  },
});

/** Data of `payment.*` events (interface 6): the transaction and its customer. */
export const paymentEventView = (record: TransactionRecord) => ({
  ...transactionView(record),
  customer: record.customer && customerReferenceView(record.customer),
});

/** Interface 14.4: how attempts to pay ended, and how many of those that a bank or gateway decided succeeded. */
export function attemptsView(attempts: readonly Attempts[]) {
  const of = (outcome?: Attempts["outcome"]) =>
    countedView(outcome ? attempts.filter((one) => one.outcome === outcome) : attempts);
  const [succeeded, declined] = [of("succeeded"), of("declined")];
  return {
    attempts: of(),
    succeeded,
    declined,
    abandoned: of("abandoned"),
    pending: of("pending"),
    successPercent: percentOrNull(succeeded.count, succeeded.count + declined.count),
  };
}

/** Interface 14.4: the same for each method and gateway, the one with the most attempts first. */
export const attemptMethodsView = (attempts: readonly Attempts[]) =>
  [...Map.groupBy(attempts, ({ method, gateway }) => `${method} ${gateway}`).values()]
    .flatMap((own) => (own[0] ? [{ method: own[0].method, gateway: own[0].gateway, ...attemptsView(own) }] : []))
    .toSorted((one, other) => other.attempts.count - one.attempts.count);

/** Interface 14.4: why attempts were declined, the most frequent reason first. */
export const declineReasonsView = (attempts: readonly Attempts[]) =>
  [...Map.groupBy(attempts, ({ reason }) => reason)]
    .flatMap(([reason, own]) => (reason === null ? [] : [{ reason, ...countedView(own) }]))
    .toSorted((one, other) => other.count - one.count);

const countedView = (of: readonly Attempts[]) => ({
  amount: toRand(sum(of.map(({ amount }) => amount))),
  count: of.reduce((all, { count }) => all + count, 0),
});
