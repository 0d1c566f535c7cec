import { formatMoney } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import type { QuoteDocument } from "../printed.ts";
import { dayInWords, shortDay, shortPeriod } from "../wording.ts";
import { drawLines } from "./lines.ts";
import { closeDocument, drawCallout, drawNotes, type Heading, openDocument } from "./parts.ts";

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
  const { lastDay, period, status, quoteUrl } = quote;
  const sheet = openDocument(quote, {
    title: "Quote",
    number: quote.number,
    status: STATUS[status],
    recipientLabel: "Prepared for",
    facts: [
      ["Issued", shortDay(quote.issueDate)],
      lastDay && ["Valid until", shortDay(lastDay)],
      period && ["Period", shortPeriod(period)],
      quote.accepted && ["Accepted", shortDay(calendarDay(quote.accepted.at))],
      quote.accepted?.by ? ["Accepted by", quote.accepted.by] : null,
    ],
  });
  drawCallout(sheet, quote, {
    label: quote.tax > 0 ? "Total including VAT" : "Total",
    amount: formatMoney(quote.total, quote.currency),
    note: lastDay ? `Valid until ${dayInWords(lastDay)}` : "",
    action: status === "sent" && quoteUrl !== null ? { label: "View and accept", url: quoteUrl } : null,
  });
  drawLines(sheet, quote, []);
  drawNotes(sheet, quote);
  return closeDocument(sheet, quote);
}
