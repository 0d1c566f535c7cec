import { formatMoney } from "../../kernel/money.ts";
import type { PricedDocument } from "../document.ts";
import { dayInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";
import { pricedLines } from "./priced-lines.ts";

export interface QuoteFacts {
  readonly brand: MailBrand;
  readonly quote: PricedDocument;
  /** URL of its page, where it is accepted or declined. */
  readonly url: string;
  /** The merchant's own words; null for none. */
  readonly text?: string | null;
}

/** Mail to the customer: a quote to accept or decline. */
export function quoteMail({ brand, quote, url, text = null }: QuoteFacts): Mail {
  const { number, lastDay, notes } = quote;
  const amount = formatMoney(quote.total, quote.currency);
  const until = lastDay === null ? "" : ` It is valid until ${dayInWords(lastDay)}.`;
  return renderMail({
    brand,
    subject: `Quote ${quoted(number)} from ${quoted(brand.name)}: ${amount}`,
    preview: `${quoted(brand.name)} sent you a quote.${until}`,
    heading: "Your quote",
    blocks: [
      { kind: "amount", text: amount },
      {
        kind: "paragraph",
        text: `${quoted(brand.name)} sent you a quote.${until} Accept or decline it on its page, or download it there as a PDF.`,
      },
      ...(text === null ? [] : [{ kind: "remark", text } as const]),
      { kind: "button", label: "View the quote", url },
      pricedLines(quote),
      {
        kind: "facts",
        rows: [
          ["Quote", number],
          ["Date", dayInWords(quote.issueDate)],
          lastDay === null ? null : ["Valid until", dayInWords(lastDay)],
        ],
      },
      ...(notes === null ? [] : [{ kind: "remark", text: notes } as const]),
      { kind: "note", text: "Nothing is owed on a quote. An invoice follows once you have accepted it." },
    ],
  });
}
