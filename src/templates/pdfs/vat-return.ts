import { formatMoney } from "../../kernel/money.ts";
import { drawTable, type Row } from "../../platform/pdf/table.ts";
import type { VatReturnDocument } from "../printed.ts";
import { dayInWords, shortDay, shortPeriod } from "../wording.ts";
import { closeDocument, drawCallout, openDocument } from "./parts.ts";
import { COLOURS, STYLES } from "./theme.ts";

/** Fields that are totals. */
const TOTALS: readonly string[] = ["13", "19", "20"];

/** The figures of a VAT return as an A4 PDF, to be copied to the form. The same input gives the same bytes. */
export function vatReturnPdf(vat: VatReturnDocument): Promise<Buffer> {
  const { period, basis, figures, currency, otherCurrencies } = vat;
  const payable = figures.find(({ field }) => field === "20");
  const sheet = openDocument(vat, {
    title: "VAT201",
    number: shortPeriod(period),
    status: null,
    recipientLabel: "Return to",
    facts: [
      ["Written", shortDay(vat.issueDate)],
      ["Basis", basis],
      ["Currency", currency],
    ],
  });
  if (payable)
    drawCallout(sheet, vat, {
      label: payable.amount < 0 ? "VAT refundable" : "VAT payable",
      amount: formatMoney(payable.amount, currency),
      note: `Of supplies until ${dayInWords(period.end)}, before purchases and imports`,
      action: null,
    });
  drawTable(sheet, {
    columns: [
      { head: "Field", align: "left" },
      { head: "Figure", align: "left", fill: true },
      { head: "Amount", align: "right" },
    ],
    rows: figures.map(({ field, description, amount }): Row => {
      const style = TOTALS.includes(field) ? STYLES.strong : STYLES.body;
      return [field, description, formatMoney(amount, currency)].map((text) => [{ text, style }]);
    }),
    headStyle: STYLES.head,
    lineColour: COLOURS.line,
    reserve: 48,
  });
  sheet.y += 14;
  const left = otherCurrencies.length === 0 ? "" : ` Not counted: what was earned in ${otherCurrencies.join(", ")}.`;
  const note = `Computed from the books. Zero where the books know nothing: capital goods, exports, purchases, imports, bad debts.${left}`;
  const at = { x: sheet.left, y: sheet.y, width: sheet.width };
  sheet.y += sheet.write(sheet.lines(note, STYLES.muted, sheet.width), at, { of: sheet.element("P"), type: "P" });
  return closeDocument(sheet, vat);
}
