import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { dayInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

/**
 * What happens after a missed collection, if nobody does anything. `try_again`: on a day; `mandate`: with the debit order of a day, or with none;
 * `cancel` and `stop`: nothing is tried again, and the subscription ends, or stays as it is; `card`: only another card is tried, and on the
 * day the subscription ends otherwise, if there is one.
 */
export interface AfterMissed {
  readonly what: "try_again" | "mandate" | "cancel" | "stop" | "card";
  readonly on: BusinessDay | null;
}

export interface MissedCollectionFacts {
  readonly brand: MailBrand;
  readonly plan: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly invoiceNumber: string;
  /** Why, in the bank's words. */
  readonly reason: string;
  readonly next: AfterMissed;
  /** The page on which it can be paid now; null when it cannot be paid online. */
  readonly url: string | null;
}

/** Mail to the payer of a subscription that could not be collected: why, and what happens next (interface 16.16). */
export function missedCollectionMail(facts: MissedCollectionFacts): Mail {
  const { brand, plan, currency, invoiceNumber, reason, next, url } = facts;
  const money = formatMoney(facts.amount, currency);
  const sentence = `${money} for ${quoted(plan)} could not be collected.`;
  return renderMail({
    brand,
    subject: `Your payment of ${money} to ${quoted(brand.name)} was missed`,
    preview: `${sentence} ${nextInWords(next)}`,
    heading: "A payment was missed",
    blocks: [
      { kind: "amount", text: money },
      { kind: "paragraph", text: sentence },
      { kind: "paragraph", text: nextInWords(next) },
      {
        kind: "facts",
        rows: [
          ["Invoice", invoiceNumber],
          ["Reason", reason],
        ],
      },
      ...(url === null ? [] : [{ kind: "button", label: `Pay ${money}`, url } as const]),
    ],
  });
}

function nextInWords({ what, on }: AfterMissed): string {
  switch (what) {
    case "try_again":
      return `We try again${on === null ? "" : ` on ${dayInWords(on)}`}. You can also pay it now; the card that pays is then used from now on.`;
    case "mandate":
      return on === null
        ? "Please pay it now."
        : `It is collected again with your debit order of ${dayInWords(on)}. You can also pay it now.`;
    case "cancel":
      return "We do not try again, and your subscription ends. The invoice can still be paid.";
    case "stop":
      return "We do not try again. Please pay it now.";
    case "card": {
      const sentence =
        "Your card cannot be charged any more. Please pay now with another card, which is then used from now on";
      return on === null ? `${sentence}.` : `${sentence}; on ${dayInWords(on)} your subscription ends otherwise.`;
    }
  }
}
