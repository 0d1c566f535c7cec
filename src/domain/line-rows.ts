import { decimalOf } from "../kernel/decimal.ts";
import { exemption } from "../kernel/exemption.ts";
import type { PricedLine } from "../kernel/lines.ts";
import { cents } from "../kernel/money.ts";
import type { BusinessDay } from "../kernel/time.ts";
import { type Part, part, type Tx } from "../platform/database.ts";
import { type Examination, examination } from "../platform/examined.ts";
import { roundedLike } from "../platform/rounded-like.ts";

/** A line of an invoice or quote as `LINES_AS_JSON` reads it; numerics as text, so that no digit is lost. */
export interface LineRow {
  readonly description: string;
  readonly details: string | null;
  readonly quantity: string;
  readonly unit_price: string;
  readonly tax_rate: string;
  readonly tax_exempt: boolean;
  readonly amount_cents: number;
  readonly tax_cents: number;
  readonly period_start: string | null;
  readonly period_end: string | null;
}

/** The priced line of a row. */
export const lineFromRow = (row: LineRow): PricedLine => ({
  description: row.description,
  details: row.details,
  quantity: decimalOf(row.quantity),
  unitPrice: decimalOf(row.unit_price),
  taxRate: decimalOf(row.tax_rate),
  ...exemption(row.tax_exempt),
  amount: cents(row.amount_cents),
  tax: cents(row.tax_cents),
  periodStart: row.period_start as BusinessDay | null,
  periodEnd: row.period_end as BusinessDay | null,
});

/** Reads the rows `n` of a table of lines as JSON, in their order: an array of `LineRow`, null without rows. */
export const LINES_AS_JSON = part`
  json_agg(json_build_object('description', n.description, 'details', n.details, 'quantity', n.quantity::text,
    'unit_price', n.unit_price::text, 'tax_rate', n.tax_rate::text, 'tax_exempt', n.tax_exempt,
    'amount_cents', n.amount_cents, 'tax_cents', n.tax_cents,
    'period_start', n.period_start, 'period_end', n.period_end) order by n.line)`;

/** The columns of `n` in `rowsOfLines` after the document, in their order. */
export const LINE_COLUMNS = part`
  description, details, quantity, unit_price, tax_rate, tax_exempt, amount_cents, tax_cents, period_start, period_end, line`;

/**
 * The lines of documents as the rows `n` of one statement that writes them all: `select …, n.* from ${rowsOfLines(documents)}`, first the
 * document's id. `line` counts from 1 in each document.
 */
export function rowsOfLines(
  documents: readonly { readonly id: string; readonly lines: readonly PricedLine[] }[],
): Part {
  const rows = documents.flatMap(({ id, lines }) => lines.map((line, place) => ({ ...line, id, place: place + 1 })));
  const of = (field: keyof PricedLine | "id" | "place") => rows.map((row) => row[field]);
  return part`
    unnest(${of("id")}::text[], ${of("description")}::text[], ${of("details")}::text[], ${of("quantity")}::numeric[],
      ${of("unitPrice")}::numeric[], ${of("taxRate")}::numeric[],
      ${rows.map(({ taxExempt }) => taxExempt === true)}::boolean[], ${of("amount")}::bigint[], ${of("tax")}::bigint[],
      ${of("periodStart")}::date[], ${of("periodEnd")}::date[], ${of("place")}::smallint[]) as n(document, ${LINE_COLUMNS})`;
}

/**
 * Examines a table of lines: each amount is its quantity times its price, each VAT is computed from its own line.
 * `lines` selects `document` (the id), `line`, `quantity`, `unit_price`, `tax_rate`, `amount_cents`, `tax_cents`,
 * `currency`, `tax_inclusive` and `gross` (the amount with VAT, in cents, of a tax-inclusive document), and ends with
 * the two columns of the key in brackets, which the text after it compares. The id of a finding is the document's, a
 * colon, and the line's number with five digits.
 */
export const lineExamination = (table: string, lines: (tx: Tx) => Part): Examination =>
  examination(table, (tx, { after, limit }) => {
    const [document = "", line = "0"] = after.split(":");
    const rounded = (value: Part) => roundedLike(part`p.currency`, value, part`p.amount_cents, p.tax_cents`);
    return part`
    with part as materialized (
      select document || ':' || to_char(line, 'FM00000') as id, f.* from (
        ${lines(tx)} > (${document}, ${Number(line)}::smallint) order by 1, 2 limit ${limit}) f),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p cross join lateral (values
        ('line_amount', ${rounded(part`p.quantity * p.unit_price * 100`)}::text, p.amount_cents::text),
        ('line_tax', ${rounded(part`case when p.tax_inclusive then p.gross * p.tax_rate / (100 + p.tax_rate)
           else p.amount_cents * p.tax_rate / 100 end`)}::text, p.tax_cents::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)`;
  });
