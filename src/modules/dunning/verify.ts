// Writes nothing. Reads: subscription_collections, customer_subscriptions, invoices, customer_subscription_bills,
// collection_attempts, cards, due_work, transactions, reversals.
import { IN_OPEN } from "../../domain/invoices.ts";
import { isBeingPaid } from "../../domain/under-way.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { SUBSCRIPTION_COLLECT } from "./declarations.ts";

/**
 * Collections against the bills of their invoices and their attempts (interface 16.16). An open one that is collected
 * from a card has the work for its next step, or a payment under way.
 */
const collections = examination(
  "subscription_collections",
  (tx, { after, limit }) => part`
    with part as materialized (
      select invoice_id as id, customer_subscription_id, missed_at, retries, new_card_id, ended from subscription_collections
       where organisation_id = ${tx.organisation} and invoice_id > ${after} order by invoice_id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = p.customer_subscription_id
        left join invoices i on i.organisation_id = ${tx.organisation} and i.id = p.id
        left join customer_subscription_bills b on b.organisation_id = ${tx.organisation} and b.invoice_id = p.id
        left join cards d on d.organisation_id = ${tx.organisation} and d.id = p.new_card_id
       cross join lateral (select count(*) filter (where a.status = 'failed') as failed,
         count(*) filter (where a.cause = 'retry') as retries, count(*) as attempts from collection_attempts a
         where a.organisation_id = ${tx.organisation} and a.invoice_id = p.id) a
       cross join lateral (select exists (
         select from transactions t join reversals r on r.organisation_id = ${tx.organisation}
             and r.transaction_id = t.id and r.reversed_at is not null
          where t.organisation_id = ${tx.organisation} and t.invoice_id = p.id) as reversed) v
       cross join lateral (values
        ('collection_bill', b.customer_subscription_id, p.customer_subscription_id, true),
        ('collection_method', 'true',
           (s.collection_method in ('gateway', 'debit_order') or p.ended is not null or i.status not ${IN_OPEN})::text, true),
        -- A retry may be made with a new card; the first attempt is none.
        ('collection_retries', 'true', (p.retries between a.retries and greatest(a.attempts - 1, 0))::text, true),
        ('collection_card', s.customer_id, d.customer_id, p.new_card_id is not null),
        ('collection_ended', p.ended, i.status, p.ended in ('paid', 'cancelled')),
        ('collection_missed', 'true', (p.missed_at is not null)::text, a.failed > 0 or p.ended = 'taken_back'),
        ('collection_taken_back', 'true', v.reversed::text, p.ended = 'taken_back'),
        ('collection_awaited', 'true', (
           exists (select from due_work w where w.organisation_id = ${tx.organisation}
                   and w.kind = ${SUBSCRIPTION_COLLECT.kind} and w.subject = p.id)
           or ${isBeingPaid(tx, part`p.id`)})::text,
           s.collection_method = 'gateway' and p.ended is null and i.status ${IN_OPEN})
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Attempts against their payments (interface 16.16). */
const attempts = examination(
  "collection_attempts",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, invoice_id, customer_subscription_id, transaction_id, status from collection_attempts
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join subscription_collections c on c.organisation_id = ${tx.organisation} and c.invoice_id = p.invoice_id
        left join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
       cross join lateral (values
        ('attempt_subscription', c.customer_subscription_id, p.customer_subscription_id, true),
        ('attempt_invoice', t.invoice_id, p.invoice_id, p.transaction_id is not null),
        ('attempt_status', case when t.status = 'pending' then 'pending' when t.paid_at is not null then 'complete'
           when t.type = 'debit_order' then case t.status when 'cancelled' then 'cancelled' else 'failed' end else 'failed' end, p.status,
           p.transaction_id is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const dunningExaminations: readonly Examination[] = [collections, attempts];
