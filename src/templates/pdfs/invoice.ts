import { formatMoney, subtract, ZERO } from "../../kernel/money.ts";
import { dayInWords } from "../../kernel/wording.ts";
import { taxInvoiceProblems } from "../../modules/documents/rules/tax-invoice.ts";
import type { InvoiceDocument } from "../../modules/documents/types.ts";
import { drawLines } from "./lines.ts";
import {
  type Callout,
  closeDocument,
  drawBank,
  drawCallout,
  drawParagraphs,
  type Heading,
  openDocument,
} from "./parts.ts";
import { periodInWords, shortDay } from "./wording.ts";

const STATUS: Readonly<Record<InvoiceDocument["status"], Heading["status"]>> = {
  draft: null,
  sent: null,
  overdue: { text: "Overdue", tone: "bad" },
  partially_paid: { text: "Part paid", tone: "wait" },
  paid: { text: "Paid", tone: "good" },
  cancelled: { text: "Cancelled", tone: "bad" },
};

/** The invoice as an A4 PDF. Its title is what the VAT Act lets it be: see `taxInvoiceProblems`. The same input gives the same bytes. */
export function invoicePdf(invoice: InvoiceDocument): Promise<Buffer> {
  const { currency, dueDate, period, amountPaid, amountDue } = invoice;
  const sheet = openDocument(invoice, {
    title: taxInvoiceProblems(invoice).title,
    number: invoice.number,
    status: STATUS[invoice.status],
    recipientLabel: "Billed to",
    facts: [
      ["Issued", shortDay(invoice.issueDate)],
      dueDate && ["Due", shortDay(dueDate)],
      period && ["Period", periodInWords(period)],
      invoice.externalReference ? ["Your order", invoice.externalReference] : null,
    ],
  });
  drawCallout(sheet, invoice, calloutOf(invoice));
  const paid = amountPaid > 0 && invoice.status !== "cancelled";
  drawLines(
    sheet,
    invoice,
    paid
      ? [
          { label: "Paid", amount: formatMoney(subtract(ZERO, amountPaid), currency) },
          { label: "Amount due", amount: formatMoney(amountDue, currency), strong: true },
        ]
      : [],
  );
  drawBank(sheet, isPayable(invoice) ? invoice.bank : null);
  drawParagraphs(sheet, [
    invoice.notes === null ? null : { label: "Notes", text: invoice.notes },
    invoice.terms === null ? null : { label: "Terms", text: invoice.terms },
  ]);
  return closeDocument(sheet, invoice);
}

const isPayable = ({ status, amountDue }: InvoiceDocument): boolean =>
  amountDue > 0 && status !== "draft" && status !== "cancelled";

function calloutOf(invoice: InvoiceDocument): Callout {
  const { status, currency, total, amountDue, dueDate, payUrl } = invoice;
  const money = (label: string, amount: typeof total, note: string): Callout => ({
    label,
    amount: formatMoney(amount, currency),
    note,
    action: null,
  });
  if (status === "draft") return money("Total", total, "A draft: nothing is due yet.");
  if (status === "cancelled") return money("Amount due", ZERO, "This invoice was cancelled. Nothing is to be paid.");
  if (status === "paid") return money("Amount due", amountDue, "Paid in full. Thank you.");
  const due = dueDate
    ? status === "overdue"
      ? `was due on ${dayInWords(dueDate)}`
      : `due by ${dayInWords(dueDate)}`
    : "due now";
  return {
    ...money("Amount due", amountDue, due.charAt(0).toUpperCase() + due.slice(1)),
    action: payUrl !== null && amountDue > 0 ? { label: "Pay online", url: payUrl } : null,
  };
}
