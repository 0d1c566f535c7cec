import { decimalOf } from "../kernel/decimal.ts";
import type { Deposit } from "../kernel/deposits.ts";
import { type Discount, discounted, takenFrom } from "../kernel/discounts.ts";
import { exemption } from "../kernel/exemption.ts";
import type { PricedLine } from "../kernel/lines.ts";
import { cents } from "../kernel/money.ts";
import type { CalendarDay } from "../kernel/time.ts";
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
  readonly discount_percent: string | null;
  readonly discount_cents: number;
  readonly document_discount_cents: number;
  readonly amount_cents: number;
  readonly tax_cents: number;
  readonly period_start: string | null;
  readonly period_end: string | null;
}

/** A discount of a line or a document as it is stored: what it takes off, and its percentage when it was given so. */
interface DiscountRow {
  readonly discount_percent: string | null;
  readonly discount_cents: number;
}

/** A discount or a deposit as it was given, from its two columns: its percentage, and what it comes to in cents, 0 without one. */
export function partFromColumns(percent: string | null, amount: number): Discount | Deposit | null {
  if (percent !== null) return { percent: decimalOf(percent) };
  return amount === 0 ? null : { amount: cents(amount) };
}

/** The percentage of a discount or a deposit, for its column; null of one that is an amount, or none. */
export const percentColumn = (given: Discount | Deposit | null | undefined): string | null =>
  given && "percent" in given ? given.percent : null;

/** The discount of a row as it was given. */
export const discountFromRow = ({ discount_percent, discount_cents }: DiscountRow): Discount | null =>
  partFromColumns(discount_percent, discount_cents);

/** The priced line of a row. */
export const lineFromRow = (row: LineRow): PricedLine => ({
  description: row.description,
  details: row.details,
  quantity: decimalOf(row.quantity),
  unitPrice: decimalOf(row.unit_price),
  taxRate: decimalOf(row.tax_rate),
  ...exemption(row.tax_exempt),
  ...discounted(discountFromRow(row)),
  ...takenFrom({ own: cents(row.discount_cents), share: cents(row.document_discount_cents) }),
  amount: cents(row.amount_cents),
  tax: cents(row.tax_cents),
  periodStart: row.period_start as CalendarDay | null,
  periodEnd: row.period_end as CalendarDay | null,
});

/** Reads the rows `n` of a table of lines as JSON, in their order: an array of `LineRow`, null without rows. */
export const LINES_AS_JSON = part`
  json_agg(json_build_object('description', n.description, 'details', n.details, 'quantity', n.quantity::text,
    'unit_price', n.unit_price::text, 'tax_rate', n.tax_rate::text, 'tax_exempt', n.tax_exempt,
    'discount_percent', n.discount_percent::text, 'discount_cents', n.discount_cents,
    'document_discount_cents', n.document_discount_cents, 'amount_cents', n.amount_cents, 'tax_cents', n.tax_cents,
    'period_start', n.period_start, 'period_end', n.period_end) order by n.line)`;

/** The columns of `n` in `rowsOfLines` after the document, in their order. */
export const LINE_COLUMNS = part`
  description, details, quantity, unit_price, tax_rate, tax_exempt, discount_percent, discount_cents, document_discount_cents,
  amount_cents, tax_cents, period_start, period_end, line`;

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
      ${rows.map(({ taxExempt }) => taxExempt === true)}::boolean[],
      ${rows.map(({ discount }) => percentColumn(discount))}::numeric[],
      ${rows.map(({ taken }) => taken?.own ?? 0)}::bigint[],
      ${rows.map(({ taken }) => taken?.share ?? 0)}::bigint[], ${of("amount")}::bigint[], ${of("tax")}::bigint[],
      ${of("periodStart")}::date[], ${of("periodEnd")}::date[], ${of("place")}::smallint[]) as n(document, ${LINE_COLUMNS})`;
}

/**
 * Rules of an examination's `values` for the discount of a document: it is spread over the lines, and one in percent is
 * computed from their amounts where `computed` holds: not where VAT was taken out of them. `of` is the name of the row,
 * with `discount_percent`, `discount_cents` and `currency`, and the sums of its lines `amount` and `shares`, in cents.
 */
export const discountRules = (of: Part, computed: Part): Part => {
  const taken = part`(${of}.amount + ${of}.shares) * ${of}.discount_percent / 100`;
  return part`
        ('discount_shares', ${of}.shares::text, ${of}.discount_cents::text, true),
        ('discount_percent', ${roundedLike(part`${of}.currency`, taken, part`${of}.amount, ${of}.shares`)}::text,
           ${of}.discount_cents::text, ${of}.discount_percent is not null and ${computed})`;
};

/**
 * Examines a table of lines: each amount is its quantity times its price, less what discounts took off it; each VAT is
 * computed from its own line, and so is what its discount in percent takes, except where VAT was taken out of it
 * (`net_of_gross`). `lines` selects `document` (the id), `line`, `quantity`, `unit_price`, `tax_rate`,
 * `discount_percent`, `discount_cents`, `document_discount_cents`, `amount_cents`, `tax_cents`, `currency`,
 * `tax_inclusive`, `net_of_gross` and `gross` (the amount with VAT, in cents, of a tax-inclusive document), and ends with
 * the two columns of the key in brackets, which the text after it compares. The id of a finding is the document's, a
 * colon, and the line's number with five digits.
 */
export const lineExamination = (table: string, lines: (tx: Tx) => Part): Examination =>
  examination(table, (tx, { after, limit }) => {
    const [document = "", line = "0"] = after.split(":");
    const rounded = (value: Part) => roundedLike(part`p.currency`, value, part`p.amount_cents, p.tax_cents`);
    const price = rounded(part`p.quantity * p.unit_price * 100`);
    return part`
    with part as materialized (
      select document || ':' || to_char(line, 'FM00000') as id, f.* from (
        ${lines(tx)} > (${document}, ${Number(line)}::smallint) order by 1, 2 limit ${limit}) f),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p cross join lateral (values
        ('line_amount', (${price} - p.discount_cents - p.document_discount_cents)::text, p.amount_cents::text),
        ('line_discount', case when p.discount_percent is null or p.net_of_gross then p.discount_cents::text else
           ${rounded(part`${price} * p.discount_percent / 100`)}::text end, p.discount_cents::text),
        ('line_tax', ${rounded(part`case when p.tax_inclusive then p.gross * p.tax_rate / (100 + p.tax_rate)
           else p.amount_cents * p.tax_rate / 100 end`)}::text, p.tax_cents::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)`;
  });
