import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { dayInWords } from "../wording.ts";
import type { AlertFacts, AlertWords } from "./alert-words.ts";
import { quoted } from "./layout.ts";

/** A mandate that was paused after a debit was returned unpaid. */
interface MandatePausedFacts extends AlertFacts {
  /** The purpose of the mandate. */
  readonly title: string;
  /** Of each debit. */
  readonly amount: Cents;
  readonly currency: string;
  /** Why the last debit was returned, in the bank's words. */
  readonly reason: string;
  readonly payerEmail: string | null;
  /** The account holder has told the bank that there is no authority to debit. */
  readonly withoutAuthority: boolean;
}

/**
 * A problem with a batch of debits: the gateway refused it; holds it until staff release it there; has given no clear
 * answer whether it has it; has not decided some of its debits.
 */
export type BatchAlert = "refused" | "held" | "unclear" | "undecided";

interface BatchFacts extends AlertFacts {
  readonly what: BatchAlert;
  readonly gatewayName: string;
  readonly actionDate: CalendarDay;
  /** The number of debits. */
  readonly debits: number;
  /** Of all debits. */
  readonly amount: Cents;
  readonly currency: string;
  /** In the gateway's words. */
  readonly reason: string | null;
}

/** A gateway refuses to give the statement on which results are published. */
interface StatementRefusedFacts extends AlertFacts {
  readonly gatewayName: string;
  /** The statement's day. */
  readonly day: CalendarDay;
  /** In the gateway's words. */
  readonly reason: string;
}

/** Payments that a gateway reported as paid, and that its statement does not name. */
interface NotOnStatementFacts extends AlertFacts {
  readonly gatewayName: string;
  readonly count: number;
  /** Of the first of them. */
  readonly references: string;
}

/** The text about payments without a line. */
export const notOnStatement = ({
  organisationName,
  gatewayName,
  count,
  references,
}: NotOnStatementFacts): AlertWords => ({
  subject:
    count === 1
      ? "a payment is not on the gateway's statement"
      : `${count} payments are not on the gateway's statement`,
  heading: count === 1 ? "A payment is not on the statement" : "Payments are not on the statement",
  paragraph:
    `${quoted(gatewayName)} reported ${count === 1 ? "a payment" : `${count} payments`} to ` +
    `${quoted(organisationName)} as paid, and three business days later ${count === 1 ? "it is" : "they are"} not ` +
    "on its statement. The money may have gone to another merchant's account.",
  rows: [
    ["Gateway", gatewayName],
    [count === 1 ? "Payment" : "Payments", references],
  ],
  note:
    "Check the gateway's own dashboard for the money before you deliver, and ask the gateway. " +
    "The flag is removed when the statement names the payment.",
});

/** A genuine message of a gateway whose shape is not known. */
interface UnreadFacts extends AlertFacts {
  readonly gatewayName: string;
  /** In the gateway's word. */
  readonly event: string;
  readonly reason: string;
}

/** The text about a message that was not understood. */
export const unread = (facts: UnreadFacts): AlertWords => ({
  subject: "a gateway notification was not understood",
  heading: "A gateway notification was not understood",
  paragraph:
    `${quoted(facts.gatewayName)} sent ${quoted(facts.organisationName)} a notification in a format ` +
    "that this version does not know. It was kept, and nothing was recorded.",
  rows: [
    ["Gateway", facts.gatewayName],
    ["Event", facts.event],
    ["Problem", facts.reason],
  ],
  note:
    "Check in the gateway's own dashboard what happened, and record it here. " +
    "Further notifications of this kind are kept without an email.",
});

/** Debits of a batch that were returned unpaid. */
interface DebitsUnpaidFacts extends AlertFacts {
  readonly actionDate: CalendarDay;
  /** The number of debits of the batch. */
  readonly of: number;
  readonly count: number;
  /** Of all that were returned. */
  readonly amount: Cents;
  readonly currency: string;
  /** The first of them. */
  readonly debits: readonly {
    readonly reference: string;
    readonly customerName: string;
    readonly amount: Cents;
    readonly reason: string;
  }[];
}

/** The text about debits that were returned unpaid. */
export function debitsUnpaid(facts: DebitsUnpaidFacts): AlertWords {
  const { count, currency } = facts;
  const total = formatMoney(facts.amount, currency);
  const debits = count === 1 ? "a debit order" : `${count} debit orders`;
  return {
    subject: `${debits} of ${total} came back unpaid`,
    heading: count === 1 ? "A debit order came back unpaid" : "Debit orders came back unpaid",
    paragraph:
      `Of ${facts.of} debit orders of ${quoted(facts.organisationName)} for ${dayInWords(facts.actionDate)}, ` +
      `${count} came back unpaid: ${total}.`,
    rows: facts.debits.map(({ customerName, amount, reason }) => [
      customerName,
      `${formatMoney(amount, currency)}: ${reason}`,
    ]),
    note:
      "The customers are told, with a link to pay where they can pay online. " +
      "They owe the amounts until they pay, or until you close them.",
  };
}

/** The text about a paused mandate. */
export function mandatePaused(facts: MandatePausedFacts): AlertWords {
  return {
    subject: "a debit order was paused",
    heading: "A debit order was paused",
    paragraph: facts.withoutAuthority
      ? `The account holder of a mandate of ${quoted(facts.organisationName)} has told the bank that there is no ` +
        "authority to debit. It is paused, and is not collected until a new agreement is signed: " +
        "issue one on the mandate's page."
      : `Three debits in a row of a mandate of ${quoted(facts.organisationName)} were returned unpaid. ` +
        "It is paused, and is not collected until you resume it.",
    rows: [
      ["For", facts.title],
      ["Amount", formatMoney(facts.amount, facts.currency)],
      ["Reason", facts.reason],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note: "Agree with the customer how they will pay, then resume or cancel the mandate.",
  };
}

/** The heading, the gateway's action, and the instruction to staff. */
const BATCH_WORDS: Readonly<Record<BatchAlert, readonly [heading: string, said: string, note: string]>> = {
  refused: [
    "A batch of debit orders was refused",
    "refused it. Nobody was debited.",
    "Correct what the gateway reports. These debits are not sent again: the mandates are collected on their next debit days.",
  ],
  held: [
    "A batch of debit orders waits for you at the gateway",
    "has it, and holds it until you release it there.",
    "Release it in the gateway's own dashboard before its cut-off. It is not sent a second time.",
  ],
  unclear: [
    "A batch of debit orders may not have been sent",
    "has not said clearly whether it has it. It is asked every hour.",
    "Look for the batch in the gateway's own dashboard before you collect any of its debits in another way.",
  ],
  undecided: [
    "Some debit orders have no result",
    "has not said how some of its debits ended, and is not asked about them any more.",
    "Ask the gateway about them. A result that it reports later is still taken.",
  ],
};

/** The text about a refused statement. */
export function statementRefused(facts: StatementRefusedFacts): AlertWords {
  return {
    subject: "a gateway refuses its statement",
    heading: "A gateway refuses its statement",
    paragraph:
      `${quoted(facts.gatewayName)} refuses its statement to ${quoted(facts.organisationName)}. ` +
      "Until it answers, results and reversals of debit orders are not known.",
    rows: [
      ["Gateway", facts.gatewayName],
      ["Statement of", dayInWords(facts.day)],
      ["Reason", facts.reason],
    ],
    note:
      "Check the credentials of the gateway account, or ask the gateway. " +
      "The statement is requested again every hour, and no result is lost.",
  };
}

/** The text about a problem with a batch of debits. */
export function batch(facts: BatchFacts): AlertWords {
  const [heading, said, note] = BATCH_WORDS[facts.what];
  return {
    subject: `${heading[0]?.toLowerCase()}${heading.slice(1)}`,
    heading,
    paragraph: `A batch of debit orders of ${quoted(facts.organisationName)}: ${quoted(facts.gatewayName)} ${said}`,
    rows: [
      ["Gateway", facts.gatewayName],
      ["Action date", dayInWords(facts.actionDate)],
      ["Debits", String(facts.debits)],
      ["Amount", formatMoney(facts.amount, facts.currency)],
      facts.reason === null ? null : ["Reason", facts.reason],
    ],
    note,
  };
}
