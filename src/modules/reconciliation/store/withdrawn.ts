// Writes: reconciliation_runs, reconciliation_items. Reads nothing else.
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import type { RunId } from "../types.ts";

/** How many lines of a run staff have matched by hand. */
export async function byHandOf(tx: Tx, run: RunId): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from reconciliation_items
     where organisation_id = ${tx.organisation} and run_id = ${run} and status = 'matched' and reason = 'by_hand'`;
  return row?.count ?? 0;
}

/**
 * Leaves out the lines of a run, removes the payments that it lacked, and notes who withdrew it. The caller holds
 * `lockReconciliation` and has undone the allocations.
 */
export function withdrawLines(tx: Tx, run: RunId, { by, now }: { readonly by: string; readonly now: Instant }): void {
  tx.queue`
    delete from reconciliation_items where organisation_id = ${tx.organisation} and run_id = ${run} and status = 'not_received'`;
  tx.queue`
    update reconciliation_items set status = 'ignored', ignored_because = 'The statement was withdrawn',
      matched_by = ${by}, matched_at = ${now}, match_id = null, reason = null, transaction_reference = null
     where organisation_id = ${tx.organisation} and run_id = ${run} and status <> 'duplicate'`;
  tx.queue`
    update reconciliation_runs set withdrawn_at = ${now}, withdrawn_by = ${by}, item_count = item_count - not_received_count,
      matched_count = 0, unmatched_count = 0, not_received_count = 0, matched_cents = 0, unmatched_cents = 0
     where organisation_id = ${tx.organisation} and id = ${run}`;
}

/**
 * When a run is withdrawn, lines of other statements that repeated its lines count again: the earliest repetition of
 * each becomes unmatched.
 */
export function reviveDuplicates(tx: Tx, run: RunId): void {
  tx.queue`
    with gone as materialized (
      select line_key, bank_key, date, amount_cents, row_number() over (partition by line_key order by place) as nth
        from reconciliation_items where organisation_id = ${tx.organisation} and run_id = ${run} and status <> 'duplicate'),
    repeated as materialized (
      select i.id, i.run_id, i.line_key, i.bank_key, i.amount_cents, i.date,
             row_number() over (partition by i.line_key order by r.started_at, r.id, i.place) as nth,
             row_number() over (partition by i.bank_key, i.date, i.amount_cents order by r.started_at, r.id, i.place) as nth_of_id
        from reconciliation_items i
        join reconciliation_runs r on r.organisation_id = ${tx.organisation} and r.id = i.run_id and r.withdrawn_at is null
       where i.organisation_id = ${tx.organisation} and i.status = 'duplicate'
         and (i.line_key in (select line_key from gone) or i.bank_key in (select bank_key from gone where bank_key is not null))),
    revived as (
      update reconciliation_items i set status = 'unmatched' from repeated d
       where i.organisation_id = ${tx.organisation} and i.id = d.id and (
         (d.nth_of_id = 1 and exists (select from gone g where g.bank_key = d.bank_key and g.date = d.date
                                      and g.amount_cents = d.amount_cents))
         or ((d.bank_key is null or not exists (select from gone g where g.bank_key = d.bank_key))
             and exists (select from gone g where g.line_key = d.line_key and g.nth = d.nth)))
      returning i.run_id, i.amount_cents),
    counted as (select run_id, count(*)::integer as lines, sum(amount_cents)::bigint as cents from revived group by run_id)
    update reconciliation_runs r set unmatched_count = unmatched_count + c.lines, unmatched_cents = unmatched_cents + c.cents
      from counted c where r.organisation_id = ${tx.organisation} and r.id = c.run_id`;
}
