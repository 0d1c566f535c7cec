import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { DISPUTED_LIMIT_PERCENT, percent, rounded, UNPAID_LIMIT_PERCENT } from "./rules.ts";
import type { BatchDebit, BatchFigures, DebitBatch, ReturnedDebit, UnpaidDebit } from "./types.ts";

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
  const all = recent + batch.debits;
  return {
    ...debitBatchSummary(batch),
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
    },
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
