// Writes nothing. Reads: journal_entries, journal_lines, transactions, refunds, reversals, invoices, invoice_payments,
// credit_notes, credit_note_refunds, credit_applications, credit_refunds, customers, customer_balances, undone_invoice_payments,
// reconciliation_allocations.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Entries: each balances in each currency and is about a record whose state causes the entry. The entry of a reversal
 * has the opposite of the whole original entry, with the ledger accounts `refunds` and `customer_credit` counted as
 * one: the invoice may have been cancelled in between.
 */
const entries = examination(
  "journal_entries",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, kind, subject, occurred_at from journal_entries
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    sides as (
      select entry_id, max(abs(balance)) as off, sum(lines) as lines, min(first_at) as first_at, max(last_at) as last_at from (
        select entry_id, currency, sum(amount_cents) as balance, count(*) as lines, min(occurred_at) as first_at,
               max(occurred_at) as last_at
          from journal_lines
         where organisation_id = ${tx.organisation} and entry_id in (select id from part) group by entry_id, currency) sums
       group by entry_id),
    undone as (
      select p.id, bool_and(r.left_over = 0) as whole from part p cross join lateral (
        select sum(l.amount_cents) as left_over from journal_entries e
          join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
         where e.organisation_id = ${tx.organisation} and e.kind in (p.kind, left(p.kind, -9)) and e.subject = p.subject
         group by case when l.account = 'customer_credit' then 'refunds' else l.account end, l.customer_id, l.currency) r
       where p.kind in ('refund_reversal', 'offline_payment_reversal', 'bank_match_reversal', 'credit_note_refund_reversal') group by p.id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join sides s on s.entry_id = p.id left join undone v on v.id = p.id
        left join transactions t on t.organisation_id = ${tx.organisation} and p.kind = 'payment' and t.reference = p.subject
        left join reversals w on w.organisation_id = ${tx.organisation} and p.kind = 'reversal' and w.id = p.subject
        left join refunds b on b.organisation_id = ${tx.organisation} and p.kind in ('refund', 'refund_reversal') and b.id = p.subject
        left join invoices i on i.organisation_id = ${tx.organisation}
          and p.kind in ('invoice', 'invoice_cancelled', 'credit_application') and i.id = split_part(p.subject, ':', 1)
        left join invoice_payments y on y.organisation_id = ${tx.organisation} and p.kind = 'offline_payment' and y.id = p.subject
        left join credit_refunds k on k.organisation_id = ${tx.organisation} and p.kind = 'credit_refund' and k.id = p.subject
        left join credit_applications o on o.organisation_id = ${tx.organisation} and p.kind = 'credit_use' and o.id = p.subject
        left join credit_notes n on n.organisation_id = ${tx.organisation}
          and (p.kind = 'credit_note' and n.id = p.subject or p.kind = 'credit_application' and n.id = split_part(p.subject, ':', 2))
        left join credit_note_refunds z on z.organisation_id = ${tx.organisation}
          and p.kind in ('credit_note_refund', 'credit_note_refund_reversal')
          and z.refund_id = split_part(p.subject, ':', 1) and z.credit_note_id = split_part(p.subject, ':', 2)
        left join undone_invoice_payments back on back.organisation_id = ${tx.organisation}
          and p.kind in ('offline_payment', 'offline_payment_reversal') and back.id = p.subject
        left join reconciliation_allocations shown on shown.organisation_id = ${tx.organisation}
          and p.kind in ('bank_match', 'bank_match_reversal') and shown.match_id = split_part(p.subject, ':', 1)
          and shown.place::text = split_part(p.subject, ':', 2)
       cross join lateral (values
        ('entry_balances', '0', coalesce(s.off, 0)::text, true),
        ('entry_has_lines', 'true', (coalesce(s.lines, 0) >= 2)::text, true),
        ('entry_lines_date', 'true', (s.first_at = p.occurred_at and s.last_at = p.occurred_at)::text, s.lines > 0),
        ('entry_subject', 'true', (case p.kind when 'payment' then t.status in ('complete', 'refunded', 'partially_refunded')
           when 'refund' then b.status in ('pending', 'processed', 'failed') when 'refund_reversal' then b.status = 'failed'
           when 'credit_note_refund' then z.amount_cents is not null when 'credit_note_refund_reversal' then z.undone_at is not null
           when 'reversal' then w.reversed_at is not null
           when 'invoice' then i.issued_at is not null when 'invoice_cancelled' then i.issued_at is not null and i.cancelled_at is not null
           when 'credit_refund' then k.id is not null when 'credit_use' then o.id is not null
           when 'offline_payment' then y.source = 'offline' or back.id is not null
           when 'offline_payment_reversal' then back.id is not null when 'bank_match' then shown.match_id is not null
           when 'bank_match_reversal' then shown.undone_at is not null when 'credit_note' then n.id is not null
           when 'credit_application' then i.issued_at is not null and n.customer_id = i.customer_id end)::text, true),
        ('reversal_whole', 'true', v.whole::text, v.id is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Customers' kept balances against the lines of the journal. The id of a finding is the customer's, a colon and the currency. */
const customerBalances = examination(
  "customer_balances",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id from customers where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    summed as (
      select customer_id, currency, coalesce(sum(amount_cents) filter (where account = 'receivable'), 0) as receivable_cents,
             coalesce(-sum(amount_cents) filter (where account = 'customer_credit'), 0) as credit_cents
        from journal_lines
       where organisation_id = ${tx.organisation} and account in ('receivable', 'customer_credit') and customer_id in (select id from part)
       group by customer_id, currency),
    kept as (
      select customer_id, currency, receivable_cents, credit_cents, posted from customer_balances
       where organisation_id = ${tx.organisation} and customer_id in (select id from part)),
    faults as (
      select coalesce(s.customer_id, k.customer_id) || ':' || coalesce(s.currency, k.currency) as id, r.rule, r.expected, r.found
        from summed s full join kept k on k.customer_id = s.customer_id and k.currency = s.currency
       cross join lateral (values
        ('kept_receivable', coalesce(s.receivable_cents, 0)::text, coalesce(k.receivable_cents, 0)::text),
        ('kept_credit', coalesce(s.credit_cents, 0)::text, coalesce(k.credit_cents, 0)::text),
        ('kept_posted', (s.customer_id is not null)::text, coalesce(k.posted, false)::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const bookExaminations: readonly Examination[] = [entries, customerBalances];
