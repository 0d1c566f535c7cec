import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { PricedDocument } from "../document.ts";
import { dayInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";
import { pricedLines } from "./priced-lines.ts";

export interface InvoiceFacts {
  readonly brand: MailBrand;
  /** `sent`: the invoice itself; `before` and `after`: reminders before and after the due date. */
  readonly kind: "sent" | "before" | "after";
  /** The mail shows its `paid` and `due`. */
  readonly invoice: PricedDocument;
  /** URL of its pay page; null when it cannot be paid online. */
  readonly url: string | null;
  /** URL of the customer's portal, which has the PDF. */
  readonly accountUrl: string;
  /** The merchant's own words; null for none. */
  readonly text?: string | null;
}

/** Mail to the customer: an invoice, or a reminder of one that is not paid. */
export function invoiceMail(facts: InvoiceFacts): Mail {
  const { brand, invoice, url, text = null } = facts;
  const { number, currency, total, paid, due, lastDay, notes } = invoice;
  const amount = formatMoney(due === 0 ? total : due, currency);
  const words = WORDS[facts.kind](facts, amount);
  const open: [string, Cents][] = [
    ["Paid so far", paid],
    ["Balance due", due],
  ];
  return renderMail({
    brand,
    subject: words.subject,
    preview: words.sentence,
    heading: words.heading,
    blocks: [
      { kind: "amount", text: amount },
      { kind: "paragraph", text: words.sentence },
      ...(text === null ? [] : [{ kind: "remark", text } as const]),
      url === null
        ? { kind: "button", label: "View in your account", url: facts.accountUrl }
        : { kind: "button", label: "View and pay", url },
      pricedLines(invoice, due === total ? [] : open),
      {
        kind: "facts",
        rows: [
          ["Invoice", number],
          ["Date", dayInWords(invoice.issueDate)],
          lastDay === null ? null : ["Due", dayInWords(lastDay)],
        ],
      },
      ...(notes === null ? [] : [{ kind: "remark", text: notes } as const]),
      {
        kind: "note",
        text:
          url === null
            ? "You can download the invoice as a PDF there. We email you a link to sign in."
            : "You can download the invoice as a PDF there, too.",
      },
    ],
  });
}

interface InvoiceWords {
  readonly subject: string;
  readonly heading: string;
  readonly sentence: string;
}

const WORDS: Readonly<Record<InvoiceFacts["kind"], (facts: InvoiceFacts, amount: string) => InvoiceWords>> = {
  sent: (facts, amount) => ({
    subject: `Invoice ${quoted(facts.invoice.number)} from ${quoted(facts.brand.name)}: ${amount}`,
    heading: "Your invoice",
    sentence: `${quoted(facts.brand.name)} sent you an invoice.${whenToPay(facts.invoice)}`,
  }),
  before: ({ brand, invoice: { number, lastDay } }, amount) => ({
    subject: `Reminder: invoice ${quoted(number)} from ${quoted(brand.name)}, ${amount}`,
    heading: "An invoice is due soon",
    sentence:
      `Invoice ${quoted(number)} from ${quoted(brand.name)} ` +
      `${lastDay === null ? "is open" : `is due on ${dayInWords(lastDay)}`}. ` +
      "If you have already paid, thank you: please ignore this email.",
  }),
  after: ({ brand, invoice: { number, lastDay } }, amount) => ({
    subject: `Overdue: invoice ${quoted(number)} from ${quoted(brand.name)}, ${amount}`,
    heading: "An invoice is overdue",
    sentence:
      `Invoice ${quoted(number)} from ${quoted(brand.name)} ` +
      `${lastDay === null ? "is overdue" : `was due on ${dayInWords(lastDay)}`}. ` +
      "If you have already paid, thank you: please ignore this email.",
  }),
};

const whenToPay = ({ due, lastDay }: PricedDocument): string => {
  if (due === 0) return " Your credit covers it: nothing is left to pay.";
  return lastDay === null ? "" : ` It is due on ${dayInWords(lastDay)}.`;
};
