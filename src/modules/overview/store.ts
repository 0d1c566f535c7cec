// Writes nothing. Reads nothing else.

import { fromDaySums } from "../../domain/day-sums.ts";
import type { OrganisationId } from "../../kernel/ids.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import type { Database, Tx } from "../../platform/database.ts";
import type { DayTotal, OwedTotal } from "./types.ts";

/**
 * The amounts paid since the day `from`, by currency and South African day, oldest first; later refunds and reversals
 * are not subtracted.
 */
export const collectedByDay = (tx: Tx, from: BusinessDay): Promise<DayTotal[]> => tx.sql<DayTotal>`
  select currency, day, sum(amount_cents)::bigint as amount, sum(records)::integer as count
    ${fromDaySums(tx, "collected")} and day >= ${from}
   group by 1, 2 having sum(records) <> 0 order by 1, 2`;

/** The amounts due of open invoices, by currency; the part that was due before `today` is overdue. */
export const owedTotals = (tx: Tx, today: BusinessDay): Promise<OwedTotal[]> => tx.sql<OwedTotal>`
  select currency, sum(amount_cents)::bigint as amount, sum(records)::integer as count,
         coalesce(sum(amount_cents) filter (where day < ${today}), 0)::bigint as overdue,
         coalesce(sum(records) filter (where day < ${today}), 0)::integer as "overdueCount"
    ${fromDaySums(tx, "open")} group by 1 having sum(records) <> 0 order by 1`;

/**
 * Brings together the sums of days that connections have kept apart (decisions.md#sums-by-day), of every organisation.
 * Harmless in several processes at once.
 */
export async function foldDaySums(db: Pick<Database, "sql" | "transaction">): Promise<void> {
  for (const { id } of await db.sql<{ id: OrganisationId }>`select organisations_with_new_sums() as id`)
    await db.transaction(id, async (tx) => tx.queue`select fold_day_sums(${id})`);
}
