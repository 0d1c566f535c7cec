import { formatMoney } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { dayInWords } from "../../kernel/wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";
import { type PricedFacts, pricedLines } from "./priced-lines.ts";

export interface QuoteFacts extends PricedFacts {
  readonly brand: MailBrand;
  readonly number: string;
  readonly issueDate: BusinessDay;
  /** The last valid day. */
  readonly expiryDate: BusinessDay | null;
  readonly notes: string | null;
  /** Its page, where it is accepted or declined. */
  readonly url: string;
}

/** To the customer: a quote to accept or decline. */
export function quoteMail(facts: QuoteFacts): Mail {
  const { brand, number, expiryDate, notes, url } = facts;
  const amount = formatMoney(facts.total, facts.currency);
  const until = expiryDate === null ? "" : ` It is valid until ${dayInWords(expiryDate)}.`;
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
      { kind: "button", label: "View the quote", url },
      pricedLines(facts),
      {
        kind: "facts",
        rows: [
          ["Quote", number],
          ["Date", dayInWords(facts.issueDate)],
          expiryDate === null ? null : ["Valid until", dayInWords(expiryDate)],
        ],
      },
      ...(notes === null ? [] : [{ kind: "remark", text: notes } as const]),
      { kind: "note", text: "Nothing is owed on a quote. An invoice follows once you have accepted it." },
    ],
  });
}
