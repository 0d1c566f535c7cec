import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { dayInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

/**
 * What happens after a missed collection, if nobody does anything. `try_again`: on a day; `mandate`: with the debit order of a day, or with none;
 * `cancel` and `stop`: nothing is tried again, and the subscription ends, or stays as it is; `card`: only another card is tried, and on the
 * day the subscription ends otherwise, if there is one; `taken_back`: it was paid and the bank took it back, nothing is charged unasked.
 */
export interface AfterMissed {
  readonly what: "try_again" | "mandate" | "cancel" | "stop" | "card" | "taken_back";
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

/** Mail to the payer of a subscription that could not be collected, or whose payment was taken back: why, and what happens next (interface 16.16, 16.20). */
export function missedCollectionMail(facts: MissedCollectionFacts): Mail {
  const { brand, plan, currency, invoiceNumber, reason, next, url } = facts;
  const money = formatMoney(facts.amount, currency);
  const isTakenBack = next.what === "taken_back";
  const sentence = isTakenBack
    ? `Your bank has taken back a payment for ${quoted(plan)}: ${money} is to be paid again.`
    : `${money} for ${quoted(plan)} could not be collected.`;
  return renderMail({
    brand,
    subject: `Your payment ${isTakenBack ? "" : `of ${money} `}to ${quoted(brand.name)} was ${isTakenBack ? "taken back" : "missed"}`,
    preview: `${sentence} ${nextInWords(next)}`,
    heading: isTakenBack ? "A payment was taken back" : "A payment was missed",
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
    case "taken_back":
      return "Your card is not charged for it again. Please pay it here, or speak to us if you think that it is not owed.";
    case "card": {
      const sentence =
        "Your card cannot be charged any more. Please pay now with another card, which is then used from now on";
      return on === null ? `${sentence}.` : `${sentence}; on ${dayInWords(on)} your subscription ends otherwise.`;
    }
  }
}
