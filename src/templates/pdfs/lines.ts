import type { Decimal } from "../../kernel/decimal.ts";
import { type Cents, formatMoney, subtract, sum } from "../../kernel/money.ts";
import type { DocumentLine, InvoiceDocument, QuoteDocument } from "../../modules/documents/types.ts";
import type { Sheet } from "../../platform/pdf/sheet.ts";
import { type Column, drawTable, type Piece, type Row } from "../../platform/pdf/table.ts";
import { drawTotals, heightOfTotals, type TotalRow } from "./parts.ts";
import { COLOURS, STYLES } from "./theme.ts";
import { decimalInWords, periodInWords, priceInWords, rateInWords } from "./wording.ts";

type Priced = InvoiceDocument | QuoteDocument;

/** Value and VAT of all lines at one rate. */
interface RateTotal {
  readonly rate: Decimal;
  /** Without VAT. */
  readonly value: Cents;
  readonly tax: Cents;
}

/** Sums by rate, the highest first. */
export function totalsByRate(lines: readonly DocumentLine[], taxInclusive: boolean): RateTotal[] {
  const rates = [...new Set(lines.map(({ taxRate }) => taxRate))].sort((a, b) => Number(b) - Number(a));
  return rates.map((rate) => {
    const own = lines.filter(({ taxRate }) => taxRate === rate);
    const [amount, tax] = [sum(own.map((line) => line.amount)), sum(own.map((line) => line.tax))];
    return { rate, value: taxInclusive ? subtract(amount, tax) : amount, tax };
  });
}

/** Draws the lines and under them, on one page with the last of them, the totals; `closing` stands under the total. */
export function drawLines(sheet: Sheet, document: Priced, closing: readonly TotalRow[]): void {
  const { lines, currency, taxInclusive } = document;
  // A supplier who has no VAT number charges none, and their documents do not speak of it.
  const vat = document.tax > 0 || Boolean(document.supplier.vatNumber);
  const basis = vat ? (taxInclusive ? " incl. VAT" : " excl. VAT") : "";
  const columns: Column[] = [
    { head: "Description", align: "left", fill: true },
    { head: "Quantity", align: "right" },
    { head: "Unit price", align: "right" },
    ...(vat ? [{ head: "VAT", align: "right" } as const] : []),
    { head: `Amount${basis}`, align: "right" },
  ];
  const totals = totalRows(document, vat, closing);
  const rows = lines.map((line): Row => {
    const cell = (text: string): Piece[] => [{ text, style: STYLES.body }];
    return [
      description(line),
      cell(decimalInWords(line.quantity)),
      cell(priceInWords(line.unitPrice, currency)),
      ...(vat ? [cell(rateInWords(line.taxRate))] : []),
      cell(formatMoney(line.amount, currency)),
    ];
  });
  const reserve = heightOfTotals(totals);
  drawTable(sheet, { columns, rows, headStyle: STYLES.head, lineColour: COLOURS.line, reserve });
  drawTotals(sheet, totals);
}

function description({ description, details, period }: DocumentLine): Piece[] {
  return [
    { text: description, style: STYLES.body },
    { text: details ?? "", style: STYLES.muted },
    { text: period ? periodInWords(period) : "", style: STYLES.muted },
  ];
}

function totalRows(document: Priced, vat: boolean, closing: readonly TotalRow[]): TotalRow[] {
  const { lines, currency, taxInclusive, subtotal, total } = document;
  const money = (value: Cents) => formatMoney(value, currency);
  const rates = totalsByRate(lines, taxInclusive);
  const byRate = rates.map(({ rate, value, tax }) => ({
    label: rates.length === 1 ? `VAT at ${rateInWords(rate)}` : `VAT at ${rateInWords(rate)} on ${money(value)}`,
    amount: money(tax),
  }));
  return [
    ...(vat ? [{ label: "Subtotal excluding VAT", amount: money(subtotal) }, ...byRate] : []),
    { label: vat ? "Total including VAT" : "Total", amount: money(total), strong: true },
    ...closing,
  ];
}
