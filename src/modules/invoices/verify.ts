// Writes nothing. Reads: invoices, invoice_lines, invoice_payments, due_work, payment_links, subscription_collections,
// journal_entries, transactions, refunds, reversals, journal_lines, credit_note_applications, credit_applications, customers,
// open_invoice_totals.
import { creditUsed } from "../../domain/given-back.ts";
import { IN_OPEN } from "../../domain/invoices.ts";
import { discountRules, lineExamination } from "../../domain/line-rows.ts";
import { part, type Tx } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { INVOICE_OVERDUE } from "./declarations.ts";

/** Invoices against their lines, the amounts paid on them and the states of interface 3.3. */
const invoices = examination(
  "invoices",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, due_date, subtotal_cents, tax_cents, total_cents, paid_cents, issued_at, paid_at, cancelled_at, missed_at,
             currency, tax_inclusive, discount_percent, discount_cents
        from invoices where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    priced as (
      select invoice_id, sum(amount_cents) as amount, sum(tax_cents) as tax, sum(document_discount_cents) as shares from invoice_lines
       where organisation_id = ${tx.organisation} and invoice_id in (select id from part) group by invoice_id),
    received as (
      select invoice_id, sum(amount_cents) as paid, max(paid_at) filter (where amount_cents > 0) as last_paid_at from invoice_payments
       where organisation_id = ${tx.organisation} and invoice_id in (select id from part) group by invoice_id),
    facts as (
      select p.*, coalesce(n.amount, 0) as amount, coalesce(n.tax, 0) as tax, coalesce(n.shares, 0) as shares,
             coalesce(y.paid, 0) as received, y.last_paid_at,
             exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = ${INVOICE_OVERDUE.kind}
               and w.subject = p.id) as awaited,
             exists (select from payment_links l where l.organisation_id = ${tx.organisation} and l.invoice_id = p.id
               and l.active) as collected
        from part p left join priced n on n.invoice_id = p.id left join received y on y.invoice_id = p.id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('lines_subtotal', f.amount::text, f.subtotal_cents::text, true),
        ('lines_tax', f.tax::text, f.tax_cents::text, true),
        ('total', (f.subtotal_cents + f.tax_cents)::text, f.total_cents::text, true),
        ${discountRules(part`f`, part`not f.tax_inclusive`)},
        ('paid_cents', f.received::text, f.paid_cents::text, true),
        ('status_of_payments', case when f.cancelled_at is not null then 'cancelled' when f.received >= f.total_cents then 'paid'
           when f.received > 0 then 'partially_paid' when f.issued_at is null then 'draft'
           when f.status = 'overdue' and f.due_date is not null then 'overdue' else 'sent' end, f.status, true),
        ('paid_at', (f.status = 'paid')::text, (f.paid_at is not null)::text, true),
        ('paid_at_latest', f.last_paid_at::text, f.paid_at::text, f.status = 'paid'),
        ('overdue_awaited', 'true', f.awaited::text, f.status = 'sent' and f.due_date is not null),
        ('missed', (select k.missed_at::text from subscription_collections k
                    where k.organisation_id = ${tx.organisation} and k.invoice_id = f.id),
           f.missed_at::text, true),
        ('no_active_link', 'false', f.collected::text, f.status in ('paid', 'cancelled'))
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/**
 * The common table expression `returned`: for each cancelled invoice, what its payments had already refunded or
 * reversed, from the ledger account `refunds`. Leaves out losses: what left a payment above its amount, including
 * credit that was paid out.
 */
const returned = (tx: Tx) => part`
    returned as (
      select a.id, sum(a.refunds) as refunds from (
        select c.subject as id, coalesce(sum(l.amount_cents) filter (where l.account = 'refunds'), 0)
                 - greatest(0, coalesce(-sum(l.amount_cents) filter (where l.account in ('gateway_clearing', 'bank')), 0) + (
                     select coalesce(sum(s.amount_cents), 0) from ${creditUsed(tx)} s join journal_entries o
                         on o.organisation_id = ${tx.organisation} and o.kind = s.entry_kind and o.subject = s.entry_subject
                      where s.transaction_id = t.id and o.id < c.id) - t.amount_cents) as refunds
          from entry c
          join invoice_payments y on y.organisation_id = ${tx.organisation} and y.invoice_id = c.subject and y.source = 'transaction'
          join transactions t on t.organisation_id = ${tx.organisation} and t.id = y.subject
         cross join lateral (
           select id from refunds b where b.organisation_id = ${tx.organisation} and b.transaction_id = t.id
           union all select id from reversals w where w.organisation_id = ${tx.organisation} and w.transaction_id = t.id) b
          join journal_entries e on e.organisation_id = ${tx.organisation} and e.kind in ('refund', 'refund_reversal', 'reversal')
           and e.subject = b.id and e.id < c.id
          join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
         where c.kind = 'invoice_cancelled' group by c.subject, c.id, t.id, t.amount_cents) a
       group by a.id)`;

/**
 * Invoices against the books: an invoice that has left draft is posted once, a cancelled one is reversed, and all
 * entries about an invoice add up to its open amount. The entry of a cancellation considers what was refunded or
 * reversed of its payments before; an amount that was refunded and then also reversed by a bank is a loss.
 */
const invoiceEntries = examination(
  "invoices",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, customer_id, currency, subtotal_cents, tax_cents, issued_at, issued_at is not null as issued, cancelled_at,
             issued_at is not null and cancelled_at is not null as undone,
             case when issued_at is not null and cancelled_at is null then total_cents - paid_cents else 0 end as due
        from invoices where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    entry as materialized (
      select e.subject, e.kind, e.occurred_at, max(e.id) as id, coalesce(string_agg(distinct l.currency, ','), '') as currency,
             coalesce(sum(l.amount_cents) filter (where l.account = 'revenue'), 0) as revenue,
             coalesce(sum(l.amount_cents) filter (where l.account = 'vat_output'), 0) as vat,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'refunds'), 0) as refunds,
             string_agg(distinct l.customer_id, ',') as customer
        from journal_entries e left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind in ('invoice', 'invoice_cancelled') and e.subject in (select id from part)
       group by e.subject, e.kind, e.occurred_at),
    -- Without statistics, as of a new database, the planner would find these entries anew for each line of the journal.
    about as materialized (
      select p.id, e.id as entry from part p join journal_entries e
          on e.organisation_id = ${tx.organisation} and e.kind in ('invoice', 'invoice_cancelled') and e.subject = p.id
      union all
      select p.id, e.id from part p join invoice_payments y on y.organisation_id = ${tx.organisation} and y.invoice_id = p.id
        join journal_entries e on e.organisation_id = ${tx.organisation} and e.kind = 'offline_payment' and e.subject = y.id
      union all
      select p.id, e.id from part p join invoice_payments y
          on y.organisation_id = ${tx.organisation} and y.invoice_id = p.id and y.source = 'reversal'
        join journal_entries e on e.organisation_id = ${tx.organisation} and e.kind = 'reversal' and e.subject = y.subject
      union all
      select p.id, e.id from part p join invoice_payments y
          on y.organisation_id = ${tx.organisation} and y.invoice_id = p.id and y.source = 'transaction'
        join transactions t on t.organisation_id = ${tx.organisation} and t.id = y.subject
        join journal_entries e on e.organisation_id = ${tx.organisation} and e.kind = 'payment' and e.subject = t.reference
      union all
      select p.id, e.id from part p join invoice_payments y
          on y.organisation_id = ${tx.organisation} and y.invoice_id = p.id and y.source = 'credit'
        join journal_entries e on e.organisation_id = ${tx.organisation} and e.kind = 'credit_use' and e.subject = y.subject
      union all
      select p.id, e.id from part p join journal_entries e on e.organisation_id = ${tx.organisation} and e.kind = 'credit_application'
         and e.subject > p.id || ':' and e.subject < p.id || ';'),
    owed as (
      select a.id, sum(l.amount_cents) as receivable from about a
        join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = a.entry and l.account = 'receivable' group by a.id),
    ${returned(tx)},
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join entry e on e.subject = p.id and e.kind = 'invoice' left join entry c on c.subject = p.id and c.kind = 'invoice_cancelled'
        left join owed o on o.id = p.id left join returned b on b.id = p.id
       cross join lateral (values
        ('invoice_entry', p.issued::text, (e.id is not null)::text, true),
        ('invoice_entry_revenue', p.subtotal_cents::text, (-e.revenue)::text, p.issued and e.id is not null),
        ('invoice_entry_vat', p.tax_cents::text, (-e.vat)::text, p.issued and e.id is not null),
        ('invoice_entry_customer', p.customer_id, e.customer, p.issued and e.id is not null),
        ('invoice_entry_currency', p.currency, e.currency, p.issued and e.id is not null),
        ('invoice_entry_date', p.issued_at::text, e.occurred_at::text, p.issued and e.id is not null),
        ('cancel_entry', p.undone::text, (c.id is not null)::text, true),
        ('cancel_entry_revenue', p.subtotal_cents::text, c.revenue::text, p.undone and c.id is not null),
        ('cancel_entry_vat', p.tax_cents::text, c.vat::text, p.undone and c.id is not null),
        ('cancel_entry_refunds', coalesce(b.refunds, 0)::text, c.refunds::text, p.undone and c.id is not null),
        ('cancel_entry_date', p.cancelled_at::text, c.occurred_at::text, p.undone and c.id is not null),
        ('receivable', p.due::text, coalesce(o.receivable, 0)::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/**
 * Allocations of invoices: an offline payment is posted once, an online one is a completed payment of this invoice, a
 * credit is an application of its credit note.
 */
const invoicePayments = examination(
  "invoice_payments",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, invoice_id, source, subject, amount_cents, paid_at from invoice_payments
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    entry as (
      select e.subject, e.occurred_at, coalesce(string_agg(distinct l.currency, ','), '') as currency,
             coalesce(sum(l.amount_cents) filter (where l.account = 'bank'), 0) as bank,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'receivable'), 0) as receivable
        from journal_entries e left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'offline_payment' and e.subject in (select id from part)
       group by e.subject, e.occurred_at),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join invoices i on i.organisation_id = ${tx.organisation} and i.id = p.invoice_id
        left join entry e on e.subject = p.id
        left join transactions t on t.organisation_id = ${tx.organisation} and p.source = 'transaction' and t.id = p.subject
        left join credit_note_applications a on a.organisation_id = ${tx.organisation} and p.source = 'credit_note'
          and a.credit_note_id = p.subject and a.invoice_id = p.invoice_id
        left join credit_applications u on u.organisation_id = ${tx.organisation} and p.source = 'credit' and u.id = p.subject
       cross join lateral (values
        ('offline_entry', (p.source = 'offline')::text, (e.subject is not null)::text, true),
        ('offline_entry_bank', p.amount_cents::text, e.bank::text, p.source = 'offline' and e.subject is not null),
        ('offline_entry_receivable', p.amount_cents::text, e.receivable::text, p.source = 'offline' and e.subject is not null),
        ('offline_entry_currency', i.currency, e.currency, p.source = 'offline' and e.subject is not null),
        ('offline_entry_date', p.paid_at::text, e.occurred_at::text, p.source = 'offline' and e.subject is not null
           and not (e.occurred_at > p.paid_at and e.occurred_at at time zone 'Africa/Johannesburg'
             = date_trunc('month', e.occurred_at at time zone 'Africa/Johannesburg'))),
        ('payment_of_invoice', p.invoice_id || ' paid in ' || i.currency,
           t.invoice_id || case when t.paid_at is null then ' unpaid in ' else ' paid in ' end || t.currency, p.source = 'transaction'),
        ('credit_of_invoice', p.amount_cents::text, a.amount_cents::text, p.source = 'credit_note'),
        ('applied_to_invoice', p.invoice_id || ' ' || p.amount_cents, u.invoice_id || ' ' || u.amount_cents, p.source = 'credit')
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Lines of invoices: each amount is its quantity times its price, less discounts, each VAT its own (interface 2.5, 16.1). */
const invoiceLines = lineExamination(
  "invoice_lines",
  (tx) => part`
  select n.invoice_id as document, n.line, n.quantity, n.unit_price, n.tax_rate, n.discount_percent, n.discount_cents,
         n.document_discount_cents, n.amount_cents, n.tax_cents, i.currency, i.tax_inclusive, i.tax_inclusive as net_of_gross,
         n.amount_cents + n.tax_cents as gross
    from invoice_lines n join invoices i on i.organisation_id = ${tx.organisation} and i.id = n.invoice_id
   where n.organisation_id = ${tx.organisation} and (n.invoice_id, n.line)`,
);

/**
 * Customers' stored totals of open invoices against the invoices. The id of a finding is the customer's, the currency
 * and the due date, with colons between; the due date `infinity` stands for none.
 */
const openInvoiceTotals = examination(
  "open_invoice_totals",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id from customers where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    summed as (
      select customer_id, currency, coalesce(due_date, 'infinity') as due_date, count(*) as open_invoices,
             sum(total_cents - paid_cents) as open_cents
        from invoices
       where organisation_id = ${tx.organisation} and status ${IN_OPEN} and customer_id in (select id from part)
       group by customer_id, currency, coalesce(due_date, 'infinity')),
    kept as (
      select customer_id, currency, due_date, open_invoices, open_cents from open_invoice_totals
       where organisation_id = ${tx.organisation} and customer_id in (select id from part)),
    faults as (
      select concat_ws(':', coalesce(s.customer_id, k.customer_id), coalesce(s.currency, k.currency),
                       coalesce(s.due_date, k.due_date)) as id, r.rule, r.expected, r.found
        from summed s full join kept k on k.customer_id = s.customer_id and k.currency = s.currency and k.due_date = s.due_date
       cross join lateral (values
        ('kept_open_invoices', coalesce(s.open_invoices, 0)::text, coalesce(k.open_invoices, 0)::text),
        ('kept_open_amount', coalesce(s.open_cents, 0)::text, coalesce(k.open_cents, 0)::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const invoiceExaminations: readonly Examination[] = [
  invoices,
  invoiceEntries,
  invoicePayments,
  invoiceLines,
  openInvoiceTotals,
];
