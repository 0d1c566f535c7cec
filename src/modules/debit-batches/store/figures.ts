// Writes nothing. Reads: debits, debit_batches, reversals.

import { joinPayment } from "../../../domain/joins.ts";
import { assert } from "../../../kernel/assert.ts";
import type { Cents } from "../../../kernel/money.ts";
import type { Instant } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import type { BatchFigures, DebitBatch, SettledDay } from "../types.ts";

interface FiguresRow {
  readonly collected: number;
  readonly unpaid: number;
  readonly pending: number;
  readonly expected: number;
  readonly expected_amount: Cents;
  readonly held: number;
  readonly held_amount: Cents;
  readonly held_expected: number;
  readonly recent: number;
  readonly recent_unpaid: number;
  readonly recent_reversed: number;
}

/**
 * Counts a batch's debits by outcome, and computes the expected outcome from the debits of their mandates that were
 * collected before it. `since`: the start of the recent ones.
 */
export async function figuresOf(tx: Tx, batch: DebitBatch, since: Instant): Promise<BatchFigures> {
  const [[row], settled] = await Promise.all([
    tx.sql<FiguresRow>`
    with part as materialized (
      select d.mandate_id, t.status, t.amount_cents, d.withdrawn from debits d ${joinPayment(tx, part`d.transaction_id`)}
       where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch.id} and (not d.withdrawn or d.held_at is not null)),
    history as (
      select d.mandate_id, count(*) as ended, count(*) filter (where t.paid_at is null or exists (
               select from reversals w where w.organisation_id = ${tx.organisation} and w.transaction_id = t.id)) as unpaid
        from debits d join debit_batches b on b.organisation_id = ${tx.organisation} and b.id = d.debit_batch_id
         and b.action_date < ${batch.actionDate}
        ${joinPayment(tx, part`d.transaction_id`)} and t.status not in ('pending', 'cancelled')
       where d.organisation_id = ${tx.organisation} and d.debit_batch_id <> ${batch.id} and d.mandate_id in (select mandate_id from part)
       group by d.mandate_id),
    recent as (
      select count(*) as ended, count(*) filter (where t.paid_at is null or w.id is not null) as unpaid, count(w.id) as reversed
        from debit_batches b join debits d on d.organisation_id = ${tx.organisation} and d.debit_batch_id = b.id
        ${joinPayment(tx, part`d.transaction_id`)} and t.status not in ('pending', 'cancelled')
        left join lateral (select max(id) as id from reversals r where r.organisation_id = ${tx.organisation}
                           and r.transaction_id = t.id) w on true
       where b.organisation_id = ${tx.organisation} and b.id <> ${batch.id} and b.created_at >= ${since}
         and b.action_date < ${batch.actionDate}),
    rated as (
      select p.*, case when h.ended > 0 then h.unpaid::double precision / h.ended
               when r.ended > 0 then r.unpaid::double precision / r.ended else 0 end as risk
        from part p cross join recent r left join history h on h.mandate_id = p.mandate_id)
    select count(*) filter (where not e.withdrawn and e.status not in ('pending', 'failed', 'cancelled'))::integer as collected,
           count(*) filter (where not e.withdrawn and e.status in ('failed', 'cancelled'))::integer as unpaid,
           count(*) filter (where not e.withdrawn and e.status = 'pending')::integer as pending,
           coalesce(sum(e.risk) filter (where not e.withdrawn), 0) as expected,
           coalesce(round(sum(e.risk * e.amount_cents) filter (where not e.withdrawn)), 0)::bigint as expected_amount,
           count(*) filter (where e.withdrawn)::integer as held,
           coalesce(sum(e.amount_cents) filter (where e.withdrawn), 0)::bigint as held_amount,
           coalesce(sum(e.risk) filter (where e.withdrawn), 0) as held_expected,
           coalesce(max(r.ended), 0)::integer as recent, coalesce(max(r.unpaid), 0)::integer as recent_unpaid,
           coalesce(max(r.reversed), 0)::integer as recent_reversed
      from recent r left join rated e on true`,
    settledDays(tx, batch),
  ]);
  assert(row, "an aggregate has one row");
  return {
    collected: row.collected,
    unpaid: row.unpaid,
    pending: row.pending,
    expectedUnpaid: row.expected,
    expectedUnpaidAmount: row.expected_amount,
    held: row.held,
    heldAmount: row.held_amount,
    heldExpectedUnpaid: row.held_expected,
    settled,
    recent: row.recent,
    recentUnpaid: row.recent_unpaid,
    recentReversed: row.recent_reversed,
  };
}

/** What banks paid and returned of a batch, by South African day. */
const settledDays = (tx: Tx, { id }: DebitBatch): Promise<SettledDay[]> => tx.sql<SettledDay>`
  select day_of(o.at) as day, sum(o.paid)::bigint as paid, sum(o.returned)::bigint as returned
    from debits d ${joinPayment(tx, part`d.transaction_id`)}
   cross join lateral (
     select t.paid_at as at, t.amount_cents as paid, 0::bigint as returned where t.paid_at is not null
     union all select d.unpaid_at, 0, t.amount_cents where d.unpaid_at is not null and t.paid_at is null
     union all select w.reversed_at, 0, w.amount_cents from reversals w
       where w.organisation_id = ${tx.organisation} and w.transaction_id = t.id and w.reversed_at is not null) o
   where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${id} and not d.withdrawn
   group by 1 order by 1`;
