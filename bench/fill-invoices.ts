import { DAY_SUMS } from "./fill-day-sums.ts";
import {
  CUSTOMERS,
  CUSTOMERS_OF_LARGE,
  LARGE,
  ORGANISATIONS,
  sqlCustomerId,
  sqlInvoiceId,
  sqlOrganisationId,
} from "./names.ts";
import type { BenchServer } from "./server.ts";

/** How many invoices, at least one for each customer. */
export interface InvoiceCounts {
  /** Of the large organisation. */
  readonly large: number;
  /** Of each of the others. */
  readonly each: number;
  /** How many customers the large organisation has, if other than `CUSTOMERS_OF_LARGE`. */
  readonly customersOfLarge?: number;
}

/** One unpaid invoice for each customer. */
export const AT_FIRST: InvoiceCounts = { large: CUSTOMERS_OF_LARGE, each: CUSTOMERS };
/** A million in all; half of them are the large organisation's. */
export const A_MILLION: InvoiceCounts = { large: 1_000_000 - 500 * (ORGANISATIONS - 1), each: 500 };
/** The large organisation has one customer, with 100 000 invoices. */
export const ONE_CUSTOMER: InvoiceCounts = { large: 100_000, each: CUSTOMERS, customersOfLarge: 1 };
/** Gives `verify` about a million rows to examine. */
export const A_MILLION_ROWS: InvoiceCounts = { large: 70_000, each: 65 };

/** Of every ten invoices of a customer; the first is sent, so that every customer owes something. */
const STATUSES = ["sent", "sent", "sent", "sent", "draft", "partially_paid", "paid", "paid", "paid", "cancelled"];
/** Invoices with an open amount, which have a pay link. */
const LINKED = "status in ('draft', 'sent', 'partially_paid')";
/** Of the three lines below. */
const [SUBTOTAL, TAX, PART] = [104_970, 11_996, 50_000];
const TOTAL = SUBTOTAL + TAX;
const LINES = `(values (1::smallint, 'Monthly plan', 1, 500, 15, 50000, 7500), (2::smallint, 'Extra seats', 3, 99.9, 15, 29970, 4496),
  (3::smallint, 'School books, zero-rated', 1, 250, 0, 25000, 0)) n(line, description, quantity, unit_price, tax_rate, amount, tax)`;

const id = (prefix: string) => `'${prefix}_' || substr(invoice_id, 5)`;

/**
 * Customers and their invoices, as the service writes them: numbers, lines, pay links, payments and the books, so that `verify` holds.
 * Without their audit log. The database must have neither before.
 */
const fillSql = ({ large, each, customersOfLarge = CUSTOMERS_OF_LARGE }: InvoiceCounts): string => `
  -- The rows fulfil the constraints by construction, so they are not checked row by row.
  set session_replication_role = replica;
  create temporary table filling as
    select organisation_id, number, customer_id, invoice_id, status, current_timestamp as at, (current_timestamp at time zone 'Africa/Johannesburg')::date as day,
           case status when 'paid' then ${TOTAL} when 'partially_paid' then ${PART} else 0 end as paid
      from (select ${sqlOrganisationId("org")} as organisation_id, invoice + 1 as number, ${sqlCustomerId("org", "invoice % customers")} as customer_id,
                   ${sqlInvoiceId("org", "invoice")} as invoice_id, ('{${STATUSES.join(",")}}'::text[])[invoice / customers % ${STATUSES.length} + 1] as status
              from generate_series(1, ${ORGANISATIONS}) org
             cross join lateral (select case org when ${LARGE} then ${customersOfLarge} else ${CUSTOMERS} end as customers) c
             cross join lateral generate_series(0, case org when ${LARGE} then ${large} else ${each} end - 1) invoice) invoices;
  analyze filling;
  insert into customers (organisation_id, id, account_code, external_reference, first_name, last_name, company, vat_number, address, standing,
    created_at, updated_at)
  select distinct organisation_id, customer_id, 'C-' || right(customer_id, 8), 'customer-' || right(customer_id, 8), 'Thandi', 'Nkosi',
    'Nkosi Traders', '4123456789', '12 Long Street, Cape Town', 'owing', at, at from filling;
  insert into document_numbers (organisation_id, kind, last_number)
  select organisation_id, 'invoice', max(number) from filling group by organisation_id;
  insert into invoices (organisation_id, id, number, status, customer_id, currency, issue_date, due_date, tax_inclusive, subtotal_cents,
    tax_cents, total_cents, paid_cents, issued_at, sent_at, paid_at, cancelled_at, created_at, updated_at)
  select organisation_id, invoice_id, 'INV-' || lpad(number::text, 6, '0'), status, customer_id, 'ZAR', day, day + 30, false, ${SUBTOTAL},
    ${TAX}, ${TOTAL}, paid, case when status <> 'draft' then at end, case when status <> 'draft' then at end,
    case when status = 'paid' then at end, case when status = 'cancelled' then at end, at, at from filling;
  insert into invoice_lines (organisation_id, invoice_id, line, description, quantity, unit_price, tax_rate, amount_cents, tax_cents)
  select organisation_id, invoice_id, n.* from filling cross join ${LINES};
  insert into payment_links (organisation_id, id, title, amount_cents, currency, single_use, customer_id, invoice_id, collects_balance, created_at)
  select organisation_id, 'plink_7' || substr(invoice_id, 6), 'Invoice INV-' || lpad(number::text, 6, '0'), ${TOTAL} - paid, 'ZAR', true, customer_id, invoice_id,
    true, at from filling where ${LINKED};
  insert into invoice_payments (organisation_id, id, invoice_id, source, method, amount_cents, paid_at, created_at)
  select organisation_id, ${id("ipm")}, invoice_id, 'offline', 'eft', paid, at, at from filling where paid > 0;
  insert into due_work (organisation_id, kind, subject, lane, due_at)
  select organisation_id, 'invoice.overdue', invoice_id, 'invoice.overdue', (day + 31)::timestamp at time zone 'Africa/Johannesburg'
    from filling where status in ('sent', 'partially_paid');
  create temporary table posting as
    select f.organisation_id, f.customer_id, f.at, f.number, e.* from filling f cross join lateral (values
      (true, ${id("jrn")}, 'invoice', invoice_id, array['receivable', 'revenue', 'vat_output'], array[${TOTAL}, -${SUBTOTAL}, -${TAX}]),
      (paid > 0, 'jrn_1' || substr(invoice_id, 6), 'offline_payment', ${id("ipm")}, array['bank', 'receivable'], array[paid, -paid]),
      (status = 'cancelled', 'jrn_2' || substr(invoice_id, 6), 'invoice_cancelled', invoice_id, array['receivable', 'revenue', 'vat_output'],
        array[-${TOTAL}, ${SUBTOTAL}, ${TAX}])
    ) e(posted, entry_id, kind, subject, accounts, amounts) where status <> 'draft' and posted;
  insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
  select organisation_id, entry_id, kind, subject, at, 'Invoice INV-' || lpad(number::text, 6, '0') from posting;
  insert into journal_lines (organisation_id, entry_id, line, account, customer_id, amount_cents, currency, occurred_at)
  select organisation_id, entry_id, line, account, case when account in ('receivable', 'revenue') then customer_id end, amount, 'ZAR', at
    from posting cross join lateral unnest(accounts, amounts) with ordinality p(account, amount, line);
  insert into customer_balances (organisation_id, customer_id, currency, receivable_cents, posted)
  select organisation_id, customer_id, 'ZAR', sum(case when status in ('sent', 'partially_paid') then ${TOTAL} - paid else 0 end), true
    from filling where status <> 'draft' group by organisation_id, customer_id;
  insert into open_invoice_totals (organisation_id, customer_id, currency, due_date, open_invoices, open_cents)
  select organisation_id, customer_id, 'ZAR', day + 30, count(*), sum(${TOTAL} - paid)
    from filling where status in ('sent', 'partially_paid') group by organisation_id, customer_id, day;
  drop table filling, posting;${DAY_SUMS}`;

/** Fills a database of the bench and vacuums it. */
export async function fillInvoices({ query }: BenchServer, url: string, counts: InvoiceCounts): Promise<void> {
  await query(url, fillSql(counts));
  await query(
    url,
    "vacuum analyze organisations, customers, document_numbers, invoices, invoice_lines, invoice_payments, payment_links, due_work, journal_entries, journal_lines, customer_balances, open_invoice_totals, day_sums, money_sums",
  );
  await query(url, "checkpoint");
}
