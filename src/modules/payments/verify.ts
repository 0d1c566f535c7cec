// Writes nothing. Reads: journal_entries, journal_lines, refunds, reversals, transactions, invoice_payments, invoices, events,
// due_work.
import { creditUsed, usedOf } from "../../domain/given-back.ts";
import { IN_BOOKED } from "../../domain/refunds.ts";
import { part, type Tx } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import {
  PAYMENT_CANCELLED,
  PAYMENT_CHECK,
  PAYMENT_COMPLETE,
  PAYMENT_FAILED,
  PAYMENT_PARTIALLY_REFUNDED,
  PAYMENT_REFUNDED,
  PAYMENT_REVERSED,
} from "./declarations.ts";

/**
 * The amounts that refunds and reversals of the payments in `part` took from credit, as `taken`; credit from the
 * cancellation of the invoice counts too. What had left the payment above its amount before that cancellation, credit
 * that was paid out included, is a loss.
 */
const takenFromCredit = (tx: Tx) => part`
    taken as (
      select r.transaction_id, sum(r.from_credit) - greatest(0, sum(r.before) + (
               select coalesce(sum(s.amount_cents), 0) from ${creditUsed(tx)} s
                 join journal_entries e on e.organisation_id = ${tx.organisation} and e.kind = s.entry_kind and e.subject = s.entry_subject
                where s.transaction_id = r.transaction_id and e.id < r.cancellation) - r.amount_cents) as from_credit
        from (select b.transaction_id, p.amount_cents, c.id as cancellation,
                     coalesce((select sum(l.amount_cents) from journal_entries e
                               join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
                       where e.organisation_id = ${tx.organisation}
                         and e.kind in ('refund', 'refund_reversal', 'reversal') and e.subject = b.id
                         and (l.account = 'customer_credit' or l.account in ('refunds', 'receivable') and e.id < c.id)), 0) as from_credit,
                     coalesce((select -sum(l.amount_cents) from journal_entries e
                               join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
                       where e.organisation_id = ${tx.organisation}
                         and e.kind in ('refund', 'refund_reversal', 'reversal') and e.subject = b.id
                         and l.account in ('gateway_clearing', 'bank') and e.id < c.id), 0) as before
                from (select id, transaction_id from refunds where organisation_id = ${tx.organisation}
                      and transaction_id in (select id from part)
                      union all
                      select id, transaction_id from reversals
                       where organisation_id = ${tx.organisation} and transaction_id in (select id from part)) b
                join part p on p.id = b.transaction_id
                left join journal_entries c on c.organisation_id = ${tx.organisation} and c.kind = 'invoice_cancelled'
                  and c.subject = p.invoice_id) r
       group by r.transaction_id, r.amount_cents, r.cancellation)`;

/**
 * Payments against the books, their refunds and the invoices that they pay (interface 3.1). Refunds that are pending or
 * processed count as refunded; the overpaid part of a payment is refunded, and reversed by a bank, first. When an
 * invoice is cancelled, the amount paid on it becomes the customer's credit, so refunds before the cancellation count
 * as refunds from credit. `transfers` are the gateway types whose money goes directly to the bank.
 */
const transactions = (transfers: readonly string[]) =>
  examination(
    "transactions",
    (tx, { after, limit }) => part`
    with part as materialized (
      select id, reference, status, amount_cents, coalesce(fee_cents, 0) as fee_cents, currency, overpaid_cents, flags, paid_at,
             invoice_id, tax_exempt, gateway_account_id, coalesce((select sum(w.amount_cents) from reversals w
               where w.organisation_id = ${tx.organisation} and w.transaction_id = transactions.id
                 and w.reversed_at is not null), 0) as reversed,
             ${usedOf(tx, part`transactions.id`)} as paid_out,
             case when gateway_type = any(${transfers}) then 'bank' else 'gateway_clearing' end as account,
             status in ('complete', 'refunded', 'partially_refunded') as paid
        from transactions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    entry as (
      select e.subject, e.occurred_at,
             coalesce(sum(l.amount_cents) filter (where l.account in ('gateway_clearing', 'bank')), 0) as received,
             string_agg(distinct l.account, ',') filter (where l.account in ('gateway_clearing', 'bank')) as account,
             coalesce(sum(l.amount_cents) filter (where l.account = 'gateway_fees'), 0) as fees,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'receivable'), 0) as applied,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'customer_credit'), 0) as credit,
             coalesce(-sum(l.amount_cents) filter (where l.account in ('revenue', 'vat_output')), 0) as earned,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'vat_output'), 0) as vat,
             string_agg(distinct coalesce(l.gateway_account_id, ''),
                        ',') filter (where l.account in ('gateway_clearing', 'gateway_fees')) as through,
             coalesce(string_agg(distinct l.currency, ','), '') as currency
        from journal_entries e left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'payment' and e.subject in (select reference from part)
       group by e.subject, e.occurred_at),
    refunds_made as (
      select transaction_id, sum(amount_cents) as total from refunds
       where organisation_id = ${tx.organisation} and transaction_id in (select id from part) and status ${IN_BOOKED}
       group by transaction_id),
    ${takenFromCredit(tx)},
    allocated as (
      select y.subject, sum(y.amount_cents) as total, coalesce(sum(y.amount_cents) filter (where i.cancelled_at is null), 0) as standing
        from invoice_payments y join invoices i on i.organisation_id = ${tx.organisation} and i.id = y.invoice_id
       where y.organisation_id = ${tx.organisation} and y.source = 'transaction' and y.subject in (select id from part) group by y.subject),
    facts as (
      select p.*, e.subject is not null as posted, e.occurred_at, e.received, e.account as received_at, e.through, e.fees, e.applied,
             coalesce(a.total, 0) as allocated, coalesce(a.standing, 0) as standing, e.credit, e.earned, e.vat,
             e.currency as posted_currency, coalesce(g.total, 0) as refunded, coalesce(k.from_credit, 0) as from_credit
        from part p left join entry e on e.subject = p.reference left join refunds_made g on g.transaction_id = p.id
        left join taken k on k.transaction_id = p.id left join allocated a on a.subject = p.id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('payment_entry', f.paid::integer::text, f.posted::integer::text, true),
        ('payment_entry_received', (f.amount_cents - f.fee_cents)::text, f.received::text, f.paid and f.posted),
        ('payment_entry_fee', f.fee_cents::text, f.fees::text, f.paid and f.posted),
        ('payment_entry_account', f.account, f.received_at, f.paid and f.posted and f.received <> 0),
        ('payment_entry_gateway_account', f.gateway_account_id, f.through, f.paid and f.through is not null),
        ('payment_entry_applied', f.allocated::text, coalesce(f.applied, 0)::text, true),
        ('payment_entry_credit', case when f.invoice_id is null then f.overpaid_cents else f.amount_cents - f.allocated end::text,
           f.credit::text, f.paid and f.posted),
        ('payment_entry_earned', (f.amount_cents - f.applied - f.credit)::text, f.earned::text, f.paid and f.posted),
        ('payment_exempt', f.amount_cents || ' 0', f.earned || ' ' || f.vat, f.tax_exempt),
        ('overpaid_of_invoice', (f.amount_cents - f.standing)::text, f.overpaid_cents::text, f.paid and f.invoice_id is not null),
        ('payment_entry_currency', f.currency, f.posted_currency, f.paid and f.posted),
        ('payment_entry_date', f.paid_at::text, f.occurred_at::text, f.paid and f.posted),
        ('overpaid_flag', (f.overpaid_cents > 0)::text, ('overpaid' = any(f.flags))::text, true),
        ('status_of_refunds', case when not f.paid and f.refunded = 0 then f.status when f.refunded = 0 then 'complete'
           when f.refunded < f.amount_cents then 'partially_refunded' else 'refunded' end, f.status, true),
        ('refunded_at_most', f.amount_cents::text, f.refunded::text, f.refunded > f.amount_cents),
        ('reversed_at_most', f.amount_cents::text, f.reversed::text, f.reversed > f.amount_cents),
        ('paid_out_at_most', f.overpaid_cents::text, f.paid_out::text, f.paid_out > f.overpaid_cents),
        ('refunded_from_credit', least(f.overpaid_cents - f.paid_out, f.refunded + f.reversed)::text, f.from_credit::text, f.paid)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
  );

/**
 * Payments against their events, each of which is sent once (interface 6), and against the due work that asks the gateway about a pending
 * payment. A bank transfer needs no such work: staff decide it. Events of payments older than the oldest stored month may have been deleted
 * (decisions.md#partitions-by-id).
 */
const transactionEvents = examination(
  "transactions",
  (tx, { after, limit }) => part`
    with kept as materialized (
      select first_id_at('txn', min(to_timestamp(right(c.relname, 6) || '+00', 'YYYYMMTZH'))) as since
        from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass),
    part as materialized (
      select id, reference, status, (paid_at is not null)::integer as paid, id >= (select since from kept) as all_kept, eft_order_id, type
        from transactions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    events_sent as (
      select subject,
             count(*) filter (where type = ${PAYMENT_COMPLETE.name}) as completed,
             count(*) filter (where type = ${PAYMENT_FAILED.name}) as failed,
             count(*) filter (where type = ${PAYMENT_CANCELLED.name}) as cancelled,
             count(*) filter (where type = ${PAYMENT_REVERSED.name}) as reversed,
             count(*) filter (where type in (${PAYMENT_REFUNDED.name}, ${PAYMENT_PARTIALLY_REFUNDED.name})) as refunded
        from events where organisation_id = ${tx.organisation} and subject in (select reference from part)
       group by subject),
    refunds_made as (
      select b.transaction_id, count(*) as refunds from refunds b
       where b.organisation_id = ${tx.organisation} and b.transaction_id in (select id from part)
         and (b.status ${IN_BOOKED} or exists (
           select from journal_entries e where e.organisation_id = ${tx.organisation} and e.kind = 'refund' and e.subject = b.id))
       group by b.transaction_id),
    facts as (
      select p.*, coalesce(t.completed, 0) as completed, coalesce(t.refunded, 0) as refunded, coalesce(t.reversed, 0) as reversed,
             (select count(*) from reversals w where w.organisation_id = ${tx.organisation} and w.transaction_id = p.id
               and w.reversed_at is not null and w.amount_cents > 0) as reversals, coalesce(t.failed, 0) as failed,
             coalesce(t.cancelled, 0) as cancelled, coalesce(g.refunds, 0) as refunds,
             p.status = 'pending' and exists (select from due_work w where w.organisation_id = ${tx.organisation}
               and w.kind = ${PAYMENT_CHECK.kind} and w.subject = p.id) as awaited
        from part p left join events_sent t on t.subject = p.reference left join refunds_made g on g.transaction_id = p.id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('pending_awaited', 'true', f.awaited::text, f.status = 'pending' and f.eft_order_id is null and f.type <> 'debit_order'),
        ('complete_event', f.paid::text, f.completed::text, f.all_kept or f.completed > f.paid),
        ('failed_event', '1', f.failed::text, f.status = 'failed' and f.all_kept or f.failed > 1),
        ('cancelled_event', '1', f.cancelled::text, f.status = 'cancelled' and f.all_kept or f.cancelled > 1),
        ('reversal_events', f.reversals::text, f.reversed::text, f.all_kept or f.reversed > f.reversals),
        ('refund_events', f.refunds::text, f.refunded::text, f.all_kept or f.refunded > f.refunds)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. `transfers`: the gateway types whose money goes directly to the bank. */
export const paymentExaminations = (transfers: readonly string[]): readonly Examination[] => [
  transactions(transfers),
  transactionEvents,
];
