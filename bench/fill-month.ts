import type { BenchServer } from "./server.ts";

/** Of the lines of each invoice: two at 15 %, one without VAT. */
const [SUBTOTAL, TAX] = [104_970, 11_996];
const TOTAL = SUBTOTAL + TAX;
const FIRST_PART = 50_000;
const LINES = `(values (1::smallint, 'Monthly plan', 1, 500, 15, 50000, 7500), (2::smallint, 'Extra seats', 3, 99.9, 15, 29970, 4496),
  (3::smallint, 'School books, zero-rated', 1, 250, 0, 25000, 0)) n(line, description, quantity, unit_price, tax_rate, amount, tax)`;
const id = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`;

/**
 * `count` invoices of one customer that were issued and paid in a month of which `at` is a moment: nine of ten at once,
 * every tenth in two parts, the first a month before. With the books, without what the return does not read. Of an
 * organisation without invoices.
 */
export async function fillMonth(
  { query }: BenchServer,
  url: string,
  { organisation, at, count }: { readonly organisation: string; readonly at: string; readonly count: number },
): Promise<void> {
  const values = `'${organisation}'`;
  await query(
    url,
    `set session_replication_role = replica;
    create temporary table filling as
      select n, ${id("inv")} as invoice_id, ${id("ipm")} as payment_id, '${at}'::timestamptz as at, n % 10 = 0 as parted from generate_series(1, ${count}) n;
    insert into customers (organisation_id, id, account_code, first_name, standing, created_at, updated_at)
    values (${values}, 'cus_${"0".repeat(26)}', 'C-BENCH', 'Thandi', 'good', '${at}', '${at}');
    insert into invoices (organisation_id, id, number, status, customer_id, currency, issue_date, due_date, tax_inclusive, subtotal_cents, tax_cents,
      total_cents, paid_cents, issued_at, sent_at, paid_at, created_at, updated_at)
    select ${values}, invoice_id, 'INV-' || lpad(n::text, 6, '0'), 'paid', 'cus_${"0".repeat(26)}', 'ZAR', at::date, at::date + 30, false, ${SUBTOTAL}, ${TAX},
      ${TOTAL}, ${TOTAL}, at, at, at, at, at from filling;
    insert into document_numbers (organisation_id, kind, last_number) values (${values}, 'invoice', ${count});
    insert into invoice_lines (organisation_id, invoice_id, line, description, quantity, unit_price, tax_rate, amount_cents, tax_cents)
    select ${values}, invoice_id, n.* from (select invoice_id from filling) f cross join ${LINES};
    create temporary table payment as
      select n, invoice_id, payment_id, at, case when parted then ${TOTAL - FIRST_PART} else ${TOTAL} end as amount from filling
      union all select n, invoice_id, 'ipm_1' || substr(payment_id, 6), at - interval '1 month', ${FIRST_PART} from filling where parted;
    insert into invoice_payments (organisation_id, id, invoice_id, source, method, amount_cents, paid_at, created_at)
    select ${values}, payment_id, invoice_id, 'offline', 'eft', amount, at, at from payment;
    create temporary table posting as
      select ${id("jrn")} as entry_id, 'invoice' as kind, invoice_id as subject, at, array['receivable', 'revenue', 'vat_output'] as accounts,
             array[${TOTAL}, -${SUBTOTAL}, -${TAX}] as amounts from filling
      union all select 'jrn_' || substr(payment_id, 5) || 'p', 'offline_payment', payment_id, at, array['bank', 'receivable'], array[amount, -amount] from payment;
    insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
    select ${values}, entry_id, kind, subject, at, 'Invoice ' || subject from posting;
    insert into journal_lines (organisation_id, entry_id, line, account, customer_id, amount_cents, currency, occurred_at)
    select ${values}, entry_id, line, account, case when account in ('receivable', 'revenue') then 'cus_${"0".repeat(26)}' end, amount, 'ZAR', at
      from posting cross join lateral unnest(accounts, amounts) with ordinality p(account, amount, line);
    drop table filling, payment, posting;`,
  );
  await query(url, "vacuum analyze invoices, invoice_lines, invoice_payments, journal_entries, journal_lines");
}
