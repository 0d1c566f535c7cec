// Writes: accounting_months. Reads: journal_lines, journal_entries (what was posted in a month, and when the first was).

import { lockName, shareName } from "../../domain/locks.ts";
import type { AccountingMonthsRow } from "../../domain/rows.ts";
import { cents } from "../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { AccountingMonth, LedgerRecord, LedgerTotal, MonthLedgerAccount } from "./types.ts";

/** Locks the months, so that closing and reopening run one after the other, and after the postings that hold `shareMonths`. */
export const lockMonths = (tx: Tx): void => lockName(tx, "accounting months", "");

/**
 * Takes a shared lock on the months until the transaction ends, so that none is closed or reopened
 * (decisions.md#closing-excludes-earlier-postings): for postings into a month before the present one.
 */
export const shareMonths = (tx: Tx): void => shareName(tx, "accounting months", "");

/** The closed months, newest first. */
export async function closedMonths(tx: Tx): Promise<AccountingMonth[]> {
  const rows = await tx.sql<AccountingMonthsRow>`
    select * from accounting_months where organisation_id = ${tx.organisation} order by month desc`;
  return rows.map((row) => ({ month: row.month, closedAt: row.closed_at, closedBy: row.closed_by }));
}

/** The time of the first posted entry; null when there is none. */
export async function firstPosted(tx: Tx): Promise<Instant | null> {
  const [row] = await tx.sql<{ first: Instant | null }>`
    select min(occurred_at) as first from journal_lines where organisation_id = ${tx.organisation}`;
  return row?.first ?? null;
}

/** Closes every month from `from` to `to`, both their first days, that is not closed. */
export function closeMonths(
  tx: Tx,
  months: { from: BusinessDay; to: BusinessDay },
  at: Instant,
  by: string | null,
): void {
  tx.queue`
    insert into accounting_months (organisation_id, month, closed_at, closed_by)
    select ${tx.organisation}, m::date, ${at}, ${by}
      from generate_series(${months.from}::timestamp, ${months.to}::timestamp, interval '1 month') as m
    on conflict (organisation_id, month) do nothing returning month`;
}

/** Reopens a month and every month after it. */
export function reopenMonths(tx: Tx, from: BusinessDay): void {
  tx.queue`delete from accounting_months where organisation_id = ${tx.organisation} and month >= ${from}`;
}

/** The sums posted to each ledger account from `from` until before `until`. */
export async function ledgerTotals(tx: Tx, from: Instant, until: Instant): Promise<LedgerTotal[]> {
  const rows = await tx.sql<{ account: MonthLedgerAccount; currency: string; debit: number; credit: number }>`
    select account, currency, coalesce(sum(amount_cents) filter (where amount_cents > 0), 0)::bigint as debit,
           coalesce(-sum(amount_cents) filter (where amount_cents < 0), 0)::bigint as credit
      from journal_lines
     where organisation_id = ${tx.organisation} and occurred_at >= ${from} and occurred_at < ${until}
     group by account, currency order by currency, account`;
  return rows.map((row) => ({ ...row, debit: cents(row.debit), credit: cents(row.credit) }));
}

/** Which ledger account, since `from`, before `until`; a field that is null or left out does not filter. */
export interface LedgerQuery {
  readonly account: MonthLedgerAccount;
  readonly currency?: string | undefined;
  readonly from: Instant | null;
  readonly until: Instant | null;
  readonly after: string;
  readonly limit: number;
}

/** Entries with the sums that they posted to a ledger account, in the order of their ids, at most `limit` after the entry `after`. */
export async function ledgerRecords(tx: Tx, query: LedgerQuery): Promise<LedgerRecord[]> {
  const rows = await tx.sql<Omit<LedgerRecord, "occurredAt"> & { occurred_at: Instant }>`
    select e.id, e.kind, e.subject, e.occurred_at, e.description, s.currency, s.debit, s.credit
      from (select entry_id, currency, coalesce(sum(amount_cents) filter (where amount_cents > 0), 0)::bigint as debit,
                   coalesce(-sum(amount_cents) filter (where amount_cents < 0), 0)::bigint as credit
              from journal_lines where organisation_id = ${tx.organisation} and account = ${query.account} and entry_id > ${query.after}
               ${when(query.currency, (currency) => part`and currency = ${currency}`)}
               ${when(query.from, (from) => part`and occurred_at >= ${from}`)}
               ${when(query.until, (until) => part`and occurred_at < ${until}`)}
             group by entry_id, currency order by entry_id limit ${query.limit}) s
      join journal_entries e on e.organisation_id = ${tx.organisation} and e.id = s.entry_id
     order by e.id`;
  return rows.map(({ occurred_at, ...row }) => ({
    ...row,
    occurredAt: occurred_at,
    debit: cents(row.debit),
    credit: cents(row.credit),
  }));
}
