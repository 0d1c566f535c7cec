// Writes nothing. Reads: refunds, journal_entries, journal_lines, transactions, due_work, gateway_notifications.
import { IN_BOOKED, IN_UNDECIDED } from "../../domain/refunds.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { REFUND_CHECK, REFUND_REPORTS } from "./declarations.ts";

/**
 * Refunds against the books: a pending or processed refund is posted once, in full, from the ledger account of its method. A failed one is
 * not posted, or its entry is reversed.
 */
const refunds = examination(
  "refunds",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, amount_cents, currency, method, status ${IN_BOOKED} as counts, transaction_id,
             status ${IN_UNDECIDED} as open, status = 'failed' as failed
        from refunds where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    entry as (
      select e.subject,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'gateway_clearing'), 0) as by_gateway,
             string_agg(distinct coalesce(l.gateway_account_id, ''), ',') filter (where l.account = 'gateway_clearing') as through,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'bank'), 0) as by_hand,
             coalesce(sum(l.amount_cents) filter (where l.account in ('refunds', 'vat_output', 'customer_credit')), 0) as given_back,
             coalesce(string_agg(distinct l.currency, ','), '') as currency,
             exists (select from journal_entries u
                      where u.organisation_id = ${tx.organisation} and u.kind = 'refund_reversal' and u.subject = e.subject) as undone
        from journal_entries e
        left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'refund' and e.subject in (select id from part)
       group by e.subject),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join entry e on e.subject = p.id
        join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
       cross join lateral (values
        ('refund_entry', p.counts::integer::text, (e.subject is not null)::integer::text, not p.failed),
        ('refund_undone', (e.subject is not null and p.failed)::text, coalesce(e.undone, false)::text, true),
        ('refund_entry_by_gateway', (case when p.method = 'gateway' then p.amount_cents else 0 end)::text, e.by_gateway::text,
          p.counts and e.subject is not null),
        ('refund_entry_by_hand', (case when p.method = 'manual' then p.amount_cents else 0 end)::text, e.by_hand::text,
          p.counts and e.subject is not null),
        ('refund_entry_gateway_account', t.gateway_account_id, e.through, e.through is not null),
        ('refund_entry_given_back', p.amount_cents::text, e.given_back::text, e.subject is not null),
        ('refund_entry_currency', p.currency, e.currency, p.counts and e.subject is not null),
        ('refund_currency', t.currency, p.currency, true),
        ('refund_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${REFUND_CHECK.kind} and w.subject = p.id)::text, p.open)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/**
 * Reports of refunds that were made against what is booked (decisions.md#refunds-made-elsewhere): a refund that a gateway told by its id,
 * of a payment that has completed, is among the payment's refunds, or was mailed to staff, or waits while others are not decided.
 */
const toldRefunds = examination(
  "told_refunds",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, gateway_account_id, reference, fact ->> 'paymentRef' as payment_ref, fact ->> 'providerRefundRef' as refund_ref
        from gateway_notifications
       where organisation_id = ${tx.organisation} and id > ${after} and fact ->> 'about' = 'refund' and outcome = 'unknown_reference'
         and fact ->> 'kind' = 'processed' and fact ->> 'providerRefundRef' is not null
       order by id limit ${limit}),
    payments as (
      select p.id, p.refund_ref, p.gateway_account_id, t.id as payment
        from part p join transactions t on t.organisation_id = ${tx.organisation} and t.gateway_account_id = p.gateway_account_id
         and t.provider_ref = p.payment_ref and t.paid_at is not null
       union
      select p.id, p.refund_ref, p.gateway_account_id, t.id
        from part p join transactions t on t.organisation_id = ${tx.organisation} and t.reference = p.reference
         and t.gateway_account_id = p.gateway_account_id and t.paid_at is not null),
    faults as (
      select p.id, 'refund_booked' as rule, p.refund_ref as expected, null::text as found from payments p
       where not exists (select from refunds r where r.organisation_id = ${tx.organisation} and r.transaction_id = p.payment
               and (r.provider_ref = p.refund_ref or r.status ${IN_UNDECIDED}))
         and not exists (select from gateway_notifications n where n.organisation_id = ${tx.organisation}
               and n.gateway_account_id = p.gateway_account_id and n.fact ->> 'about' = 'refund' and n.outcome = 'mismatch'
               and n.fact ->> 'providerRefundRef' = p.refund_ref)
         and not exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = ${REFUND_REPORTS.kind}
               and w.subject = p.payment))`,
);

/** What `verify` recomputes. */
export const refundExaminations: readonly Examination[] = [refunds, toldRefunds];
