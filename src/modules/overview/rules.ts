import { addDays, addMonths, type BusinessDay, firstOfMonth } from "../../kernel/time.ts";

/** South African days, both included. */
export interface Days {
  readonly from: BusinessDay;
  readonly to: BusinessDay;
}

/** The number of days in a chart, including today. */
const SHOWN = 30;

/** The days of the figures about collected money. `from`: the first of all of them. */
export function collectedSpans(today: BusinessDay) {
  const first = firstOfMonth(today);
  const firstBefore = addMonths(first, -1);
  const lastBefore = addDays(first, -1);
  const sameDay = addMonths(today, -1);
  const chart = addDays(today, 1 - SHOWN);
  return {
    today: { from: today, to: today } satisfies Days,
    month: { from: first, to: today } satisfies Days,
    lastMonth: { from: firstBefore, to: lastBefore } satisfies Days,
    lastMonthToDate: { from: firstBefore, to: sameDay } satisfies Days,
    shown: SHOWN,
    from: [firstBefore, chart].toSorted()[0] ?? firstBefore,
  };
}
