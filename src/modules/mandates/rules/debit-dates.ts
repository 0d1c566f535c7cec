import { MONTHS } from "../../../kernel/frequency.ts";
import { type BusinessDay, dayOfMonth, monthsSinceYearZero } from "../../../kernel/time.ts";
import type { DebitTerms, Mandate } from "../types.ts";

/** The first debit day on or after the start date. */
export function firstDebitDate({ startDate, debitDay }: Pick<DebitTerms, "startDate" | "debitDay">): BusinessDay {
  const month = monthsSinceYearZero(startDate);
  const inMonth = dayOfMonth(month, debitDay);
  return inMonth >= startDate ? inMonth : dayOfMonth(month + 1, debitDay);
}

/**
 * The first date on or after `from` on which the mandate is due, before it is moved to a business day (interface 16.22); null after the
 * end date. Dates are counted from the first one and clamped to the month's end: 31 January, 28 February, 31 March. A period that
 * was debited is not due again when the debit day changes.
 */
export function nextDebitDate(terms: DebitTerms, from: BusinessDay): BusinessDay | null {
  const { frequency, debitDay, startDate, endDate, firstDebitDate: first, lastDebitDate } = terms;
  const earliest = from > startDate ? from : startDate;
  const anchor = monthsSinceYearZero(first);
  const step = MONTHS[frequency];
  const open = lastDebitDate === null ? anchor : monthsSinceYearZero(lastDebitDate) + 1;
  const periods = Math.max(0, Math.ceil((Math.max(open, monthsSinceYearZero(earliest)) - anchor) / step));
  const inPeriod = dayOfMonth(anchor + periods * step, debitDay);
  const next = inPeriod >= earliest ? inPeriod : dayOfMonth(anchor + (periods + 1) * step, debitDay);
  return endDate !== null && next > endDate ? null : next;
}

/**
 * The terms with another debit day from `today` on. A mandate that was not debited starts again: its first date is the first such day from today
 * and from its start on. Later, the next date stays in the month in which it was due, or moves to the month after when that day has passed;
 * periods are counted from it. So no period is debited twice, and none is left out.
 */
export function withDebitDay<Terms extends DebitTerms>(terms: Terms, debitDay: number, today: BusinessDay): Terms {
  if (debitDay === terms.debitDay) return terms;
  const due = terms.lastDebitDate === null ? null : nextDebitDate({ ...terms, endDate: null }, today);
  const from = due === null ? terms.startDate : dayOfMonth(monthsSinceYearZero(due), 1);
  const firstDate = firstDebitDate({ startDate: from > today ? from : today, debitDay });
  return { ...terms, debitDay, firstDebitDate: firstDate };
}

/** The date that the API shows: the next one of an active mandate; for a pending one the next date if it became active `today`. */
export const shownNextDebitDate = (mandate: Mandate, today: BusinessDay): BusinessDay | null =>
  mandate.status === "pending" ? nextDebitDate(mandate, today) : mandate.nextDebitDate;
