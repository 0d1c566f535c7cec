import { invalidField } from "../../kernel/errors.ts";
import { netLine, type PricedLine } from "../../kernel/lines.ts";
import { addDays, type BusinessDay, businessDay, type Instant, startOfDay } from "../../kernel/time.ts";
import type { Quote, QuoteStatus } from "./types.ts";

/** The last valid day is over (South African days, interface 2.6). */
const isOver = (expiryDate: BusinessDay | null, now: Instant): boolean =>
  expiryDate !== null && expiryDate < businessDay(now);

/** Interface 3.4, "checked daily and on reads": a sent quote is expired from the moment its last day is over, whenever that is written down. */
export const statusAt = ({ status, expiryDate }: Pick<Quote, "status" | "expiryDate">, now: Instant): QuoteStatus =>
  status === "sent" && isOver(expiryDate, now) ? "expired" : status;

/** When a sent quote expires: at the start of the day after its last one. Null when it never does. */
export const expiresAt = ({ expiryDate }: Pick<Quote, "expiryDate">): Instant | null =>
  expiryDate && startOfDay(addDays(expiryDate, 1));

/** Interface 3.3: sending clears an expiry date that has passed, so that what was sent can be accepted. */
export const expiryWhenSent = ({ expiryDate }: Pick<Quote, "expiryDate">, now: Instant): BusinessDay | null =>
  isOver(expiryDate, now) ? null : expiryDate;

type Period = Pick<Quote, "periodStart" | "periodEnd">;

/** Throws 400 for dates that cannot be together (interface 4.6): of the quote, and of each of its lines. */
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

/** As an invoice shows them, without VAT; together they come to the quote's total to the cent (interface 4.6). */
export const invoiceLines = ({ taxInclusive, lines }: Pick<Quote, "taxInclusive" | "lines">): readonly PricedLine[] =>
  taxInclusive ? lines.map(netLine) : lines;
