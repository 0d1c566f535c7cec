import type { Days } from "../../../../domain/line-reason.ts";
import { assert } from "../../../../kernel/assert.ts";
import { type Frequency, MONTHS } from "../../../../kernel/frequency.ts";
import {
  addDays,
  addMonths,
  type CalendarDay,
  dayOfMonth,
  daysBetween,
  monthsSinceYearZero,
} from "../../../../kernel/time.ts";
import type { Span } from "./types.ts";

/** The day of the month, 1 to 31. */
export const anchorDayOf = (day: CalendarDay): number => Number(day.slice(8));

/** Whether a day is the anchor day of its month, which may be clamped to the month's end. */
const isAnchored = (day: CalendarDay, anchorDay: number): boolean =>
  dayOfMonth(monthsSinceYearZero(day), anchorDay) === day;

/** Days after 9999-12-31 cannot be compared or stored as text. */
function known(day: CalendarDay): CalendarDay {
  assert(day.length === "9999-12-31".length, `beyond the calendar: ${day}`);
  return day;
}

/** The first day after `day` that is the anchor day of its month. */
function nextAnchored(day: CalendarDay, anchorDay: number): CalendarDay {
  const inMonth = dayOfMonth(monthsSinceYearZero(day), anchorDay);
  return inMonth > day ? inMonth : dayOfMonth(monthsSinceYearZero(day) + 1, anchorDay);
}

/**
 * The number of days of the full period that ends at `next`. A boundary is counted from the anchor day, also after one
 * that was clamped to the end of its month: with anchor day 31, the period before 28 February began on 31 January.
 */
export function daysOfFullPeriod(next: CalendarDay, anchorDay: number, frequency: Frequency): number {
  const day = isAnchored(next, anchorDay) ? anchorDay : anchorDayOf(next);
  return daysBetween(dayOfMonth(monthsSinceYearZero(next) - MONTHS[frequency], day), next);
}

/** The day on which the full period begins that ends at `next` (interface 4.8, mirror mode: `currentPeriodStart` by default). */
export const startOfCycleBefore = (next: CalendarDay, frequency: Frequency): CalendarDay =>
  addMonths(next, -MONTHS[frequency]);

/**
 * The charged days of a recorded period: all of them when it is a full one by the day on which it begins or ends, which
 * may be clamped; else its share of the full period that ends on the same day.
 */
export function daysOfExternal({ start, next }: Span, frequency: Frequency): Days {
  const anchorDay = Math.max(anchorDayOf(start), anchorDayOf(next));
  return { billed: daysBetween(start, next), of: daysOfFullPeriod(next, anchorDay, frequency) };
}

/**
 * The period that begins on `start` (interface 16.3, 16.4, 16.6): a full one when `start` is an anchor day; else the
 * bridge to the next anchor day, as a share of the full period that ends there.
 */
export function periodFrom(start: CalendarDay, anchorDay: number, frequency: Frequency): Span & Days {
  const next = isAnchored(start, anchorDay)
    ? dayOfMonth(monthsSinceYearZero(start) + MONTHS[frequency], anchorDay)
    : nextAnchored(start, anchorDay);
  return {
    start,
    next: known(next),
    billed: daysBetween(start, next),
    of: daysOfFullPeriod(next, anchorDay, frequency),
  };
}

/** The last day of a period, which is shown as its end (interface 16.3). */
export const lastDayOf = ({ next }: Span): CalendarDay => addDays(next, -1);
