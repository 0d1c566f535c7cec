import type { Frequency } from "../../kernel/frequency.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { dayInWords, frequencyInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

export interface SubscriptionLinkFacts {
  readonly brand: MailBrand;
  /** The purpose of the subscription. */
  readonly title: string;
  readonly amount: Cents;
  readonly currency: string;
  /** The interval of the subscription that replaces the old one; null when one missed charge is collected. */
  readonly frequency: Frequency | null;
  readonly url: string;
}

/** Mail to the payer of a subscription: a link to pay a missed charge, or to confirm a new amount (interface 4.7). */
export function subscriptionLinkMail({ brand, title, amount, currency, frequency, url }: SubscriptionLinkFacts): Mail {
  const [name, money] = [quoted(brand.name), formatMoney(amount, currency)];
  const words =
    frequency === null
      ? {
          subject: `Your payment of ${money} to ${name}`,
          heading: "A payment was missed",
          paragraph: `Your card could not be charged ${money} for ${quoted(title)}. Please pay it here.`,
          label: `Pay ${money}`,
        }
      : {
          subject: `Confirm the new amount of your subscription with ${name}`,
          heading: "Your subscription has a new amount",
          paragraph:
            `${quoted(title)} is ${money} ${frequencyInWords(frequency)} from now on. ` +
            `Please pay the first ${money} here; your old subscription then ends.`,
          label: "Confirm and pay",
        };
  return renderMail({
    brand,
    subject: words.subject,
    preview: words.paragraph,
    heading: words.heading,
    blocks: [
      { kind: "paragraph", text: words.paragraph },
      { kind: "button", label: words.label, url },
    ],
  });
}

export interface MigrationFacts {
  readonly brand: MailBrand;
  readonly payerName: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly frequency: Frequency;
  /** The first charge. */
  readonly nextDate: CalendarDay;
  readonly url: string;
}

/** Mail to the payer of a subscription that is moved here from another service: confirm the card (interface 4.7, migrations). */
export function migrationMail({ brand, payerName, amount, currency, frequency, nextDate, url }: MigrationFacts): Mail {
  const [name, money] = [quoted(brand.name), formatMoney(amount, currency)];
  const paragraph =
    `${name} collects your subscription in a new way. Please confirm your card: ` +
    `${money} is collected ${frequencyInWords(frequency)}, from ${dayInWords(nextDate)}.`;
  return renderMail({
    brand,
    subject: `Confirm your card for your subscription with ${name}`,
    preview: paragraph,
    heading: `Hello ${quoted(payerName)}`,
    blocks: [
      { kind: "paragraph", text: paragraph },
      { kind: "button", label: "Confirm my card", url },
      { kind: "note", text: "To check the card, R 1.00 is charged, which you get back on your next invoice." },
    ],
  });
}
