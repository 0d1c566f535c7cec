// Writes nothing. Reads: customers, journal_lines, customer_balances, invoices, open_invoice_totals.
import type { Tx } from "../../../platform/database.ts";
import { type Examined, type ExaminedRow, examined, FINDINGS } from "../../../platform/examined.ts";

/**
 * Customers' kept balances against the lines of the journal. A finding's id is the customer's and the currency, with a colon between.
 */
export async function examineCustomerBalances(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
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
       where r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("customer_balances", rows, limit);
}

/**
 * Customers' kept totals of open invoices against the invoices. A finding's id is the customer's, the currency and the due date, with
 * colons between; the due date `infinity` stands for none.
 */
export async function examineOpenInvoiceTotals(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id from customers where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    summed as (
      select customer_id, currency, coalesce(due_date, 'infinity') as due_date, count(*) as open_invoices,
             sum(total_cents - paid_cents) as open_cents
        from invoices
       where organisation_id = ${tx.organisation} and status in ('sent', 'overdue', 'partially_paid') and customer_id in (select id from part)
       group by customer_id, currency, coalesce(due_date, 'infinity')),
    kept as (
      select customer_id, currency, due_date, open_invoices, open_cents from open_invoice_totals
       where organisation_id = ${tx.organisation} and customer_id in (select id from part)),
    faults as (
      select concat_ws(':', coalesce(s.customer_id, k.customer_id), coalesce(s.currency, k.currency), coalesce(s.due_date, k.due_date)) as id,
             r.rule, r.expected, r.found
        from summed s full join kept k on k.customer_id = s.customer_id and k.currency = s.currency and k.due_date = s.due_date
       cross join lateral (values
        ('kept_open_invoices', coalesce(s.open_invoices, 0)::text, coalesce(k.open_invoices, 0)::text),
        ('kept_open_amount', coalesce(s.open_cents, 0)::text, coalesce(k.open_cents, 0)::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("open_invoice_totals", rows, limit);
}
