// Writes nothing. Reads: journal_lines, journal_entries, invoice_lines, credit_notes, credit_note_lines, transactions, reversals.
import { type Part, part, type Tx } from "../../../platform/database.ts";
import type { VatPeriod } from "../types.ts";

/**
 * The beginning of a statement: entries in rand that earn or reduce revenue, with the part of each that has VAT (`standard`, with its `tax`) and
 * the parts that have none: `exempt` is marked as exempt, `untaxed` is not. Amounts are above zero for supplies and below zero for reductions.
 */
export const onInvoiceBasis = (tx: Tx, { from, until }: VatPeriod): Part => part`
  with earned as materialized (
    select e.id, e.kind, e.subject, e.occurred_at, e.description, s.gross, s.tax
      from (select entry_id, -sum(amount_cents) as gross, -coalesce(sum(amount_cents) filter (where account = 'vat_output'), 0) as tax
              from journal_lines
             where organisation_id = ${tx.organisation} and occurred_at >= ${from} and occurred_at < ${until}
               and currency = 'ZAR' and account in ('revenue', 'vat_output') group by entry_id) s
      join journal_entries e on e.organisation_id = ${tx.organisation} and e.id = s.entry_id),
  untaxed_lines as (
    select e.id, sum(l.amount_cents) as amount, sum(l.amount_cents) filter (where l.tax_exempt) as exempt from earned e
      join invoice_lines l on l.organisation_id = ${tx.organisation} and l.invoice_id = e.subject and l.tax_rate = 0
     where e.kind in ('invoice', 'invoice_cancelled') group by e.id
    union all
    select e.id, sum(a.amount), sum(a.amount) filter (where coalesce(l.tax_exempt, n.tax_exempt)) from earned e
      join credit_notes n on n.organisation_id = ${tx.organisation} and n.id = e.subject
      left join credit_note_lines l on l.organisation_id = ${tx.organisation} and l.credit_note_id = n.id
     cross join lateral (select coalesce(l.amount_cents, n.amount_cents) as amount) a
     where e.kind = 'credit_note' and coalesce(l.tax_rate, n.tax_rate, 0) = 0 group by e.id),
  supply as (
    select e.id, e.kind, e.subject, e.occurred_at, e.description, e.tax, u.without_vat - u.exempt as untaxed, u.exempt,
           e.gross - u.without_vat as standard
      from earned e left join untaxed_lines l on l.id = e.id
     cross join lateral (select coalesce(case e.kind
         when 'payment' then (select p.tax_exempt from transactions p where p.organisation_id = ${tx.organisation} and p.reference = e.subject)
         when 'reversal' then (select p.tax_exempt from reversals w join transactions p on p.organisation_id = ${tx.organisation} and p.id = w.transaction_id
           where w.organisation_id = ${tx.organisation} and w.id = e.subject) end, false) as exempt) p
     cross join lateral (select sign(e.gross) * case when e.kind not in ('payment', 'reversal') then coalesce(l.amount, 0)
         when e.tax = 0 then abs(e.gross) else 0 end as without_vat,
       sign(e.gross) * case when p.exempt then abs(e.gross) else coalesce(l.exempt, 0) end as exempt) u)`;
