// Writes nothing. Reads: journal_lines, journal_entries, invoice_lines, credit_notes, credit_note_lines.
import { cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Part, part, type Tx } from "../../platform/database.ts";
import type { VatField, VatRecord, VatSums } from "./types.ts";

/** Since `from`, before `until`. */
export interface VatPeriod {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * The beginning of a statement: entries in rand that earn or take back revenue, with the part of each that bears VAT (`standard`, with its `tax`) and the
 * part that does not. Amounts are above zero for supplies and below for what takes them back.
 */
const supplies = (tx: Tx, { from, until }: VatPeriod): Part => part`
  with earned as materialized (
    select e.id, e.kind, e.subject, e.occurred_at, e.description, s.gross, s.tax
      from (select entry_id, -sum(amount_cents) as gross, -coalesce(sum(amount_cents) filter (where account = 'vat_output'), 0) as tax
              from journal_lines
             where organisation_id = ${tx.organisation} and occurred_at >= ${from} and occurred_at < ${until}
               and currency = 'ZAR' and account in ('revenue', 'vat_output') group by entry_id) s
      join journal_entries e on e.organisation_id = ${tx.organisation} and e.id = s.entry_id),
  untaxed_lines as (
    select e.id, sum(l.amount_cents) as amount from earned e
      join invoice_lines l on l.organisation_id = ${tx.organisation} and l.invoice_id = e.subject and l.tax_rate = 0
     where e.kind in ('invoice', 'invoice_cancelled') group by e.id
    union all
    select e.id, sum(coalesce(l.amount_cents, n.amount_cents)) from earned e
      join credit_notes n on n.organisation_id = ${tx.organisation} and n.id = e.subject
      left join credit_note_lines l on l.organisation_id = ${tx.organisation} and l.credit_note_id = n.id
     where e.kind = 'credit_note' and coalesce(l.tax_rate, n.tax_rate, 0) = 0 group by e.id),
  supply as (
    select e.id, e.kind, e.subject, e.occurred_at, e.description, e.tax, u.untaxed, e.gross - u.untaxed as standard
      from earned e left join untaxed_lines l on l.id = e.id
     cross join lateral (select sign(e.gross) * case when e.kind in ('payment', 'reversal')
       then case e.tax when 0 then abs(e.gross) else 0 end else coalesce(l.amount, 0) end as untaxed) u)`;

/** What the period's entries add to the return. */
export async function vatSums(tx: Tx, period: VatPeriod): Promise<VatSums> {
  const [row] = await tx.sql<{ standard: number; output_tax: number; untaxed: number; credited: number }>`
    ${supplies(tx, period)}
    select coalesce(sum(standard) filter (where standard > 0), 0)::bigint as standard,
           coalesce(sum(tax) filter (where tax > 0), 0)::bigint as output_tax,
           coalesce(sum(untaxed), 0)::bigint as untaxed,
           coalesce(-sum(tax) filter (where tax < 0), 0)::bigint as credited from supply`;
  return {
    standard: cents(row?.standard ?? 0),
    outputTax: cents(row?.output_tax ?? 0),
    untaxed: cents(row?.untaxed ?? 0),
    credited: cents(row?.credited ?? 0),
  };
}

/** The entries of a field in the order of their ids, at most `limit` after `startingAfter`. */
export async function vatRecords(
  tx: Tx,
  period: VatPeriod,
  { field, limit, startingAfter }: { field: VatField; limit: number; startingAfter?: string | undefined },
): Promise<VatRecord[]> {
  const rows = await tx.sql<{
    id: string;
    kind: string;
    subject: string;
    occurred_at: Instant;
    description: string;
    amount: number;
  }>`
    ${supplies(tx, period)}
    select id, kind, subject, occurred_at, description, amount::bigint as amount from supply
     cross join lateral (select case ${field}::text when '1' then greatest(standard, 0) when '2' then untaxed
       when '4' then greatest(tax, 0) else greatest(-tax, 0) end as amount) f
     where amount <> 0 and id > ${startingAfter ?? ""} order by id limit ${limit}`;
  return rows.map(({ occurred_at, amount, ...row }) => ({ ...row, occurredAt: occurred_at, amount: cents(amount) }));
}

/** Other currencies than rand in which something was earned in the period. */
export async function otherCurrencies(tx: Tx, { from, until }: VatPeriod): Promise<string[]> {
  const rows = await tx.sql<{ currency: string }>`
    select distinct currency from journal_lines
     where organisation_id = ${tx.organisation} and occurred_at >= ${from} and occurred_at < ${until}
       and account in ('revenue', 'vat_output') and currency <> 'ZAR' order by currency`;
  return rows.map(({ currency }) => currency);
}
