import type { Frequency } from "../kernel/frequency.ts";
import { type Cents, formatMoney } from "../kernel/money.ts";
import type { CalendarDay } from "../kernel/time.ts";
import { dayInWords, frequencyInWords } from "./wording.ts";

/** The facts about a mandate in an agreement. */
export interface AgreementFacts {
  readonly merchant: string;
  readonly merchantAddress: string | null;
  readonly customer: string | null;
  readonly accountHolder: string;
  readonly bank: string | null;
  readonly branchCode: string;
  readonly accountType: string;
  readonly accountNumberLast4: string;
  readonly accountReference: string;
  readonly description: string;
  /** The name of the plan whose subscription it collects; null for one that collects its own amount. */
  readonly plan: string | null;
  readonly amount: Cents;
  readonly currency: string;
  readonly frequency: Frequency;
  readonly debitDay: number;
  readonly firstDebitDate: CalendarDay | null;
  readonly startDate: CalendarDay;
  readonly endDate: CalendarDay | null;
  readonly today: CalendarDay;
}

/** The sentence that the customer ticks; stored with the signature. */
export const CONSENT = "I have read this agreement, I may sign for this bank account, and I agree.";

/** The agreement of a merchant without a template. */
const DEFAULT_TEMPLATE = `# Authority

I authorise {{merchant}} to collect {{amount}} {{frequency}} from my bank account by debit order, for: {{description}}.

# Bank account

{{accountHolder}}, {{accountType}} account ending in {{accountNumber}}, {{bank}}, branch code {{branchCode}}.

# When it is collected

The first debit falls on {{firstDebitDate}}, later ones on day {{debitDay}} of the month or on its last day, {{until}}. \
A debit that falls on a weekend or a public holiday is collected on the next business day. \
On my bank statement it is called {{accountReference}}.

# What I agree to

Each withdrawal is treated by my bank as if I had made it myself. \
When there is not enough money in my account on the day, the debit may come back unpaid and my bank may charge me for it.

I may cancel this authority at any time by telling {{merchant}}. \
What was collected while it was in force, and was owed, is not paid back because of that. \
I may dispute a debit that I did not agree to at my bank.

This authority may be given to another party only together with the agreement that it pays for.

{{date}}`;

/** The placeholders of a template, as `{{name}}`, and the values that replace them. */
const PLACEHOLDERS: Readonly<Record<string, (facts: AgreementFacts) => string>> = {
  merchant: ({ merchant }) => merchant,
  merchantAddress: ({ merchantAddress }) => merchantAddress ?? "",
  customer: ({ customer, accountHolder }) => customer ?? accountHolder,
  accountHolder: ({ accountHolder }) => accountHolder,
  bank: ({ bank }) => bank ?? "my bank",
  branchCode: ({ branchCode }) => branchCode,
  accountType: ({ accountType }) => accountType,
  accountNumber: ({ accountNumberLast4 }) => accountNumberLast4,
  accountReference: ({ accountReference }) => accountReference,
  description: ({ description }) => description,
  amount: ({ amount, currency }) => formatMoney(amount, currency),
  frequency: ({ frequency }) => frequencyInWords(frequency),
  debitDay: ({ debitDay }) => String(debitDay),
  firstDebitDate: ({ firstDebitDate, startDate }) => dayInWords(firstDebitDate ?? startDate),
  startDate: ({ startDate }) => dayInWords(startDate),
  until: ({ endDate }) => (endDate === null ? "until I cancel it" : `until ${dayInWords(endDate)}`),
  date: ({ today }) => dayInWords(today),
};

/**
 * The text of an agreement: the merchant's template, or the default one when it is null, with its placeholders filled
 * in, then the amounts that a mandate that collects a subscription debits (decisions.md#debits-take-what-is-due), then
 * `notes`. A placeholder that does not exist stays as it is. Only the last digits of the account number can appear.
 */
export function agreementText(template: string | null, facts: AgreementFacts, notes: string | null): string {
  const text = (template ?? DEFAULT_TEMPLATE).replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(PLACEHOLDERS, name) ? (PLACEHOLDERS[name]?.(facts) ?? whole) : whole,
  );
  const { plan, amount, currency } = facts;
  const amounts =
    `Each debit is of what is due of an invoice of my subscription to ${plan}. ${formatMoney(amount, currency)} is what ` +
    "is usual; it changes with what I use, and when my subscription or its price changes.";
  const terms = plan === null ? text : `${text}\n\n# Amounts\n\n${amounts}`;
  const lines = notes === null ? terms : `${terms}\n\n# Notes\n\n${notes}`;
  return lines.replaceAll(/\r\n?/g, "\n").trim();
}

/** A block of an agreement's layout. */
export interface AgreementBlock {
  readonly kind: "heading" | "paragraph";
  /** Of a paragraph: may have several lines. */
  readonly text: string;
}

/** The blocks of an agreement's text: a line that begins with `# ` is a heading, blank lines separate paragraphs. */
export function agreementBlocks(document: string): AgreementBlock[] {
  const blocks: AgreementBlock[] = [];
  let open: string[] = [];
  const close = () => {
    if (open.length > 0) blocks.push({ kind: "paragraph", text: open.join("\n") });
    open = [];
  };
  for (const line of document.split("\n")) {
    const heading = /^#+\s+(.*)$/.exec(line)?.[1]?.trim();
    if (heading || line.trim() === "") close();
    if (heading) blocks.push({ kind: "heading", text: heading });
    else if (line.trim() !== "") open.push(line.trimEnd());
  }
  close();
  return blocks;
}
