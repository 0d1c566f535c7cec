import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Sheet } from "../../platform/pdf/sheet.ts";
import { type Column, drawTable, type Piece, type Row } from "../../platform/pdf/table.ts";
import type { PricedDocument } from "../document.ts";
import type { Parties } from "../printed.ts";
import {
  DEPOSIT,
  discountRow,
  type LineWords,
  linesInWords,
  randRows,
  shortPeriod,
  totalsByRate,
  vatAt,
} from "../wording.ts";
import { drawTotals, heightOfTotals, type TotalRow } from "./parts.ts";
import { COLOURS, STYLES } from "./theme.ts";

type Priced = Parties & PricedDocument;

/** Draws the lines, then the totals on the same page as the last line; `closing` are rows under the total. */
export function drawLines(sheet: Sheet, document: Priced, closing: readonly TotalRow[]): void {
  // A supplier without a VAT number charges no VAT, so the document does not mention it.
  const vat = document.tax > 0 || Boolean(document.supplier.vatNumber);
  const basis = vat ? (document.taxInclusive ? " incl. VAT" : " excl. VAT") : "";
  const columns: Column[] = [
    { head: "Description", align: "left", fill: true },
    { head: "Quantity", align: "right" },
    { head: "Unit price", align: "right" },
    ...(vat ? [{ head: "VAT", align: "right" } as const] : []),
    { head: `Amount${basis}`, align: "right" },
  ];
  const totals = totalRows(document, vat, closing);
  const cell = (text: string): Piece[] => [{ text, style: STYLES.body }];
  const rows = linesInWords(document).map(
    (line): Row => [
      description(line),
      cell(line.quantity),
      cell(line.unitPrice),
      ...(vat ? [cell(line.rate)] : []),
      cell(line.amount),
    ],
  );
  const reserve = heightOfTotals(totals);
  drawTable(sheet, { columns, rows, headStyle: STYLES.head, lineColour: COLOURS.line, reserve });
  drawTotals(sheet, totals);
}

function description({ description, details, discount, period }: LineWords): Piece[] {
  return [
    { text: description, style: STYLES.body },
    { text: details ?? "", style: STYLES.muted },
    { text: discount ?? "", style: STYLES.muted },
    { text: period ? shortPeriod(period) : "", style: STYLES.muted },
  ];
}

function totalRows(document: Priced, vat: boolean, closing: readonly TotalRow[]): TotalRow[] {
  const { currency, subtotal, total } = document;
  const money = (value: Cents) => formatMoney(value, currency);
  const rates = totalsByRate(document);
  const byRate = rates.map((of) => ({
    label: rates.length === 1 ? vatAt(of) : `${vatAt(of)} on ${money(of.value)}`,
    amount: money(of.tax),
  }));
  const off = discountRow(document);
  return [
    ...(off ? [off] : []),
    ...(vat ? [{ label: "Subtotal excluding VAT", amount: money(subtotal) }, ...byRate] : []),
    { label: vat ? "Total including VAT" : "Total", amount: money(total), strong: true },
    ...randRows(document).map(([label, amount]) => ({ label, amount })),
    ...closing,
    ...(document.deposit ? [{ label: DEPOSIT, amount: money(document.deposit), strong: true }] : []),
  ];
}
