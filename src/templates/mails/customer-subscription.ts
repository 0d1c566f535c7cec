import type { CalendarDay } from "../../kernel/time.ts";
import { areFree, type ChargesInWords, chargesInWords, dayInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

/** The facts about a customer subscription in a mail. */
export interface SubscriptionMailFacts {
  readonly brand: MailBrand;
  readonly planName: string;
  /** The portal, where the payer sees and changes the subscription. */
  readonly accountUrl: string;
}

/** What happened to a subscription. `ending`: it is cancelled when its period ends. */
export type SubscriptionChange = "paused" | "resumed" | "ending" | "cancelled" | "reactivated";

export interface SubscriptionChangeFacts extends SubscriptionMailFacts {
  readonly change: SubscriptionChange;
  /** The last paid day, when it is in the future. */
  readonly paidUntil: CalendarDay | null;
  /** When it is billed next; null when there is no further bill. */
  readonly nextBilling: CalendarDay | null;
}

interface Words {
  readonly subject: string;
  readonly heading: string;
  readonly text: string;
}

function wordsOf({ change, brand, planName, paidUntil, nextBilling }: SubscriptionChangeFacts): Words {
  const [name, plan] = [quoted(brand.name), quoted(planName)];
  const until = paidUntil === null ? "" : ` What you have paid for continues until ${dayInWords(paidUntil)}.`;
  const next = nextBilling === null ? "" : ` The next invoice is on ${dayInWords(nextBilling)}.`;
  switch (change) {
    case "paused":
      return {
        subject: `Your subscription with ${name} is paused`,
        heading: "Your subscription is paused",
        text: `${plan} is not billed until it is resumed.${until}`,
      };
    case "resumed":
      return {
        subject: `Your subscription with ${name} continues`,
        heading: "Your subscription continues",
        text: `${plan} is no longer paused.${next}`,
      };
    case "ending":
      return {
        subject: `Your subscription with ${name} is cancelled`,
        heading: "Your subscription will end",
        text:
          `${plan} is cancelled${paidUntil === null ? "." : ` and ends after ${dayInWords(paidUntil)}.`} You ` +
          "will not be billed again for it. Until then you can undo this in your account.",
      };
    case "cancelled":
      return {
        subject: `Your subscription with ${name} has ended`,
        heading: "Your subscription has ended",
        text: `${plan} is cancelled. You will not be billed again for it.`,
      };
    case "reactivated":
      return {
        subject: `Your subscription with ${name} continues`,
        heading: "Your subscription continues",
        text: `${plan} is active again.${next}`,
      };
  }
}

const toAccount = (url: string) => ({ kind: "button", label: "Your account", url }) as const;

/** Mail to the payer of a customer subscription: the change that was made (interface 4.8). */
export function subscriptionChangeMail(facts: SubscriptionChangeFacts): Mail {
  const { subject, heading, text } = wordsOf(facts);
  return renderMail({
    brand: facts.brand,
    subject,
    preview: text,
    heading,
    blocks: [{ kind: "paragraph", text }, toAccount(facts.accountUrl)],
  });
}

export interface TrialEndingFacts extends SubscriptionMailFacts {
  readonly lastDay: CalendarDay;
  /** What is charged after it, as the planner promises. */
  readonly charges: readonly ChargesInWords[];
  readonly currency: string;
  /** What is charged by its use beside them, such as `Calls`. */
  readonly metered: readonly string[];
}

/**
 * Mail to the payer of a customer subscription some days before its trial ends: the amount that is charged then, and
 * how to end the subscription (interface 14.2).
 */
export function trialEndingMail(facts: TrialEndingFacts): Mail {
  const { brand, planName, lastDay, charges, currency, metered, accountUrl } = facts;
  const text = `Your trial of ${quoted(planName)} with ${quoted(brand.name)} ends on ${dayInWords(lastDay)}.`;
  const isFree = areFree(charges) && metered.length === 0;
  const charged = areFree(charges) ? null : `${chargesInWords(charges, currency)}, VAT included`;
  const used = metered.length === 0 ? null : `what you use of ${metered.map(quoted).join(", ")}`;
  const pay = charged && used ? `${charged}, and ${used}` : (charged ?? `For ${used}`);
  return renderMail({
    brand,
    subject: `Your trial with ${quoted(brand.name)} ends on ${dayInWords(lastDay)}`,
    preview: text,
    heading: "Your trial ends soon",
    blocks: [
      {
        kind: "paragraph",
        text: `${text} ${isFree ? "It continues, and costs nothing." : "After that you are billed for it."}`,
      },
      ...(isFree ? [] : [{ kind: "facts" as const, rows: [["You pay", pay] as const] }]),
      {
        kind: "paragraph",
        text:
          "If you do not want to continue, cancel it before then in your account or write to us" +
          `${isFree ? "" : "; then nothing is charged"}.`,
      },
      toAccount(accountUrl),
    ],
  });
}
