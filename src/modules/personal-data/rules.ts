import { type CalendarDay, calendarDay, type Instant } from "../../kernel/time.ts";
import type { Kept, Unfinished } from "./types.ts";

/**
 * How many years records are kept after the tax return that covers them, which is sent in the year after
 * (Tax Administration Act, section 29).
 */
export const KEPT_YEARS = 5;

/**
 * The last day on which records are kept, when the newest is of the day `last`: the end of the fifth year after the
 * year of their return.
 */
export const keptUntil = (last: Instant): CalendarDay =>
  `${Number(calendarDay(last).slice(0, 4)) + 1 + KEPT_YEARS}-12-31` as CalendarDay;

/** Why each kind of record is kept. */
export const WHY: Readonly<Record<Kept["what"], string>> = {
  taxDocuments:
    "Invoices and credit notes with their lines and reasons and the customer's name, address and VAT number: " +
    "Value-Added Tax Act 89 of 1991, section 55, and Tax Administration Act 28 of 2011, section 29.",
  payments:
    "Payments, refunds and payouts with their descriptions and reasons, and their entries in the books, without " +
    "the payer's address: Tax Administration Act 28 of 2011, section 29.",
  bankLines:
    "Lines of bank statements that are matched with the customer's payments, with what the bank wrote: " +
    "Tax Administration Act 28 of 2011, section 29.",
  mandates:
    "Debit order mandates and signed agreements, the proof of the authority to debit, while debits can be disputed and audited.",
};

/** A sentence for staff that names the records that must end first. */
export const whyNot = (unfinished: readonly Unfinished[]): string => {
  const told = unfinished.map(({ what, count, names }) => {
    const more = count > names.length ? ", …" : "";
    return `${count} ${what}${count === 1 || what.endsWith("s") ? "" : "s"} (${names.join(", ")}${more})`;
  });
  return `The customer cannot be erased yet: ${told.join("; ")}. End these first.`;
};
