import { type Cents, formatMoney, subtract } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { dayInWords } from "../../kernel/wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";
import { type PricedFacts, pricedLines } from "./priced-lines.ts";

export interface InvoiceFacts extends PricedFacts {
  readonly brand: MailBrand;
  /** `sent`: here it is; `before` and `after` remind of its due date. */
  readonly kind: "sent" | "before" | "after";
  readonly number: string;
  readonly issueDate: BusinessDay;
  readonly dueDate: BusinessDay | null;
  /** What is left to pay on it. */
  readonly amountDue: Cents;
  readonly notes: string | null;
  /** Its page, where it is paid; null when it cannot be paid there. */
  readonly url: string | null;
  /** The customer's account, which has its PDF whatever can be paid. */
  readonly accountUrl: string;
}

/** To the customer: an invoice, or a word about one that is not paid. */
export function invoiceMail(facts: InvoiceFacts): Mail {
  const { brand, number, currency, total, amountDue, dueDate, notes, url } = facts;
  const amount = formatMoney(amountDue === 0 ? total : amountDue, currency);
  const words = WORDS[facts.kind](facts, amount);
  const open: [string, Cents][] = [
    ["Paid so far", subtract(total, amountDue)],
    ["Still to pay", amountDue],
  ];
  return renderMail({
    brand,
    subject: words.subject,
    preview: words.sentence,
    heading: words.heading,
    blocks: [
      { kind: "amount", text: amount },
      { kind: "paragraph", text: words.sentence },
      url === null
        ? { kind: "button", label: "See it in your account", url: facts.accountUrl }
        : { kind: "button", label: "View and pay", url },
      pricedLines(facts, amountDue === total ? [] : open),
      {
        kind: "facts",
        rows: [
          ["Invoice", number],
          ["Date", dayInWords(facts.issueDate)],
          dueDate === null ? null : ["Due", dayInWords(dueDate)],
        ],
      },
      ...(notes === null ? [] : [{ kind: "remark", text: notes } as const]),
      {
        kind: "note",
        text:
          url === null
            ? "The invoice is there as a PDF. A link that signs you in is mailed to you."
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
    subject: `Invoice ${quoted(facts.number)} from ${quoted(facts.brand.name)}: ${amount}`,
    heading: "Your invoice",
    sentence: `${quoted(facts.brand.name)} sent you an invoice.${whenToPay(facts)}`,
  }),
  before: ({ brand, number, dueDate }, amount) => ({
    subject: `Reminder: invoice ${quoted(number)} from ${quoted(brand.name)}, ${amount}`,
    heading: "An invoice is due soon",
    sentence: `Invoice ${quoted(number)} from ${quoted(brand.name)} ${dueDate === null ? "is open" : `is due on ${dayInWords(dueDate)}`}. Paid in the meantime? Then thank you, and forget this mail.`,
  }),
  after: ({ brand, number, dueDate }, amount) => ({
    subject: `Overdue: invoice ${quoted(number)} from ${quoted(brand.name)}, ${amount}`,
    heading: "An invoice is overdue",
    sentence: `Invoice ${quoted(number)} from ${quoted(brand.name)} ${dueDate === null ? "is overdue" : `was due on ${dayInWords(dueDate)}`}. Paid in the meantime? Then thank you, and forget this mail.`,
  }),
};

const whenToPay = ({ amountDue, dueDate }: InvoiceFacts): string => {
  if (amountDue === 0) return " Your credit covers it: nothing is left to pay.";
  return dueDate === null ? "" : ` It is due on ${dayInWords(dueDate)}.`;
};
