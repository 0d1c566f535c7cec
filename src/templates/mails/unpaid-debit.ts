import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { dayInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

export interface UnpaidDebitFacts {
  readonly brand: MailBrand;
  /** The purpose of the mandate. */
  readonly description: string;
  readonly actionDate: CalendarDay;
  readonly amount: Cents;
  readonly currency: string;
  /** In the bank's words. */
  readonly reason: string;
  /** The page on which it can be paid now; null when it cannot be paid online. */
  readonly url: string | null;
}

/** Mail to the payer of a debit order that the bank returned unpaid: the reason, and how to pay it. */
export function unpaidDebitMail(facts: UnpaidDebitFacts): Mail {
  const { brand, description, actionDate, reason, url } = facts;
  const money = formatMoney(facts.amount, facts.currency);
  const sentence =
    `Your bank returned the debit order of ${dayInWords(actionDate)} for ${quoted(description)} unpaid: ` +
    `${money} is still due.`;
  const then =
    url === null
      ? "Please contact us, so that it can be paid. It is not debited again."
      : "It is not debited again. Please pay it here, or contact us if you think that you do not owe it.";
  return renderMail({
    brand,
    subject: `Your debit order of ${money} to ${quoted(brand.name)} was returned unpaid`,
    preview: `${sentence} ${then}`,
    heading: "A debit order was returned unpaid",
    blocks: [
      { kind: "amount", text: money },
      { kind: "paragraph", text: sentence },
      { kind: "paragraph", text: then },
      {
        kind: "facts",
        rows: [
          ["Debit order", description],
          ["Date", dayInWords(actionDate)],
          ["Reason", reason],
        ],
      },
      ...(url === null ? [] : [{ kind: "button", label: `Pay ${money}`, url } as const]),
    ],
  });
}
