import { decimalOf } from "./decimal.ts";
import type { PricedLine } from "./lines.ts";
import { cents } from "./money.ts";
import type { BusinessDay } from "./time.ts";

/** A line of an invoice or quote as its table's columns, aggregated as JSON; numerics as text, so that no digit is lost. */
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

/** Lines as JSON for one statement that writes them all, `jsonb_to_recordset` with the columns of `LineRow` and `line`, from 1. */
export const linesToJson = (lines: readonly PricedLine[]): string =>
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
