// Writes nothing. Reads: disputes, reversals, transactions, events.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { DISPUTE_CLOSED, DISPUTE_OPENED } from "./declarations.ts";

/**
 * Disputes against their payments, the reversals that took the money, and their events: money came back only of a
 * dispute that was won; a dispute is told when it opens and when it closes, once each.
 */
const disputes = examination(
  "disputes",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, transaction_id, reversal_id, amount_cents, currency, status from disputes
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    told as (
      select subject, count(*) filter (where type = ${DISPUTE_OPENED.name}) as opened,
             count(*) filter (where type = ${DISPUTE_CLOSED.name}) as closed
        from events where organisation_id = ${tx.organisation} and subject in (select id from part) group by subject),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
        left join reversals w on w.organisation_id = ${tx.organisation} and w.id = p.reversal_id
        left join reversals b on b.organisation_id = ${tx.organisation} and b.reversal_id = p.reversal_id
        left join told e on e.subject = p.id
       cross join lateral (values
        ('dispute_currency', t.currency, p.currency, true),
        ('dispute_amount', 'true', (p.amount_cents <= t.amount_cents)::text, true),
        ('dispute_reversal', p.transaction_id, w.transaction_id, p.reversal_id is not null),
        ('dispute_given_back', 'won', p.status, b.id is not null),
        ('dispute_given_back_amount', (-w.amount_cents)::text, b.amount_cents::text, b.id is not null),
        ('dispute_opened_event', '1', coalesce(e.opened, 0)::text, true),
        ('dispute_closed_event', (p.status <> 'open')::integer::text, coalesce(e.closed, 0)::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const disputeExaminations: readonly Examination[] = [disputes];
