import { unitOf } from "../../kernel/currency.ts";
import { type Discount, sharesOf } from "../../kernel/discounts.ts";
import { invalidField } from "../../kernel/errors.ts";
import { netLine, type PricedLine, requirePeriod } from "../../kernel/lines.ts";
import type { Cents } from "../../kernel/money.ts";
import { addDays, type CalendarDay, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import type { Quote, QuoteStatus } from "./types.ts";

/** Whether the last valid day, a South African day, has passed (interface 2.6). */
const isOver = (expiryDate: CalendarDay | null, now: Instant): boolean =>
  expiryDate !== null && expiryDate < calendarDay(now);

/**
 * The quote's status at `now`: a sent quote is expired from the end of its last valid day, even when that is not stored yet
 * (interface 3.4, "checked daily and on reads").
 */
export const statusAt = ({ status, expiryDate }: Pick<Quote, "status" | "expiryDate">, now: Instant): QuoteStatus =>
  status === "sent" && isOver(expiryDate, now) ? "expired" : status;

/** When a sent quote expires: the start of the day after its last valid day. Null when it never does. */
export const expiresAt = ({ expiryDate }: Pick<Quote, "expiryDate">): Instant | null =>
  expiryDate && startOfDay(addDays(expiryDate, 1));

/** The expiry date after sending: a date that has passed is removed, so that the quote can be accepted (interface 3.4). */
export const expiryWhenSent = ({ expiryDate }: Pick<Quote, "expiryDate">, now: Instant): CalendarDay | null =>
  isOver(expiryDate, now) ? null : expiryDate;

type Period = Pick<Quote, "periodStart" | "periodEnd">;

/** Throws 400 when dates of the quote or of a line contradict each other (interface 4.6). */
export function requireValidDates(
  quote: Pick<Quote, "issueDate" | "expiryDate"> & Period,
  lines: readonly Period[],
): void {
  if (quote.expiryDate !== null && quote.expiryDate < quote.issueDate)
    throw invalidField(["expiryDate"], "expiryDate must not be before issueDate.");
  requirePeriod(quote, []);
  for (const [index, line] of lines.entries()) requirePeriod(line, ["lineItems", index]);
}

/**
 * The lines and the discount as an invoice shows them, without VAT; they add up to the quote's total to the cent
 * (interface 4.6).
 */
export function invoiceLines({
  taxInclusive,
  lines,
  currency,
  discount,
}: Pick<Quote, "taxInclusive" | "lines" | "currency" | "discount">): Invoiced {
  if (!taxInclusive) return { lines, discount };
  const net = lines.map((line) => netLine(line, unitOf(currency)));
  const taken = sharesOf(net);
  return { lines: net, discount: discount && "amount" in discount ? amountOrNone(taken) : discount };
}

const amountOrNone = (amount: Cents): Discount | null => (amount === 0 ? null : { amount });

interface Invoiced {
  readonly lines: readonly PricedLine[];
  readonly discount: Discount | null;
}
