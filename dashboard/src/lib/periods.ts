import { addDays, addMonths, daysBetween } from "./time.ts";

/** What days are divided by. */
export const DIVISIONS = ["day", "week", "month"] as const;
type Division = (typeof DIVISIONS)[number];

/** Days, both included, and how they are divided. */
export interface Span {
  readonly from: string;
  readonly to: string;
  readonly by: Division;
}

/** A period that ends today. */
export interface Period {
  readonly label: string;
  span(today: string): Span;
}

const firstOfMonth = (day: string): string => `${day.slice(0, 8)}01`;

/** This month up to today, and how it is divided. */
export const THIS_MONTH: Period = {
  label: "This month",
  span: (today) => ({ from: firstOfMonth(today), to: today, by: "day" }),
};
/** Periods of figures about days, this month among them. */
export const PERIODS: readonly Period[] = [
  { label: "7 days", span: (today) => ({ from: addDays(today, -6), to: today, by: "day" }) },
  THIS_MONTH,
  { label: "90 days", span: (today) => ({ from: addDays(today, -89), to: today, by: "week" }) },
  { label: "12 months", span: (today) => ({ from: addDays(addMonths(today, -12), 1), to: today, by: "month" }) },
];

const months = (count: number): Period => ({
  label: `${count} months`,
  span: (today) => ({ from: addMonths(firstOfMonth(today), 1 - count), to: today, by: "month" }),
});
/** Twelve months, whole but for the present one. */
export const YEAR: Period = months(12);
/** Periods of figures about months. */
export const MONTHS: readonly Period[] = [months(3), YEAR, months(24)];

const MOST_BARS = 31;
const MOST_WEEKS = 200;

/** What days are divided by unless it is chosen: so that a drawing has at most about thirty parts. */
export function divisionOf(from: string, to: string): Division {
  const days = daysBetween(from, to) + 1;
  return days <= MOST_BARS ? "day" : days <= MOST_WEEKS ? "week" : "month";
}
