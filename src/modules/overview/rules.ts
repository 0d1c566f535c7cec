import { addDays, addMonths, type CalendarDay, dayOfWeek, daysBetween, firstOfMonth } from "../../kernel/time.ts";

/** South African days, both included. */
export interface Days {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

/** What a figure about some days is divided by. */
export const DIVISIONS = ["day", "week", "month"] as const;
export type Division = (typeof DIVISIONS)[number];

/** The number of days in the series of the overview, including today. */
const SHOWN = 30;

/** The days of the figures about received money. `from`: the first of all of them. */
export function receivedSpans(today: CalendarDay) {
  const first = firstOfMonth(today);
  const firstBefore = addMonths(first, -1);
  const shown = { from: addDays(today, 1 - SHOWN), to: today } satisfies Days;
  return {
    today: { from: today, to: today } satisfies Days,
    thisMonth: { from: first, to: today } satisfies Days,
    lastMonth: { from: firstBefore, to: addDays(first, -1) } satisfies Days,
    shown,
    from: [firstBefore, shown.from].toSorted()[0] ?? firstBefore,
  };
}

/** The days in which money is expected: thirty from tomorrow on. */
export const expectedDays = (today: CalendarDay): Days => ({ from: addDays(today, 1), to: addDays(today, SHOWN) });

/** As many days before these. */
export function daysBefore({ from, to }: Days): Days {
  return { from: addDays(from, -1 - daysBetween(from, to)), to: addDays(from, -1) };
}

/** The days, weeks (from Monday) or months of some days, oldest first; the first and the last may be cut. */
export function divided({ from, to }: Days, by: Division): Days[] {
  const parts: Days[] = [];
  for (let at = from; at <= to; ) {
    const next = nextPart(at, by);
    const last = addDays(next, -1);
    parts.push({ from: at, to: last < to ? last : to });
    at = next;
  }
  return parts;
}

/** The first day after the day, week or month of a day. */
function nextPart(day: CalendarDay, by: Division): CalendarDay {
  if (by === "month") return addMonths(firstOfMonth(day), 1);
  return addDays(day, by === "week" ? 8 - dayOfWeek(day) : 1);
}
