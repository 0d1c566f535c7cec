import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { dayInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

/**
 * The next automatic step after a missed collection. `try_again`: a retry on a day; `mandate`: with the debit order of
 * a day, or none; `cancel` and `stop`: no retry, and the subscription ends, or stays as it is; `card`: only another
 * card is tried, and the subscription ends on the day if there is one; `taken_back`: the payment was made and the bank
 * took it back, nothing is charged automatically.
 */
export interface AfterMissed {
  readonly what: "try_again" | "mandate" | "cancel" | "stop" | "card" | "taken_back";
  readonly on: CalendarDay | null;
  /** The day of the last attempt, after which the subscription ends automatically; null when it does not. */
  readonly endsAfter?: CalendarDay | null;
}

export interface MissedCollectionFacts {
  readonly brand: MailBrand;
  readonly plan: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly invoiceNumber: string;
  /** The reason, in the bank's words. */
  readonly reason: string;
  readonly next: AfterMissed;
  /** The page on which it can be paid now; null when it cannot be paid online. */
  readonly url: string | null;
}

/**
 * Mail to the payer of a subscription that could not be collected, or whose payment was reversed: the reason, and the
 * next step (interface 16.16, 16.20).
 */
export function missedCollectionMail(facts: MissedCollectionFacts): Mail {
  const { brand, plan, currency, invoiceNumber, reason, next, url } = facts;
  const money = formatMoney(facts.amount, currency);
  const then = nextInWords(next, url !== null);
  const isTakenBack = next.what === "taken_back";
  const sentence = isTakenBack
    ? `Your bank has reversed a payment for ${quoted(plan)}: ${money} is due again.`
    : `${money} for ${quoted(plan)} could not be collected.`;
  return renderMail({
    brand,
    subject: `Your payment ${isTakenBack ? "" : `of ${money} `}to ${quoted(brand.name)} was ${isTakenBack ? "reversed" : "missed"}`,
    preview: `${sentence} ${then}`,
    heading: isTakenBack ? "A payment was reversed" : "A payment was missed",
    blocks: [
      { kind: "amount", text: money },
      { kind: "paragraph", text: sentence },
      { kind: "paragraph", text: then },
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

/** The next step, and what the payer can do; without a page for paying, the payer is asked to contact the merchant. */
function nextInWords({ what, on, endsAfter = null }: AfterMissed, canPay: boolean): string {
  switch (what) {
    case "try_again": {
      const also = canPay ? " You can also pay it now; the card that pays is then used from now on." : "";
      return `We will retry${on === null ? "" : ` on ${dayInWords(on)}`}.${endInWords(on, endsAfter)}${also}`;
    }
    case "mandate":
      if (on === null) return canPay ? "Please pay it now." : CONTACT;
      return `It is collected again with your debit order of ${dayInWords(on)}.${canPay ? " You can also pay it now." : ""}`;
    case "cancel":
      return `We do not retry, and your subscription ends.${canPay ? " The invoice can still be paid." : ""}`;
    case "stop":
      return `We do not retry. ${canPay ? "Please pay it now." : CONTACT}`;
    case "taken_back":
      return (
        "Your card is not charged for it again. " +
        `${canPay ? "Please pay it here, or contact us if you think that you do not owe it." : CONTACT}`
      );
    case "card": {
      const wish = canPay ? "Please pay now with another card, which is then used from now on" : "Please contact us";
      const end = on === null ? "." : `; on ${dayInWords(on)} your subscription ends otherwise.`;
      return `Your card cannot be charged any more. ${wish}${end}`;
    }
  }
}

const CONTACT = "Please contact us, so that it can be paid.";

function endInWords(on: CalendarDay | null, endsAfter: CalendarDay | null): string {
  if (endsAfter === null) return "";
  if (on === endsAfter) return " If that fails too, your subscription ends.";
  return ` If it cannot be collected by ${dayInWords(endsAfter)}, your subscription ends.`;
}
