import { subtract, sum, toRand } from "../../kernel/money.ts";
import { percent } from "../../kernel/percent.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { DISPUTED_LIMIT_PERCENT, rounded, settlementDays, UNPAID_LIMIT_PERCENT } from "./rules.ts";
import type { BatchDebit, BatchFigures, DebitBatch, DecidedDebits, ReturnedDebit, UnpaidDebit } from "./types.ts";

/** A batch in a list (interface 14.2). */
export const debitBatchSummary = (batch: DebitBatch) => ({
  id: batch.id,
  object: "debit_batch" as const,
  actionDate: batch.actionDate,
  movedFrom: batch.movedFrom,
  status: batch.status,
  gateway: batch.gatewayAccountId,
  count: batch.debits,
  amount: toRand(batch.amount),
  currency: "ZAR" as const,
  problem: batch.problem,
  submittedAt: toTimestampOrNull(batch.submittedAt),
  completedAt: toTimestampOrNull(batch.completedAt),
  createdAt: toTimestamp(batch.createdAt),
});

/**
 * A batch with its results and forecast (interface 14.2). The percentages are of the debits of the last 90 days
 * together with this batch, with its expected outcome.
 */
export function debitBatchView(batch: DebitBatch, figures: BatchFigures, unpaidDebits: readonly UnpaidDebit[]) {
  const { collected, unpaid, pending, expectedUnpaid, recent, recentUnpaid, recentReversed } = figures;
  const { held, heldExpectedUnpaid } = figures;
  const all = recent + batch.debits;
  const expected = subtract(batch.amount, figures.expectedUnpaidAmount);
  return {
    ...debitBatchSummary(batch),
    heldBack: { count: held, amount: toRand(figures.heldAmount) },
    results: { collected, unpaid, pending },
    unpaidDebits: unpaidDebits.map((debit) => ({ ...debit, amount: toRand(debit.amount) })),
    forecast: {
      count: batch.debits,
      amount: toRand(batch.amount),
      expectedUnpaid: rounded(expectedUnpaid),
      unpaidPercent: percent(recentUnpaid + expectedUnpaid, all),
      unpaidLimitPercent: UNPAID_LIMIT_PERCENT,
      disputedPercent: percent(recentReversed, all),
      disputedLimitPercent: DISPUTED_LIMIT_PERCENT,
      expectedUnpaidAmount: toRand(figures.expectedUnpaidAmount),
      allUnpaidPercent: percent(recentUnpaid + expectedUnpaid + heldExpectedUnpaid, all + held),
    },
    settlement: settlementDays(batch.actionDate, expected, figures.settled).map((one) => ({
      day: one.day,
      expectedAmount: toRand(one.expected),
      paidAmount: toRand(one.paid),
      returnedAmount: toRand(one.returned),
    })),
  };
}

/** A debit in the list of its batch or mandate (interface 14.2). */
export const batchDebitView = (debit: BatchDebit) => ({
  reference: debit.reference,
  mandateId: debit.mandateId,
  debitBatchId: debit.batchId,
  debitDate: debit.debitDate,
  status: debit.status,
  amount: toRand(debit.amount),
  currency: "ZAR" as const,
  unpaidReason: debit.unpaidReason,
  unpaidCode: debit.unpaidCode,
  customerId: debit.customerId,
  customerName: debit.customerName,
  lastResult: debit.lastResult,
  unpaidInARow: debit.unpaidInARow,
  nextDebitDate: debit.nextDebitDate,
  heldBack: debit.heldBack && { ...debit.heldBack, at: toTimestamp(debit.heldBack.at) },
  heldFrom: debit.heldFrom,
});

/** A debit that was returned unpaid (interface 14.2); `payUrl` is the page on which its payer can pay it. */
export const returnedDebitView = (debit: ReturnedDebit, payUrl: string | null) => ({
  reference: debit.reference,
  customerId: debit.customerId,
  customerName: debit.customerName,
  mandateId: debit.mandateId,
  debitBatchId: debit.batchId,
  actionDate: debit.actionDate,
  amount: toRand(debit.amount),
  currency: "ZAR" as const,
  code: debit.code,
  reason: debit.reason,
  unpaidAt: toTimestamp(debit.unpaidAt),
  invoiceId: debit.invoiceId,
  paymentLinkId: debit.payLinkId,
  payUrl,
  settled: debit.settled,
});

/** Interface 14.4: how many of the debits of some days were returned unpaid, and how many taken back later. */
export function unpaidSpanView(decided: readonly DecidedDebits[]) {
  const of = (outcome?: DecidedDebits["outcome"]) => {
    const own = outcome ? decided.filter((one) => one.outcome === outcome) : decided;
    return {
      amount: toRand(sum(own.map(({ amount }) => amount))),
      count: own.reduce((all, { count }) => all + count, 0),
    };
  };
  const [presented, unpaid, disputed] = [of(), of("unpaid"), of("disputed")];
  return {
    presented,
    unpaid,
    disputed,
    unpaidPercent: percent(unpaid.count, presented.count),
    unpaidAmountPercent: percent(unpaid.amount, presented.amount),
    disputedPercent: percent(disputed.count, presented.count),
  };
}

/** Why debits were returned unpaid, the most frequent first. */
export function unpaidReasonsView(decided: readonly DecidedDebits[]) {
  const unpaid = decided.filter(({ outcome }) => outcome === "unpaid");
  const groups = Map.groupBy(unpaid, ({ code, reason }) => `${code ?? ""} ${reason ?? ""}`);
  return [...groups.values()]
    .map((own) => ({
      code: own[0]?.code ?? null,
      reason: own[0]?.reason ?? null,
      amount: toRand(sum(own.map(({ amount }) => amount))),
      count: own.reduce((all, { count }) => all + count, 0),
    }))
    .toSorted((one, other) => other.count - one.count);
}

/** The scheme's limits. */
export const LIMITS = {
  unpaidLimitPercent: UNPAID_LIMIT_PERCENT,
  disputedLimitPercent: DISPUTED_LIMIT_PERCENT,
};
