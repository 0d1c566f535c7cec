import { formatMoney } from "../../kernel/money.ts";
import { dayInWords } from "../../kernel/wording.ts";
import type { QuoteDocument } from "../../modules/documents/types.ts";
import { drawLines } from "./lines.ts";
import { closeDocument, drawCallout, drawParagraphs, type Heading, openDocument } from "./parts.ts";
import { periodInWords, shortDay } from "./wording.ts";

const STATUS: Readonly<Record<QuoteDocument["status"], Heading["status"]>> = {
  draft: { text: "Draft", tone: "wait" },
  sent: null,
  expired: { text: "Expired", tone: "bad" },
  accepted: { text: "Accepted", tone: "good" },
  declined: { text: "Declined", tone: "bad" },
  invoiced: { text: "Invoiced", tone: "good" },
};

/** The quote as an A4 PDF. The same input gives the same bytes. */
export function quotePdf(quote: QuoteDocument): Promise<Buffer> {
  const { expiryDate, period, status, quoteUrl } = quote;
  const sheet = openDocument(quote, {
    title: "Quote",
    number: quote.number,
    status: STATUS[status],
    recipientLabel: "Prepared for",
    facts: [
      ["Issued", shortDay(quote.issueDate)],
      expiryDate && ["Valid until", shortDay(expiryDate)],
      period && ["Period", periodInWords(period)],
    ],
  });
  drawCallout(sheet, quote, {
    label: quote.tax > 0 ? "Total including VAT" : "Total",
    amount: formatMoney(quote.total, quote.currency),
    note: expiryDate ? `Valid until ${dayInWords(expiryDate)}` : "",
    action: status === "sent" && quoteUrl !== null ? { label: "View and accept", url: quoteUrl } : null,
  });
  drawLines(sheet, quote, []);
  drawParagraphs(sheet, [quote.notes === null ? null : { label: "Notes", text: quote.notes }]);
  return closeDocument(sheet, quote);
}
