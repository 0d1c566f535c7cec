import { invalidField } from "../../kernel/errors.ts";
import { netLine, type PricedLine } from "../../kernel/lines.ts";
import { addDays, type BusinessDay, businessDay, type Instant, startOfDay } from "../../kernel/time.ts";
import type { Quote, QuoteStatus } from "./types.ts";

/** Whether the last valid day, a South African day, has passed (interface 2.6). */
const isOver = (expiryDate: BusinessDay | null, now: Instant): boolean =>
  expiryDate !== null && expiryDate < businessDay(now);

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
export const expiryWhenSent = ({ expiryDate }: Pick<Quote, "expiryDate">, now: Instant): BusinessDay | null =>
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

function requirePeriod({ periodStart, periodEnd }: Period, path: readonly (string | number)[]): void {
  if (periodStart === null && periodEnd === null) return;
  if (periodStart === null || periodEnd === null)
    throw invalidField(
      [...path, periodStart === null ? "periodStart" : "periodEnd"],
      "periodStart and periodEnd go together: send both or neither.",
    );
  if (periodEnd < periodStart) throw invalidField([...path, "periodEnd"], "periodEnd must not be before periodStart.");
}

/** The lines as an invoice shows them, without VAT; they add up to the quote's total to the cent (interface 4.6). */
export const invoiceLines = ({ taxInclusive, lines }: Pick<Quote, "taxInclusive" | "lines">): readonly PricedLine[] =>
  taxInclusive ? lines.map(netLine) : lines;
