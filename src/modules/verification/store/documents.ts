// Writes nothing. Reads: quotes, quote_lines, credit_notes, credit_note_applications, eft_orders, document_numbers, invoices,
// invoice_payments, transactions, journal_entries, journal_lines, due_work.
import type { Tx } from "../../../platform/database.ts";
import { type Examined, type ExaminedRow, examined, FINDINGS } from "../../../platform/examined.ts";

/** Quotes against their lines, the invoice each was converted into, and the work that ends it (interface 2.6, 3.4). */
export async function examineQuotes(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, status, customer_id, tax_inclusive, subtotal_cents, tax_cents, total_cents, expiry_date, invoice_id from quotes
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    priced as (
      select quote_id, sum(amount_cents) as amount, sum(tax_cents) as tax from quote_lines
       where organisation_id = ${tx.organisation} and quote_id in (select id from part) group by quote_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join priced n on n.quote_id = p.id
        left join invoices i on i.organisation_id = ${tx.organisation} and i.quote_id = p.id
       cross join lateral (values
        ('quote_lines_subtotal', (coalesce(n.amount, 0) - case when p.tax_inclusive then coalesce(n.tax, 0) else 0 end)::text,
           p.subtotal_cents::text, true),
        ('quote_lines_tax', coalesce(n.tax, 0)::text, p.tax_cents::text, true),
        ('quote_total', (p.subtotal_cents + p.tax_cents)::text, p.total_cents::text, true),
        ('quote_invoice', case p.status when 'invoiced' then p.invoice_id end, i.id, true),
        ('quote_invoice_total', p.total_cents || ' ' || p.customer_id, i.total_cents || ' ' || i.customer_id, i.id is not null),
        ('expiry_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = 'quote.expire'
           and w.subject = p.id)::text, p.status = 'sent' and p.expiry_date is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("quotes", rows, limit);
}

/** Credit notes against what was applied of them, the invoice they correct and the books (interface 2.14; docs/architecture.md, Data). */
export async function examineCreditNotes(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, status, customer_id, invoice_id, currency, tax_rate, tax_cents, amount_cents, remaining_cents from credit_notes
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    applied as (
      select a.credit_note_id, sum(a.amount_cents) as amount, count(*) as applications, count(y.id) as allocations,
             count(*) filter (where exists (select from journal_entries e join journal_lines l
               on l.organisation_id = ${tx.organisation} and l.entry_id = e.id and l.account = 'receivable'
              where e.organisation_id = ${tx.organisation} and e.kind = 'credit_application'
                and e.subject = a.invoice_id || ':' || a.credit_note_id and l.amount_cents = -a.amount_cents)) as entries
        from credit_note_applications a left join invoice_payments y on y.organisation_id = ${tx.organisation}
          and y.source = 'credit_note' and y.subject = a.credit_note_id and y.invoice_id = a.invoice_id and y.amount_cents = a.amount_cents
       where a.organisation_id = ${tx.organisation} and a.credit_note_id in (select id from part) group by a.credit_note_id),
    entry as (
      select e.subject, coalesce(string_agg(distinct l.currency, ','), '') as currency, string_agg(distinct l.customer_id, ',') as customer,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'customer_credit'), 0) as credit,
             coalesce(sum(l.amount_cents) filter (where l.account = 'vat_output'), 0) as vat
        from journal_entries e left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'credit_note' and e.subject in (select id from part) group by e.subject),
    facts as (
      select p.*, coalesce(a.amount, 0) as applied, coalesce(a.applications, 0) as applications, coalesce(a.allocations, 0) as allocations,
             coalesce(a.entries, 0) as entries, e.subject is not null as posted, e.currency as posted_currency, e.customer, e.credit, e.vat,
             i.total_cents as invoice_total, i.customer_id as invoice_customer,
             (select sum(c.amount_cents) from credit_notes c where c.organisation_id = ${tx.organisation} and c.invoice_id = p.invoice_id)
               as corrected
        from part p left join applied a on a.credit_note_id = p.id left join entry e on e.subject = p.id
        left join invoices i on i.organisation_id = ${tx.organisation} and i.id = p.invoice_id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('remaining', (f.amount_cents - f.applied)::text, f.remaining_cents::text, true),
        ('note_status', case when f.applied = 0 then 'issued' when f.applied = f.amount_cents then 'applied' else 'partially_applied' end,
           f.status, true),
        ('note_tax', round(f.amount_cents * f.tax_rate / (100 + f.tax_rate))::text, f.tax_cents::text, true),
        ('application_allocated', f.applications::text, f.allocations::text, true),
        ('application_entry', f.applications::text, f.entries::text, true),
        ('note_entry', 'true', f.posted::text, true),
        ('note_entry_credit', f.amount_cents::text, f.credit::text, f.posted),
        ('note_entry_vat', f.tax_cents::text, f.vat::text, f.posted),
        ('note_entry_customer', f.customer_id, f.customer, f.posted),
        ('note_entry_currency', f.currency, f.posted_currency, f.posted),
        ('corrects_own_invoice', f.customer_id, f.invoice_customer, f.invoice_id is not null),
        ('corrects_at_most', f.invoice_total::text, f.corrected::text, f.corrected > f.invoice_total)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("credit_notes", rows, limit);
}

/** Bank transfers against their payments (interface 3.10). One that expired or awaits staff can still be paid. */
export async function examineEftOrders(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, reference, status, amount_cents, currency from eft_orders
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join transactions t on t.organisation_id = ${tx.organisation} and t.reference = p.reference and t.eft_order_id = p.id
       cross join lateral (values
        ('transfer_payment', p.amount_cents || ' ' || p.currency, t.amount_cents || ' ' || t.currency, true),
        ('transfer_paid', (t.paid_at is not null)::text, (p.status = 'paid')::text, t.id is not null),
        ('transfer_payment_status', case p.status when 'cancelled' then 'cancelled' else 'pending' end, t.status,
           t.paid_at is null and t.id is not null),
        ('transfer_expiry_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = 'eft.expire' and w.subject = p.id)::text, p.status in ('awaiting_payment', 'rejected'))
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("eft_orders", rows, limit);
}

/** Numbers of each kind: none twice, and from 1 to the last without a gap (decision 74), deleted quotes left out. A row is a kind. */
export async function examineNumbers(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select k.kind as id, coalesce(n.last_number, 0) as last_number
        from (values ('credit_note'), ('invoice'), ('quote')) k(kind)
        left join document_numbers n on n.organisation_id = ${tx.organisation} and n.kind = k.kind
       where k.kind > ${after} order by k.kind limit ${limit}),
    used as (
      select 'invoice' as kind, number from invoices where organisation_id = ${tx.organisation}
      union all select 'quote', number from quotes where organisation_id = ${tx.organisation}
      union all select 'credit_note', number from credit_notes where organisation_id = ${tx.organisation}),
    counted as (
      select kind, count(*) as documents, count(distinct counter) as numbers, coalesce(max(counter), 0) as last from (
        select kind, case when number ~ '^(INV|QUO|CN)-[0-9]{6,15}$' then split_part(number, '-', 2)::bigint end as counter
          from used where kind in (select id from part)) numbered group by kind),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join counted c on c.kind = p.id cross join lateral (values
        ('number_once', coalesce(c.documents, 0)::text, coalesce(c.numbers, 0)::text, true),
        ('last_number', coalesce(c.last, 0)::text, p.last_number::text, p.id <> 'quote' or c.last > p.last_number),
        ('numbers_without_gap', coalesce(c.last, 0)::text, coalesce(c.numbers, 0)::text, p.id <> 'quote')
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("document_numbers", rows, limit);
}
