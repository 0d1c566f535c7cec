import { formatMoney } from "../../kernel/money.ts";
import { creditNoteProblems } from "../../modules/documents/rules/tax-invoice.ts";
import { drawTable, type Row } from "../../platform/pdf/table.ts";
import type { CreditNoteDocument } from "../printed.ts";
import { exchangeFacts, linesInWords, randRows, shortDay, totalsByRate, vatAt } from "../wording.ts";
import {
  closeDocument,
  drawCallout,
  drawNotes,
  drawTotals,
  heightOfTotals,
  openDocument,
  type TotalRow,
} from "./parts.ts";
import { COLOURS, STYLES } from "./theme.ts";

const NOTES: Readonly<Record<CreditNoteDocument["status"], (remaining: string) => string>> = {
  issued: () => "Not used yet: it comes off an open invoice or the next one.",
  partially_applied: (remaining) => `${remaining} of it is left and comes off the next invoice.`,
  applied: () => "Used in full.",
};

/** The credit note as an A4 PDF, with the particulars of section 21 of the VAT Act. The same input gives the same bytes. */
export function creditNotePdf(note: CreditNoteDocument): Promise<Buffer> {
  const { currency, invoice, tax } = note;
  const money = (value: typeof tax) => formatMoney(value, currency);
  const sheet = openDocument(note, {
    title: creditNoteProblems({ ...note, reason: note.lines[0]?.description ?? "" }).title,
    number: note.number,
    status: null,
    recipientLabel: "Credited to",
    facts: [
      ["Issued", shortDay(note.issueDate)],
      invoice && ["Corrects invoice", invoice.number],
      invoice && ["Invoice date", shortDay(invoice.issueDate)],
      ...exchangeFacts(note),
      note.transactionReference ? ["Payment", note.transactionReference] : null,
    ],
  });
  drawCallout(sheet, note, {
    label: "Credit",
    amount: money(note.total),
    note: NOTES[note.status](money(note.due)),
    action: null,
  });
  const vat = tax > 0 || Boolean(note.supplier.vatNumber);
  const totals: TotalRow[] = [
    ...(vat
      ? [
          { label: "Value reduced by, without VAT", amount: money(note.subtotal) },
          ...totalsByRate(note).map((of) => ({ label: `${vatAt(of)} reduced by`, amount: money(of.tax) })),
        ]
      : []),
    { label: vat ? "Total credit including VAT" : "Total credit", amount: money(note.total), strong: true },
    ...randRows(note).map(([label, amount]) => ({ label, amount })),
    { label: "Remaining", amount: money(note.due) },
  ];
  const cell = (text: string) => [{ text, style: STYLES.body }];
  drawTable(sheet, {
    columns: [
      { head: "Reason for the credit", align: "left", fill: true },
      ...(vat ? [{ head: "VAT", align: "right" } as const] : []),
      { head: vat ? "Amount excl. VAT" : "Amount", align: "right" },
    ],
    rows: linesInWords(note).map(
      ({ description, rate, amount }): Row => [cell(description), ...(vat ? [cell(rate)] : []), cell(amount)],
    ),
    headStyle: STYLES.head,
    lineColour: COLOURS.line,
    reserve: heightOfTotals(totals),
  });
  drawTotals(sheet, totals);
  drawNotes(sheet, note);
  return closeDocument(sheet, note);
}
