// Writes nothing. Reads: debit_batches, debits, transactions, reversals, mandates, revisions, customer_subscription_bills, payment_links,
// due_work.

import { revised } from "../../domain/revisions.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { DEBIT_BATCH_RESULTS, DEBIT_BATCH_SUBMIT, DEBITS_GATHER } from "./declarations.ts";

/** Batches against their debits, and the work that sends them and asks for their results. */
const batches = examination(
  "debit_batches",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, gateway_account_id, status, debits, amount_cents, batch_ref, submitted_at, given_up_at, completed_at
        from debit_batches
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    held as (
      select d.debit_batch_id, count(*) filter (where not d.withdrawn) as debits,
             coalesce(sum(t.amount_cents) filter (where not d.withdrawn), 0) as amount,
             bool_or(t.status = 'pending' and not d.withdrawn) as open, bool_or(t.status = 'pending' and d.withdrawn) as withdrawing,
             bool_or(d.withdrawn and d.held_at is null) as withdrawn,
             bool_and(t.type = 'debit_order' and t.reference = m.account_reference || '-' || to_char(d.debit_date, 'YYYYMMDD')
               || case when d.part > 1 then '-' || d.part else '' end) as named,
             bool_and(case when t.invoice_id is not null then exists (select from customer_subscription_bills b
               where b.organisation_id = ${tx.organisation} and b.invoice_id = t.invoice_id
                 and b.customer_subscription_id = m.subscription_id)
               -- It debited its own amount before it was chosen to collect the subscription.
               else m.subscription_id is null or exists (select from revisions r
                 where r.organisation_id = ${tx.organisation} and r.subject = m.id
                   and (r.number = 0 or r.facts ->> 'subscription_id' is null)) end) as invoiced,
             bool_and(m.subscription_id is not null or exists (select from revisions r
                                                               where r.organisation_id = ${tx.organisation} and r.subject = m.id
               and (r.number = 0 or (r.facts ->> 'amount_cents')::bigint = t.amount_cents))) as priced,
             bool_and(t.customer_id = m.customer_id and t.gateway_account_id = m.gateway_account_id) as of_mandates,
             string_agg(distinct t.gateway_account_id, ',') as accounts
        from debits d join transactions t on t.organisation_id = ${tx.organisation} and t.id = d.transaction_id
        join mandates m on m.organisation_id = ${tx.organisation} and m.id = d.mandate_id
       where d.organisation_id = ${tx.organisation} and d.debit_batch_id in (select id from part) group by d.debit_batch_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join held h on h.debit_batch_id = p.id
       cross join lateral (values
        ('batch_debits', coalesce(h.debits, 0)::text, p.debits::text, true),
        ('batch_amount', coalesce(h.amount, 0)::text, p.amount_cents::text, true),
        ('batch_references', 'true', h.named::text, h.debits > 0),
        ('batch_invoices', 'true', h.invoiced::text, h.debits > 0),
        ('batch_prices', 'true', h.priced::text, h.debits > 0),
        ('batch_payers', 'true', h.of_mandates::text, h.debits > 0),
        ('batch_account', p.gateway_account_id, h.accounts, h.debits > 0),
        ('batch_submission_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${DEBIT_BATCH_SUBMIT.kind} and w.subject = p.id)::text, p.status in ('open', 'submitting')
           or coalesce(h.withdrawing, false)),
        ('batch_withdrawn_before_sent', 'false', coalesce(h.withdrawn, false)::text, p.status = 'open'),
        ('batch_sent', 'true', (p.submitted_at is not null and p.batch_ref is not null)::text, p.status = 'submitted'),
        ('batch_not_sent', 'true',
           (p.submitted_at is null and (p.batch_ref is null or p.status in ('submitting', 'refused')))::text,
           p.status <> 'submitted'),
        ('batch_not_sent_ended', 'false', coalesce(h.open, false)::text, p.status in ('refused', 'cancelled')),
        ('batch_results_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${DEBIT_BATCH_RESULTS.kind} and w.subject = p.id)::text, p.status = 'submitted'
           and p.given_up_at is null and h.open),
        ('batch_completed', 'false', coalesce(h.open, false)::text, p.completed_at is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Mandates against their debits, and against the daily work that adds the debits of mandates with a date to batches. */
const debited = examination(
  "mandates",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, next_debit_date, last_debit_date, last_action_date, last_collected_at, failure_count from mandates
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    held as (
      select d.mandate_id, max(d.debit_date) as debited, max(d.debit_date) filter (where t.paid_at is not null) as collected,
             max(b.action_date) as acted,
             count(distinct d.debit_date) filter (where t.status = 'failed' or exists (
               select from reversals r where r.organisation_id = ${tx.organisation} and r.transaction_id = t.id)) as unpaid
        from debits d join transactions t on t.organisation_id = ${tx.organisation} and t.id = d.transaction_id
        join debit_batches b on b.organisation_id = ${tx.organisation} and b.id = d.debit_batch_id
       where d.organisation_id = ${tx.organisation} and d.mandate_id in (select id from part) group by d.mandate_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join held h on h.mandate_id = p.id
       cross join lateral (values
        ('debited_last', h.debited::text, p.last_debit_date::text, true),
        ('debited_on', h.acted::text, p.last_action_date::text, true),
        ('collected_last', h.collected::text, p.last_collected_at::text, true),
        ('unpaid_at_most', least(p.failure_count, coalesce(h.unpaid, 0))::text, p.failure_count::text, true),
        ('gathering_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${DEBITS_GATHER.kind} and w.subject = ${tx.organisation})::text, p.next_debit_date is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Each transaction of type `debit_order` has its debit. */
const debitTransactions = examination(
  "transactions",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, type from transactions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, 'debit_of_mandate' as rule, '1' as expected, '0' as found from part p
       where p.type = 'debit_order' and not exists (
         select from debits d where d.organisation_id = ${tx.organisation} and d.transaction_id = p.id))`,
);

/**
 * Debits that are stored as returned unpaid have failed or were reversed. The link on which such a debit can still be
 * paid is its payer's, and it has none when an invoice carries the debt. A debit makes up for one of its mandate that
 * was held back.
 */
const returnedDebits = examination(
  "debits",
  (tx, { after, limit }) => part`
    with part as materialized (
      select transaction_id as id, mandate_id, unpaid_code, unpaid_at, pay_link_id, held_from from debits
       where organisation_id = ${tx.organisation} and transaction_id > ${after} order by transaction_id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.id
        left join payment_links l on l.organisation_id = ${tx.organisation} and l.id = p.pay_link_id
       cross join lateral (values
        ('debit_unpaid', 'true', (t.status = 'failed' or exists (select from reversals w
           where w.organisation_id = ${tx.organisation} and w.transaction_id = p.id and w.reversed_at is not null))::text,
           p.unpaid_at is not null),
        ('debit_unpaid_code', 'true', (p.unpaid_at is not null)::text, p.unpaid_code is not null),
        ('debit_link', 'true', (t.invoice_id is null and l.customer_id = t.customer_id and l.amount_cents <= t.amount_cents)::text,
           p.pay_link_id is not null),
        ('debit_held_from', 'true', exists (select from debits h where h.organisation_id = ${tx.organisation}
           and h.transaction_id = p.held_from and h.mandate_id = p.mandate_id and h.held_at is not null)::text, p.held_from is not null),
        ('debit_link_closed', 'false', l.active::text, p.pay_link_id is not null and p.unpaid_at is null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Each batch equals its last revision by the service. */
const revisedBatches = revised(
  "debit_batches",
  (tx, { after, limit }) => part`
    select t.id, to_jsonb(t) as record from debit_batches t where t.organisation_id = ${tx.organisation}
        and t.id > ${after} order by t.id limit ${limit}`,
);

/** What `verify` recomputes. */
export const debitBatchExaminations: readonly Examination[] = [
  batches,
  debited,
  debitTransactions,
  returnedDebits,
  revisedBatches,
];
