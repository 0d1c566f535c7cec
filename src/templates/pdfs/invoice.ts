import { formatMoney, subtract, ZERO } from "../../kernel/money.ts";
import { taxInvoiceProblems } from "../../modules/documents/rules/tax-invoice.ts";
import type { InvoiceDocument } from "../printed.ts";
import { dayInWords, exchangeFacts, shortDay, shortPeriod } from "../wording.ts";
import { drawLines } from "./lines.ts";
import { type Callout, closeDocument, drawBank, drawCallout, drawNotes, type Heading, openDocument } from "./parts.ts";

const STATUS: Readonly<Record<InvoiceDocument["status"], Heading["status"]>> = {
  draft: null,
  sent: null,
  overdue: { text: "Overdue", tone: "bad" },
  partially_paid: { text: "Part paid", tone: "wait" },
  paid: { text: "Paid", tone: "good" },
  cancelled: { text: "Cancelled", tone: "bad" },
};

/**
 * The invoice as an A4 PDF. `taxInvoiceProblems` decides whether its title may be `Tax Invoice` (VAT Act). The same
 * input gives the same bytes.
 */
export function invoicePdf(invoice: InvoiceDocument): Promise<Buffer> {
  const { currency, lastDay, period, paid, due } = invoice;
  const sheet = openDocument(invoice, {
    title: taxInvoiceProblems(invoice).title,
    number: invoice.number,
    status: STATUS[invoice.status],
    recipientLabel: "Billed to",
    facts: [
      ["Issued", shortDay(invoice.issueDate)],
      lastDay && ["Due", shortDay(lastDay)],
      period && ["Period", shortPeriod(period)],
      ...exchangeFacts(invoice),
      invoice.externalReference ? ["Your order", invoice.externalReference] : null,
    ],
  });
  drawCallout(sheet, invoice, calloutOf(invoice));
  drawLines(
    sheet,
    invoice,
    paid > 0 && invoice.status !== "cancelled"
      ? [
          { label: "Paid", amount: formatMoney(subtract(ZERO, paid), currency) },
          { label: "Amount due", amount: formatMoney(due, currency), strong: true },
        ]
      : [],
  );
  drawBank(sheet, isPayable(invoice) ? invoice.bank : null);
  drawNotes(sheet, invoice);
  return closeDocument(sheet, invoice);
}

const isPayable = ({ status, due }: InvoiceDocument): boolean =>
  due > 0 && status !== "draft" && status !== "cancelled";

function calloutOf(invoice: InvoiceDocument): Callout {
  const { status, currency, total, due, lastDay, payUrl } = invoice;
  const money = (label: string, amount: typeof total, note: string): Callout => ({
    label,
    amount: formatMoney(amount, currency),
    note,
    action: null,
  });
  if (status === "draft") return money("Total", total, "A draft: nothing is due yet.");
  if (status === "cancelled") return money("Amount due", ZERO, "This invoice was cancelled. Nothing is to be paid.");
  if (status === "paid") return money("Amount due", due, "Paid in full. Thank you.");
  const when = lastDay
    ? status === "overdue"
      ? `Was due on ${dayInWords(lastDay)}`
      : `Due by ${dayInWords(lastDay)}`
    : "Due now";
  return {
    ...money("Amount due", due, when),
    action:
      payUrl !== null && due > 0 ? { label: "Pay online", url: payUrl, scan: "QR code of the page to pay on" } : null,
  };
}
