// Writes nothing. Reads: customers, journal_entries, journal_lines, transactions, refunds, invoices, invoice_payments, credit_notes, due_work.
import type { BusinessDay } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import { type Examined, type ExaminedRow, examined, FINDINGS } from "../../../platform/examined.ts";

/**
 * Entries: each balances in each currency, is of something that happened, and a reversal takes back all of its entry, to the customer's
 * credit as it is by then (docs/architecture.md, Data).
 */
export async function examineEntries(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, kind, subject, occurred_at from journal_entries
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    sides as (
      select entry_id, max(abs(balance)) as off, sum(lines) as lines, min(first_at) as first_at, max(last_at) as last_at from (
        select entry_id, currency, sum(amount_cents) as balance, count(*) as lines, min(occurred_at) as first_at, max(occurred_at) as last_at
          from journal_lines
         where organisation_id = ${tx.organisation} and entry_id in (select id from part) group by entry_id, currency) sums
       group by entry_id),
    reversals as (
      select p.id, bool_and(r.left_over = 0) as whole from part p cross join lateral (
        select sum(l.amount_cents) as left_over from journal_entries e
          join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
         where e.organisation_id = ${tx.organisation} and e.kind in ('refund', 'refund_reversal') and e.subject = p.subject
         group by case when l.account = 'customer_credit' then 'refunds' else l.account end, l.customer_id, l.currency) r
       where p.kind = 'refund_reversal' group by p.id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join sides s on s.entry_id = p.id left join reversals v on v.id = p.id
        left join transactions t on t.organisation_id = ${tx.organisation} and p.kind = 'payment' and t.reference = p.subject
        left join refunds b on b.organisation_id = ${tx.organisation} and p.kind in ('refund', 'refund_reversal') and b.id = p.subject
        left join invoices i on i.organisation_id = ${tx.organisation}
          and p.kind in ('invoice', 'invoice_cancelled', 'credit_application') and i.id = split_part(p.subject, ':', 1)
        left join invoice_payments y on y.organisation_id = ${tx.organisation} and p.kind = 'offline_payment' and y.id = p.subject
        left join credit_notes n on n.organisation_id = ${tx.organisation}
          and (p.kind = 'credit_note' and n.id = p.subject or p.kind = 'credit_application' and n.id = split_part(p.subject, ':', 2))
       cross join lateral (values
        ('entry_balances', '0', coalesce(s.off, 0)::text, true),
        ('entry_has_lines', 'true', (coalesce(s.lines, 0) >= 2)::text, true),
        ('entry_lines_date', 'true', (s.first_at = p.occurred_at and s.last_at = p.occurred_at)::text, s.lines > 0),
        ('entry_subject', 'true', (case p.kind when 'payment' then t.status in ('complete', 'refunded', 'partially_refunded')
           when 'refund' then b.status in ('pending', 'processed', 'failed') when 'refund_reversal' then b.status = 'failed'
           when 'invoice' then i.issued_at is not null when 'invoice_cancelled' then i.issued_at is not null and i.cancelled_at is not null
           when 'offline_payment' then y.source = 'offline' when 'credit_note' then n.id is not null
           when 'credit_application' then i.issued_at is not null and n.customer_id = i.customer_id end)::text, true),
        ('reversal_whole', 'true', v.whole::text, p.kind = 'refund_reversal')
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("journal_entries", rows, limit);
}

/**
 * Customers: the standing that was last told is what the books say (interface 2.14), in the currency that standing is told in; what the books
 * say is owed is what is open on invoices, and what they hold is what nobody owed and was not given back, in every currency. What is late
 * by `today` may still await the work that tells it.
 */
export async function examineCustomers(
  tx: Tx,
  after: string,
  limit: number,
  { currency, today }: { currency: string; today: BusinessDay },
): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, active, standing from customers
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    owed as (
      select customer_id, currency, sum(amount_cents) as balance from journal_lines
       where organisation_id = ${tx.organisation} and account = 'receivable' and customer_id in (select id from part)
       group by customer_id, currency),
    held as (
      select customer_id, currency, -sum(amount_cents) as credit from journal_lines
       where organisation_id = ${tx.organisation} and account = 'customer_credit' and customer_id in (select id from part)
       group by customer_id, currency),
    kept as (
      select customer_id, currency, sum(amount_cents) as credit from (
        select coalesce(i.customer_id, t.customer_id) as customer_id, t.currency,
               greatest(0, t.overpaid_cents - coalesce((select sum(b.amount_cents) from refunds b where b.organisation_id = ${tx.organisation}
                 and b.transaction_id = t.id and b.status in ('pending', 'processed')), 0)) as amount_cents
          from transactions t left join invoices i on i.organisation_id = ${tx.organisation} and i.id = t.invoice_id
         where t.organisation_id = ${tx.organisation} and t.overpaid_cents > 0
        union all
        select customer_id, currency, remaining_cents from credit_notes where organisation_id = ${tx.organisation} and remaining_cents > 0
        union all
        select i.customer_id, i.currency, y.amount_cents from invoices i
          join invoice_payments y on y.organisation_id = ${tx.organisation} and y.invoice_id = i.id and y.source = 'offline'
         where i.organisation_id = ${tx.organisation} and i.status = 'cancelled') credits
       where customer_id in (select id from part) group by customer_id, currency),
    open as (
      select i.customer_id, i.currency, sum(i.total_cents - i.paid_cents) as due, bool_or(i.due_date < ${today}) as late,
             bool_or(i.due_date is not null and not exists (select from due_work w where w.organisation_id = ${tx.organisation}
               and w.kind = 'invoice.overdue' and w.subject = i.id)) as told_late
        from invoices i where i.organisation_id = ${tx.organisation} and i.customer_id in (select id from part)
         and i.status in ('sent', 'overdue', 'partially_paid')
       group by i.customer_id, i.currency),
    told as (
      select p.id, case when not p.active then 'suspended' when coalesce(o.balance, 0) <= 0 and n.due is null then 'good'
                        when n.told_late or n.late and p.standing = 'overdue' then 'overdue' else 'owing' end as expected, p.standing as found
        from part p left join owed o on o.customer_id = p.id and o.currency = ${currency}
        left join open n on n.customer_id = p.id and n.currency = ${currency}),
    faults as (
      select id, 'standing' as rule, expected, found from told where expected <> found
      union all
      select coalesce(n.customer_id, o.customer_id), 'receivable' as rule, coalesce(n.due, 0)::text, coalesce(o.balance, 0)::text
        from owed o full join open n on n.customer_id = o.customer_id and n.currency = o.currency
       where coalesce(n.due, 0) <> coalesce(o.balance, 0)
      union all
      select coalesce(k.customer_id, h.customer_id), 'credit' as rule, coalesce(k.credit, 0)::text, coalesce(h.credit, 0)::text
        from held h full join kept k on k.customer_id = h.customer_id and k.currency = h.currency
       where coalesce(k.credit, 0) <> coalesce(h.credit, 0))
    ${FINDINGS}`;
  return examined("customers", rows, limit);
}
