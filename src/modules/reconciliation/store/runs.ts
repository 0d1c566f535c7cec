// Writes: reconciliation_runs, reconciliation_items, reconciliation_allocations. Reads nothing else.

import { type ListQuery, newestFirst, onPage } from "../../../domain/lists.ts";
import { locking, lockName } from "../../../domain/locks.ts";
import type {
  ReconciliationAllocationsRow,
  ReconciliationItemsRow,
  ReconciliationRunsRow,
} from "../../../domain/rows.ts";
import type { GatewayAccountId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import { type CalendarDay, endOfDay, type Instant, startOfDay } from "../../../kernel/time.ts";
import { type Part, part, type Tx, when } from "../../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";
import type {
  Allocation,
  Item,
  ItemId,
  ItemStatus,
  MatchReason,
  NewItem,
  Run,
  RunId,
  RunSource,
  RunTotals,
} from "../types.ts";

const runFromRow = (row: ReconciliationRunsRow): Run => ({
  id: row.id,
  source: row.source,
  account: row.account,
  gatewayAccountId: row.gateway_account_id,
  status: row.status,
  currency: row.currency,
  periodStart: row.period_start,
  periodEnd: row.period_end,
  totals: {
    items: row.item_count,
    matched: row.matched_count,
    unmatched: row.unmatched_count,
    notReceived: row.not_received_count,
    amountMatched: row.matched_cents,
    amountUnmatched: row.unmatched_cents,
  },
  fileName: row.file_name,
  failure: row.failure,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  rows: row.row_counts as Run["rows"],
  warnings: row.warnings as Run["warnings"] & object,
  withdrawnAt: row.withdrawn_at,
  withdrawnBy: row.withdrawn_by,
});

const itemFromRow = (row: ReconciliationItemsRow): Item => ({
  id: row.id,
  runId: row.run_id,
  place: row.place,
  date: row.date,
  description: row.description,
  amount: row.amount_cents,
  reference: row.reference,
  status: row.status,
  transactionReference: row.transaction_reference,
  matchId: row.match_id as Item["matchId"],
  reason: row.reason as MatchReason | null,
  matchedBy: row.matched_by,
  matchedAt: row.matched_at,
  ignoredBecause: row.ignored_because,
});

/**
 * Locks the matches of an organisation until the transaction ends, so that no payment is matched twice: imports and
 * matches by hand run one after the other. It is the first lock of such a change.
 */
export const lockReconciliation = (tx: Tx): void => lockName(tx, "reconciliation", "matches");

/** Inserts a run. */
export function insertRun(tx: Tx, run: Run): void {
  tx.queue`
    insert into reconciliation_runs (organisation_id, id, source, account, gateway_account_id, status, currency, period_start, period_end,
      item_count, matched_count, unmatched_count, not_received_count, matched_cents, unmatched_cents, file_name,
      failure, started_at, finished_at, warnings)
    values (${tx.organisation}, ${run.id}, ${run.source}, ${run.account}, ${run.gatewayAccountId}, ${run.status}, ${run.currency},
      ${run.periodStart}, ${run.periodEnd}, ${run.totals.items}, ${run.totals.matched}, ${run.totals.unmatched}, ${run.totals.notReceived},
      ${run.totals.amountMatched}, ${run.totals.amountUnmatched}, ${run.fileName}, ${run.failure}, ${run.startedAt}, ${run.finishedAt},
      ${JSON.stringify(run.warnings)})`;
}

/** Ends a run and stores the sums of its items, and what became of the rows of its file. */
export async function finishRun(tx: Tx, { id, rows }: Pick<Run, "id" | "rows">, now: Instant): Promise<Run | null> {
  const counts = rows === null ? null : JSON.stringify(rows);
  const [row] = await tx.sql<ReconciliationRunsRow>`
    with items as (
      select count(*)::integer as items, count(*) filter (where status = 'matched')::integer as matched,
             count(*) filter (where status = 'unmatched')::integer as unmatched,
             count(*) filter (where status = 'not_received')::integer as not_received,
             coalesce(sum(amount_cents) filter (where status = 'matched'), 0)::bigint as matched_cents,
             coalesce(sum(amount_cents) filter (where status = 'unmatched'), 0)::bigint as unmatched_cents
        from reconciliation_items where organisation_id = ${tx.organisation} and run_id = ${id})
    update reconciliation_runs r
       set status = 'completed', finished_at = ${now}, item_count = i.items, matched_count = i.matched, unmatched_count = i.unmatched,
           not_received_count = i.not_received, matched_cents = i.matched_cents, unmatched_cents = i.unmatched_cents,
           row_counts = ${counts}::jsonb
      from items i where r.organisation_id = ${tx.organisation} and r.id = ${id} returning r.*`;
  return row ? runFromRow(row) : null;
}

/** Adds changes by staff to the totals of a run. */
export function addToTotals(
  tx: Tx,
  run: RunId,
  changes: Pick<RunTotals, "matched" | "amountMatched" | "unmatched" | "amountUnmatched">,
): void {
  tx.queue`
    update reconciliation_runs set matched_count = matched_count + ${changes.matched},
      unmatched_count = unmatched_count + ${changes.unmatched},
      matched_cents = matched_cents + ${changes.amountMatched}, unmatched_cents = unmatched_cents + ${changes.amountUnmatched}
     where organisation_id = ${tx.organisation} and id = ${run}`;
}

/** Null when absent or another organisation's. */
export async function findRun(tx: Tx, id: string): Promise<Run | null> {
  const [row] = await tx.sql<ReconciliationRunsRow>`
    select * from reconciliation_runs where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? runFromRow(row) : null;
}

/** Whether a run of a gateway's statement of a day has failed since a time. */
export async function hasFailedFeed(
  tx: Tx,
  account: GatewayAccountId,
  { day, since }: { readonly day: CalendarDay; readonly since: Instant },
): Promise<boolean> {
  const rows = await tx.sql`
    select id from reconciliation_runs
     where organisation_id = ${tx.organisation} and started_at >= ${since} and gateway_account_id = ${account} and status = 'failed'
       and period_start = ${day} limit 1`;
  return rows.length > 0;
}

/** Days, inclusive, on which runs began; `q` searches accounts. */
export type RunQuery = ListQuery & {
  readonly from?: CalendarDay | undefined;
  readonly to?: CalendarDay | undefined;
  readonly source?: RunSource | undefined;
};

/** Newest first by their start. */
export async function listRuns(tx: Tx, query: RunQuery): Promise<Run[]> {
  const { from, to, source, startingAfter, endingBefore, q, limit } = query;
  const rows = await tx.sql<ReconciliationRunsRow>`
    select * from reconciliation_runs r where r.organisation_id = ${tx.organisation}
      ${when(from, (value) => part`and r.started_at >= ${startOfDay(value)}`)}
      ${when(to, (value) => part`and r.started_at <= ${endOfDay(value)}`)}
      ${when(source, (value) => part`and r.source = ${value}`)}
      ${when(
        startingAfter,
        (value) => part`and (r.started_at, r.id) < (select a.started_at, a.id
          from reconciliation_runs a where a.organisation_id = ${tx.organisation} and a.id = ${value})`,
      )}
      ${when(
        endingBefore,
        (value) => part`and (r.started_at, r.id) > (select a.started_at, a.id
          from reconciliation_runs a where a.organisation_id = ${tx.organisation} and a.id = ${value})`,
      )}
      ${when(q || null, (value) => part`and strpos(lower(r.account), lower(${value})) > 0`)}
     ${endingBefore === undefined ? part`order by r.started_at desc, r.id desc` : part`order by r.started_at, r.id`} limit ${limit}`;
  return rows.map(runFromRow);
}

const ITEM: RowColumns<NewItem> = {
  id: ["text", ({ id }) => id],
  run_id: ["text", ({ runId }) => runId],
  place: ["integer", ({ place }) => place],
  date: ["date", ({ date }) => date],
  description: ["text", ({ description }) => description],
  amount_cents: ["bigint", ({ amount }) => amount],
  reference: ["text", ({ reference }) => reference],
  status: ["text", ({ status }) => status],
  line_key: ["bytea", ({ key }) => key],
  occurrence: ["integer", ({ occurrence }) => occurrence],
  bank_key: ["bytea", ({ bankKey }) => bankKey],
  transaction_reference: ["text", ({ transactionReference }) => transactionReference],
  match_id: ["text", ({ matchId }) => matchId],
  reason: ["text", ({ reason }) => reason],
  matched_at: ["timestamptz", ({ matchedAt }) => matchedAt],
};

/** Inserts items, in one statement. */
export function insertItems(tx: Tx, items: readonly NewItem[]): void {
  if (items.length === 0) return;
  tx.queue`
    insert into reconciliation_items (organisation_id, id, run_id, place, date, description, amount_cents, reference,
                                      status, line_key, occurrence, bank_key, transaction_reference, match_id, reason,
                                      matched_at)
    select ${tx.organisation}, n.* from ${rowsOf(items, ITEM)} returning place`;
}

/** The fields of an item that matching sets. */
export type MatchedItem = Pick<Item, "id" | "matchId" | "reason" | "transactionReference" | "matchedBy" | "matchedAt">;

const MATCHED: RowColumns<MatchedItem> = {
  id: ["text", ({ id }) => id],
  match_id: ["text", ({ matchId }) => matchId],
  reason: ["text", ({ reason }) => reason],
  transaction_reference: ["text", ({ transactionReference }) => transactionReference],
  matched_by: ["text", ({ matchedBy }) => matchedBy],
  matched_at: ["timestamptz", ({ matchedAt }) => matchedAt],
};

/** Marks unmatched items as matched. The caller holds `lockReconciliation`. */
export function markMatched(tx: Tx, items: readonly MatchedItem[]): void {
  if (items.length === 0) return;
  tx.queue`
    update reconciliation_items i set status = 'matched', match_id = n.match_id, reason = n.reason,
      transaction_reference = n.transaction_reference, matched_by = n.matched_by, matched_at = n.matched_at
      from ${rowsOf(items, MATCHED)} where i.organisation_id = ${tx.organisation} and i.id = n.id and i.status = 'unmatched'`;
}

/** Marks an unmatched item as ignored. The caller holds `lockReconciliation`. */
export function markIgnored(
  tx: Tx,
  id: ItemId,
  { reason, by, now }: { readonly reason: string; readonly by: string; readonly now: Instant },
): void {
  tx.queue`
    update reconciliation_items set status = 'ignored', ignored_because = ${reason}, matched_by = ${by}, matched_at = ${now}
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'unmatched'`;
}

/** Makes a matched or ignored item unmatched again. The caller holds `lockReconciliation`. */
export function markUnmatched(tx: Tx, id: ItemId): void {
  tx.queue`
    update reconciliation_items set status = 'unmatched', match_id = null, reason = null, transaction_reference = null,
      matched_by = null, matched_at = null, ignored_because = null
     where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Null when absent or another organisation's. */
export async function findItem(tx: Tx, id: string): Promise<Item | null> {
  const [row] = await tx.sql<ReconciliationItemsRow>`
    select * from reconciliation_items where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? itemFromRow(row) : null;
}

const ITEMS_TOGETHER = 1000;

/** Items of a run after a position, in the order of its statement, at most a thousand. */
export async function itemsAfter(tx: Tx, run: RunId, place: number): Promise<Item[]> {
  const rows = await tx.sql<ReconciliationItemsRow>`
    select * from reconciliation_items where organisation_id = ${tx.organisation} and run_id = ${run} and place > ${place}
     order by place limit ${ITEMS_TOGETHER}`;
  return rows.map(itemFromRow);
}

/** Unmatched items of a run after a position, at most `limit`. */
export async function unmatchedAfter(tx: Tx, run: RunId, place: number, limit: number): Promise<Item[]> {
  const rows = await tx.sql<ReconciliationItemsRow>`
    select * from reconciliation_items where organisation_id = ${tx.organisation} and run_id = ${run}
        and place > ${place} and status = 'unmatched'
     order by place limit ${limit}`;
  return rows.map(itemFromRow);
}

/** Matched items of a run after a position, at most `limit`. */
export async function matchedAfter(tx: Tx, run: RunId, place: number, limit: number): Promise<Item[]> {
  const rows = await tx.sql<ReconciliationItemsRow>`
    select * from reconciliation_items where organisation_id = ${tx.organisation} and run_id = ${run}
        and place > ${place} and status = 'matched'
     order by place limit ${limit}`;
  return rows.map(itemFromRow);
}

/** The runs of these items, each once. */
export async function runsOf(tx: Tx, items: readonly Item[]): Promise<Run[]> {
  if (items.length === 0) return [];
  const rows = await tx.sql<ReconciliationRunsRow>`
    select * from reconciliation_runs where organisation_id = ${tx.organisation}
        and id = any(${[...new Set(items.map(({ runId }) => runId))]})`;
  return rows.map(runFromRow);
}

/** Condition on the line `i`: it is matched as a payout, of one gateway account where that is given. */
const isPayout = (tx: Tx, gatewayId: string | undefined): Part => part`and exists (
  select 1 from reconciliation_allocations a
   where a.organisation_id = ${tx.organisation} and a.item_id = i.id and a.kind = 'payout' and a.undone_at is null
     ${when(gatewayId, (id) => part`and a.subject = ${id}`)})`;

/** Newest first; `account` and `runId` filter; `q` searches descriptions, references and amounts, whichever way the money went. */
export async function listItems(
  tx: Tx,
  query: ListQuery<"runId" | "account" | "payout" | "gatewayId"> & {
    readonly status?: readonly ItemStatus[] | undefined;
  },
): Promise<Item[]> {
  const { status, runId, account, payout, gatewayId, q } = query;
  const rows = await tx.sql<ReconciliationItemsRow>`
    select i.* from reconciliation_items i
      join reconciliation_runs r on r.organisation_id = ${tx.organisation} and r.id = i.run_id
     where i.organisation_id = ${tx.organisation}
      ${when(status, (value) => part`and i.status = any (${value})`)}
      ${when(runId, (value) => part`and i.run_id = ${value}`)}
      ${when(account, (value) => part`and r.account = ${value}`)}
      ${when(payout ?? gatewayId, () => isPayout(tx, gatewayId))}
      ${onPage(query, part`i.id`)}
      ${when(
        q || null,
        (
          value,
        ) => part`and (strpos(lower(concat_ws(' ', i.description, i.reference, i.transaction_reference)), lower(${value})) > 0
          or abs(i.amount_cents) = any (${query.named?.amounts ?? []}::bigint[]))`,
      )}
     ${newestFirst(query, part`i.id`)}`;
  return rows.map(itemFromRow);
}

/** How many lines are unmatched, and the sums of their amounts in cents above zero, by currency; of one account, or of all. */
export async function leftToMatch(tx: Tx, account: string | undefined) {
  return tx.sql<{ currency: string; lines: number; received: Cents; paid: Cents }>`
    select r.currency, count(*)::int as lines, coalesce(sum(i.amount_cents) filter (where i.amount_cents > 0), 0)::bigint as received,
           coalesce(-sum(i.amount_cents) filter (where i.amount_cents < 0), 0)::bigint as paid
      from reconciliation_items i
      join reconciliation_runs r on r.organisation_id = ${tx.organisation} and r.id = i.run_id
     where i.organisation_id = ${tx.organisation} and i.status = 'unmatched'
      ${when(account, (value) => part`and r.account = ${value}`)}
     group by r.currency order by r.currency`;
}

const ALLOCATION: RowColumns<Allocation> = {
  match_id: ["text", ({ matchId }) => matchId],
  place: ["smallint", ({ place }) => place],
  item_id: ["text", ({ itemId }) => itemId],
  kind: ["text", ({ kind }) => kind],
  subject: ["text", ({ subject }) => subject],
  amount_cents: ["bigint", ({ amount }) => amount],
  posted: ["boolean", ({ posted }) => posted],
  recorded: ["boolean", ({ recorded }) => recorded],
  invoiced: ["boolean", ({ invoiced }) => invoiced],
  invoice_id: ["text", ({ invoiceId }) => invoiceId],
};

/** Inserts allocations, in one statement. */
export function insertAllocations(tx: Tx, allocations: readonly Allocation[]): void {
  if (allocations.length === 0) return;
  tx.queue`
    insert into reconciliation_allocations (organisation_id, match_id, place, item_id, kind, subject, amount_cents,
                                            posted, recorded, invoiced, invoice_id)
    select ${tx.organisation}, n.* from ${rowsOf(allocations, ALLOCATION)} returning place`;
}

const allocationFromRow = (row: ReconciliationAllocationsRow): Allocation => ({
  matchId: row.match_id as Allocation["matchId"],
  place: row.place,
  itemId: row.item_id,
  kind: row.kind,
  subject: row.subject,
  amount: row.amount_cents,
  posted: row.posted,
  recorded: row.recorded,
  invoiced: row.invoiced,
  invoiceId: row.invoice_id,
  undoneAt: row.undone_at,
});

/** The allocations of these items that are not undone, in their order. */
export async function allocationsOf(tx: Tx, items: readonly ItemId[]): Promise<Allocation[]> {
  const rows = await tx.sql<ReconciliationAllocationsRow>`
    select * from reconciliation_allocations where organisation_id = ${tx.organisation} and item_id = any (${items}) and undone_at is null
     order by match_id, place`;
  return rows.map(allocationFromRow);
}

/** Whether a line of a bank statement is matched with this payment. The caller holds `lockReconciliation`. */
export async function isShownByLine(tx: Tx, payment: string): Promise<boolean> {
  const rows = await tx.sql`
    select 1 from reconciliation_allocations
     where organisation_id = ${tx.organisation} and subject = ${payment} and undone_at is null limit 1`;
  return rows.length > 0;
}

/** Ends the allocations of matches. The caller holds `lockReconciliation`. */
export function undoAllocationsOf(tx: Tx, matches: readonly string[], now: Instant): void {
  locking(tx, "reconciliation").queue`
    update reconciliation_allocations set undone_at = ${now}
     where organisation_id = ${tx.organisation} and match_id = any (${matches}) and undone_at is null`;
}
