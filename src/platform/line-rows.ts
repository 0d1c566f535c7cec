import { decimalOf } from "../kernel/decimal.ts";
import type { PricedLine } from "../kernel/lines.ts";
import { cents } from "../kernel/money.ts";
import type { BusinessDay } from "../kernel/time.ts";
import { type Part, part } from "./database.ts";

/** A line of an invoice or quote as `LINES_AS_JSON` reads it; numerics as text, so that no digit is lost. */
export interface LineRow {
  readonly description: string;
  readonly details: string | null;
  readonly quantity: string;
  readonly unit_price: string;
  readonly tax_rate: string;
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
  amount: cents(row.amount_cents),
  tax: cents(row.tax_cents),
  periodStart: row.period_start as BusinessDay | null,
  periodEnd: row.period_end as BusinessDay | null,
});

/** Reads the rows `n` of a table of lines as JSON, in their order: an array of `LineRow`, null without rows. */
export const LINES_AS_JSON = part`
  json_agg(json_build_object('description', n.description, 'details', n.details, 'quantity', n.quantity::text,
    'unit_price', n.unit_price::text, 'tax_rate', n.tax_rate::text, 'amount_cents', n.amount_cents, 'tax_cents', n.tax_cents,
    'period_start', n.period_start, 'period_end', n.period_end) order by n.line)`;

/** The columns of `n` in `rowsOfLines`, in their order. */
export const LINE_COLUMNS = part`
  line, description, details, quantity, unit_price, tax_rate, amount_cents, tax_cents, period_start, period_end`;

/** Lines as the rows `n` of one statement that writes them all: `select …, n.* from ${rowsOfLines(lines)}`. `line` counts from 1. */
export const rowsOfLines = (lines: readonly PricedLine[]): Part => part`
  jsonb_to_recordset(${linesToJson(lines)}::jsonb) as n(line smallint, description text, details text, quantity numeric,
    unit_price numeric, tax_rate numeric, amount_cents bigint, tax_cents bigint, period_start date, period_end date)`;

const linesToJson = (lines: readonly PricedLine[]): string =>
  JSON.stringify(
    lines.map((item, index) => ({
      line: index + 1,
      description: item.description,
      details: item.details,
      quantity: item.quantity,
      unit_price: item.unitPrice,
      tax_rate: item.taxRate,
      amount_cents: item.amount,
      tax_cents: item.tax,
      period_start: item.periodStart,
      period_end: item.periodEnd,
    })),
  );
