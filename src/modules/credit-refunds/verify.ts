// Writes nothing. Reads: credit_applications, credit_refunds, credit_refund_sources, journal_entries, journal_lines, transactions,
// invoices, invoice_payments, reconciliation_allocations, reconciliation_items, reconciliation_runs.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Credit refunds against their parts and the books: each is posted once, in full, from its customer's credit and the
 * bank; the sum of its parts is its amount, and each part is credit of its customer in its currency. A payment's credit
 * that were paid out twice would appear as a fault of the customer's credit.
 */
const creditRefunds = examination(
  "credit_refunds",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, customer_id, currency, amount_cents, created_at from credit_refunds
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    sources as (
      select s.credit_refund_id, sum(s.amount_cents) as total,
             string_agg(distinct coalesce(i.customer_id, j.customer_id, t.customer_id, a.subject, ''), ',') as customers,
             string_agg(distinct coalesce(t.currency, j.currency, u.currency, ''), ',') as currencies
        from credit_refund_sources s
        left join transactions t on t.organisation_id = ${tx.organisation} and t.id = s.transaction_id
        left join invoices i on i.organisation_id = ${tx.organisation} and i.id = t.invoice_id
        left join invoice_payments y on y.organisation_id = ${tx.organisation} and y.id = s.invoice_payment_id
        left join invoices j on j.organisation_id = ${tx.organisation} and j.id = y.invoice_id
        left join reconciliation_allocations a on a.organisation_id = ${tx.organisation} and a.match_id = s.match_id
          and a.place = s.match_place
             and a.kind = 'customer_credit' and a.undone_at is null
        left join reconciliation_items m on m.organisation_id = ${tx.organisation} and m.id = a.item_id
        left join reconciliation_runs u on u.organisation_id = ${tx.organisation} and u.id = m.run_id
       where s.organisation_id = ${tx.organisation} and s.credit_refund_id in (select id from part) group by s.credit_refund_id),
    entry as (
      select e.subject, e.occurred_at, coalesce(-sum(l.amount_cents) filter (where l.account = 'bank'), 0) as paid,
             coalesce(sum(l.amount_cents) filter (where l.account = 'customer_credit'), 0) as credit,
             string_agg(distinct l.customer_id, ',') as customers, coalesce(string_agg(distinct l.currency, ','), '') as currency
        from journal_entries e left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'credit_refund' and e.subject in (select id from part)
       group by e.subject, e.occurred_at),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join sources s on s.credit_refund_id = p.id left join entry e on e.subject = p.id
       cross join lateral (values
        ('credit_refund_sources', p.amount_cents::text, coalesce(s.total, 0)::text, true),
        ('credit_refund_customer', p.customer_id, s.customers, s.total is not null),
        ('credit_refund_currency', p.currency, s.currencies, s.total is not null),
        ('credit_refund_entry', 'true', (e.subject is not null)::text, true),
        ('credit_refund_entry_paid', p.amount_cents::text, e.paid::text, e.subject is not null),
        ('credit_refund_entry_credit', p.amount_cents::text, e.credit::text, e.subject is not null),
        ('credit_refund_entry_customer', p.customer_id, e.customers, e.subject is not null),
        ('credit_refund_entry_currency', p.currency, e.currency, e.subject is not null),
        ('credit_refund_entry_date', p.created_at::text, e.occurred_at::text, e.subject is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/**
 * Credit that was applied to invoices against the books, the invoices and the payments that made it: each is posted once, pays an
 * invoice of its customer in its currency, and is credit of that customer. What was taken back is of the same source and invoice, and
 * no more than was applied. Credit that is used twice appears as a fault of the customer's credit.
 */
const creditApplications = examination(
  "credit_applications",
  (tx, { after, limit }) => part`
    with part as materialized (
      select * from credit_applications where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    entry as (
      select e.subject, e.occurred_at, coalesce(-sum(l.amount_cents) filter (where l.account = 'receivable'), 0) as paid,
             coalesce(sum(l.amount_cents) filter (where l.account = 'customer_credit'), 0) as credit,
             string_agg(distinct l.customer_id, ',') as customers, coalesce(string_agg(distinct l.currency, ','), '') as currency
        from journal_entries e left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'credit_use' and e.subject in (select id from part)
       group by e.subject, e.occurred_at),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join invoices i on i.organisation_id = ${tx.organisation} and i.id = p.invoice_id
        left join entry e on e.subject = p.id
        left join invoice_payments y on y.organisation_id = ${tx.organisation} and y.source = 'credit' and y.subject = p.id
        left join credit_applications o on o.organisation_id = ${tx.organisation} and o.id = p.takes_back
        left join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
        left join invoices f on f.organisation_id = ${tx.organisation} and f.id = t.invoice_id
        left join invoice_payments s on s.organisation_id = ${tx.organisation} and s.id = p.invoice_payment_id
        left join invoices g on g.organisation_id = ${tx.organisation} and g.id = s.invoice_id
        left join reconciliation_allocations a on a.organisation_id = ${tx.organisation} and a.match_id = p.match_id
          and a.place = p.match_place and a.kind = 'customer_credit'
       cross join lateral (values
        ('application_of_customer', p.customer_id || ' in ' || p.currency, i.customer_id || ' in ' || i.currency, true),
        ('application_source', p.customer_id, coalesce(f.customer_id, t.customer_id, g.customer_id, a.subject, ''), true),
        ('application_paid', p.amount_cents::text, coalesce(y.amount_cents, 0)::text, true),
        ('application_posted', p.amount_cents::text, coalesce(e.paid, 0)::text, true),
        ('application_posted_credit', p.amount_cents::text, e.credit::text, e.subject is not null),
        ('application_posted_customer', p.customer_id, e.customers, e.subject is not null),
        ('application_posted_currency', p.currency, e.currency, e.subject is not null),
        ('application_posted_date', p.applied_at::text, e.occurred_at::text, e.subject is not null),
        ('application_taken_back', concat_ws(' ', p.invoice_id, p.transaction_id), concat_ws(' ', o.invoice_id, o.transaction_id),
           p.takes_back is not null),
        ('application_taken_at_most', 'true', (p.amount_cents + (select coalesce(sum(b.amount_cents), 0) from credit_applications b
           where b.organisation_id = ${tx.organisation} and b.takes_back = p.id) >= 0)::text, p.takes_back is null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const creditRefundExaminations: readonly Examination[] = [creditRefunds, creditApplications];
