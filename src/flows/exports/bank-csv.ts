import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { AwaitedQuery, ItemQuery, RunQuery } from "../../modules/reconciliation/schema.ts";
import { type AwaitedPayment, awaitedAfter, awaitedPayments } from "../../modules/reconciliation/store/awaited.ts";
import { listItems, listRuns, runsOf } from "../../modules/reconciliation/store.ts";
import type { Item, Run } from "../../modules/reconciliation/types.ts";
import { reasonOf } from "../../modules/reconciliation/view.ts";
import { withNamed } from "../search/named-by.ts";
import { listExport } from "./csv-export.ts";

/* Exports of lists of bank statements, their lines, and payments that no statement has shown. */

/** A line with the bank account and currency of its statement. */
type LineRow = Item & Pick<Run, "account" | "currency">;

/** Lines of bank statements. */
export const bankLinesCsv = listExport<LineRow, typeof ItemQuery>({
  columns: {
    id: (row) => row.id,
    runId: (row) => row.runId,
    account: (row) => row.account,
    date: (row) => row.date,
    description: (row) => row.description,
    reference: (row) => row.reference,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    status: (row) => row.status,
    transactionReference: (row) => row.transactionReference,
    reason: (row) => reasonOf(row),
    matchedBy: (row) => row.matchedBy,
    matchedAt: (row) => toTimestampOrNull(row.matchedAt),
  },
  async list(tx, query) {
    const items = await listItems(tx, query);
    const runs = new Map((await runsOf(tx, items)).map((run) => [run.id, run]));
    return items.flatMap((item) => {
      const run = runs.get(item.runId);
      return run ? { ...item, account: run.account, currency: run.currency } : [];
    });
  },
});

/** Bank statements that were imported. */
export const statementsCsv = listExport<Run, typeof RunQuery>({
  columns: {
    id: (row) => row.id,
    account: (row) => row.account,
    source: (row) => row.source,
    status: (row) => row.status,
    periodStart: (row) => row.periodStart,
    periodEnd: (row) => row.periodEnd,
    items: (row) => String(row.totals.items),
    matched: (row) => String(row.totals.matched),
    unmatched: (row) => String(row.totals.unmatched),
    notReceived: (row) => String(row.totals.notReceived),
    amountMatched: (row) => row.totals.amountMatched,
    amountUnmatched: (row) => row.totals.amountUnmatched,
    currency: (row) => row.currency,
    fileName: (row) => row.fileName,
    failure: (row) => row.failure,
    startedAt: (row) => toTimestamp(row.startedAt),
    finishedAt: (row) => toTimestampOrNull(row.finishedAt),
  },
  list: listRuns,
});

/** Payments that no statement has shown, oldest first, in the order of the list. */
export const awaitedCsv = listExport<AwaitedPayment, typeof AwaitedQuery>({
  columns: {
    id: (row) => row.id,
    transactionReference: (row) => row.reference,
    type: (row) => row.type,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    customerId: (row) => row.customerId,
    eftOrderId: (row) => row.eftOrderId,
    paidAt: (row) => toTimestamp(row.paidAt),
  },
  async list(tx, { q, limit, startingAfter }) {
    const { named } = await withNamed(tx, { q });
    return awaitedPayments(tx, { named, limit, after: startingAfter ? await awaitedAfter(tx, startingAfter) : null });
  },
});
