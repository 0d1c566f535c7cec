// Writes nothing. Reads: quotes, quote_lines, invoices, invoice_lines, due_work.

import { discountRules, lineExamination } from "../../domain/line-rows.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { roundedLike } from "../../platform/rounded-like.ts";
import { QUOTE_EXPIRE } from "./declarations.ts";

/** Quotes against their lines, the invoice of each until it is edited, and the due work that expires it (interface 2.6, 3.4). */
const quotes = examination(
  "quotes",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, customer_id, tax_inclusive, subtotal_cents, tax_cents, total_cents, expiry_date, invoice_id, currency,
             discount_percent, discount_cents, deposit_percent, deposit_cents from quotes
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    priced as (
      select quote_id, sum(amount_cents) as amount, sum(tax_cents) as tax, sum(document_discount_cents) as shares,
             sum(amount_cents) filter (where tax_exempt) as exempt
        from quote_lines
       where organisation_id = ${tx.organisation} and quote_id in (select id from part) group by quote_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from (
        select p.*, coalesce(n.amount, 0) as amount, coalesce(n.tax, 0) as tax, coalesce(n.shares, 0) as shares,
               coalesce(n.exempt, 0) as exempt
          from part p left join priced n on n.quote_id = p.id) p
        left join invoices i on i.organisation_id = ${tx.organisation} and i.quote_id = p.id
       cross join lateral (values
        ('quote_lines_subtotal', (p.amount - case when p.tax_inclusive then p.tax else 0 end)::text,
           p.subtotal_cents::text, true),
        ('quote_lines_tax', p.tax::text, p.tax_cents::text, true),
        ('quote_total', (p.subtotal_cents + p.tax_cents)::text, p.total_cents::text, true),
        ${discountRules(part`p`, part`true`)},
        ('quote_deposit', ${roundedLike(part`p.currency`, part`p.total_cents * p.deposit_percent / 100`, part`p.total_cents`)}::text,
           p.deposit_cents::text, p.deposit_percent is not null),
        ('quote_invoice', case p.status when 'invoiced' then p.invoice_id end, i.id, true),
        ('quote_invoice_total', concat_ws(' ', p.total_cents, p.deposit_cents, p.customer_id),
           concat_ws(' ', i.total_cents, i.deposit_cents, i.customer_id),
           i.id is not null and i.edited_at is null),
        ('quote_invoice_exempt', p.exempt::text, (select coalesce(sum(l.amount_cents), 0) from invoice_lines l
           where l.organisation_id = ${tx.organisation} and l.invoice_id = i.id and l.tax_exempt)::text,
           i.id is not null and i.edited_at is null),
        ('expiry_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
                                           and w.kind = ${QUOTE_EXPIRE.kind}
           and w.subject = p.id)::text, p.status = 'sent' and p.expiry_date is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Lines of quotes, whose amounts are with VAT when the quote is tax-inclusive. */
const quoteLines = lineExamination(
  "quote_lines",
  (tx) => part`
  select n.quote_id as document, n.line, n.quantity, n.unit_price, n.tax_rate, n.discount_percent, n.discount_cents,
         n.document_discount_cents, n.amount_cents, n.tax_cents, q.currency, q.tax_inclusive, false as net_of_gross,
         n.amount_cents as gross
    from quote_lines n join quotes q on q.organisation_id = ${tx.organisation} and q.id = n.quote_id
   where n.organisation_id = ${tx.organisation} and (n.quote_id, n.line)`,
);

/** What `verify` recomputes. */
export const quoteExaminations: readonly Examination[] = [quotes, quoteLines];
