// Writes: accounting_months. Reads nothing else.

import { lockName, shareName } from "../../domain/locks.ts";
import type { AccountingMonthsRow } from "../../domain/rows.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import type { AccountingMonth } from "./types.ts";

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

/** Closes every month from `from` to `to`, both their first days, that is not closed. */
export function closeMonths(
  tx: Tx,
  months: { from: CalendarDay; to: CalendarDay },
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
export function reopenMonths(tx: Tx, from: CalendarDay): void {
  tx.queue`delete from accounting_months where organisation_id = ${tx.organisation} and month >= ${from}`;
}
