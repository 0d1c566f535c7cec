import { assert } from "./assert.ts";

/** A moment in UTC. Business code receives it as `now`, from the organisation's clock (interface 13.1). */
export type Instant = Date & { readonly __unit: "utc instant" };

/**
 * A South African calendar day, `YYYY-MM-DD`; days are counted by `Temporal.PlainDate` here, and compared as text (UTC+2,
 * no daylight saving; interface 16.2, decisions.md#days-are-text).
 */
export type CalendarDay = string & { readonly __unit: "YYYY-MM-DD, South African" };

const OFFSET_MS = 2 * 3_600_000;
const DAY_MS = 86_400_000;
/** Every day in South Africa has this length: there is no daylight saving (interface 16.2). */
export const DAY_SECONDS = 86_400;

/** From a timestamp with Z or offset, from a Date, or from milliseconds since 1970. Throws when it is not a valid time. */
export function instant(value: string | Date | number): Instant {
  const date = new Date(value);
  // The message is built only when it is needed: formatting a date takes longer than the rest of this function.
  if (Number.isNaN(date.getTime())) assert(false, `not an instant: ${String(value)}`);
  return date as Instant;
}

/** Interface 2.1: ISO 8601, UTC, milliseconds. */
export const toTimestamp = (value: Instant): string => value.toISOString();

/** Like `toTimestamp`, for fields that may be absent. */
export const toTimestampOrNull = (value: Instant | Date | null): string | null =>
  value === null ? null : value.toISOString();

/** Length of the time in an ISO 8601 text; what is before it is the date, which is longer after the year 9999. */
const TIME_LENGTH = "T00:00:00.000Z".length;

/** The South African date of an instant (interface 16.2, "day"). */
export function calendarDay(value: Instant): CalendarDay {
  return new Date(value.getTime() + OFFSET_MS).toISOString().slice(0, -TIME_LENGTH) as CalendarDay;
}

/** This day begins in the UTC year 0, which cannot be stored. */
const FIRST_DAY = "0001-01-01";

/** A date given by a client, from 0001-01-02 to 9999-12-31; null when it does not exist in the calendar. */
export function parseCalendarDay(text: string): CalendarDay | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text <= FIRST_DAY) return null;
  try {
    return Temporal.PlainDate.from(text).toString() as CalendarDay;
  } catch {
    return null;
  }
}

/** The UTC date of an instant, `YYYY-MM-DD`. */
export const utcDate = (value: Instant): string => value.toISOString().slice(0, 10);

/** South African time of the instant with its offset, such as `2026-01-01T12:00:00+02:00`. */
export const southAfricanTime = (value: Instant): string =>
  `${new Date(value.getTime() + OFFSET_MS).toISOString().slice(0, -".000Z".length)}+02:00`;

/** 00:00 South African time of that day. */
export const startOfDay = (day: CalendarDay): Instant => new Date(`${day}T00:00:00+02:00`) as Instant;

/** The last millisecond of that day, South African time (interface 2.6, `expiryDate`). */
export const endOfDay = (day: CalendarDay): Instant => new Date(startOfDay(day).getTime() + DAY_MS - 1) as Instant;

/** The first day of the month that holds the day. */
export const firstOfMonth = (day: CalendarDay): CalendarDay => `${day.slice(0, -2)}01` as CalendarDay;

/** The first instant of the South African month that holds `value`. */
export const startOfMonth = (value: Instant): Instant => startOfDay(firstOfMonth(calendarDay(value)));

/** The first day of the month after `month` (1 to 12) of `year`. */
export const firstOfNextMonth = (year: number, month: number): CalendarDay =>
  Temporal.PlainDate.from({ year, month, day: 1 }).add({ months: 1 }).toString() as CalendarDay;

/** Calendar months from January of year 0 to the month of the day, for arithmetic with `dayOfMonth`. */
export const monthsSinceYearZero = (day: CalendarDay): number =>
  Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

/** Day `day` (1 to 31) of a month as `monthsSinceYearZero` counts it; beyond the month's end, its last day. */
export const dayOfMonth = (months: number, day: number): CalendarDay =>
  Temporal.PlainDate.from(
    { year: Math.floor(months / 12), month: (months % 12) + 1, day },
    { overflow: "constrain" },
  ).toString() as CalendarDay;

/** Whole calendar days; negative goes back. */
export const addDays = (day: CalendarDay, days: number): CalendarDay =>
  Temporal.PlainDate.from(day).add({ days }).toString() as CalendarDay;

/** Whole calendar days from one day to a later one; below zero when it is earlier. */
export const daysBetween = (from: CalendarDay, to: CalendarDay): number =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: "days" }).days;

/** Whole calendar months, clamped to the month's end: 31 January and one month give 28 February (interface 16.4); negative goes back. */
export const addMonths = (day: CalendarDay, months: number): CalendarDay =>
  Temporal.PlainDate.from(day).add({ months }, { overflow: "constrain" }).toString() as CalendarDay;

/** 1 is Monday, 7 is Sunday. */
export const dayOfWeek = (day: CalendarDay): number => Temporal.PlainDate.from(day).dayOfWeek;

/** Seconds of real length, not calendar days; a fraction is kept to the millisecond. */
export const addSeconds = (value: Instant, seconds: number): Instant =>
  new Date(value.getTime() + seconds * 1000) as Instant;

/** Seconds of real length from one moment to a later one, with milliseconds as a fraction; below zero when it is earlier. */
export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000;

/** Whether both are the same moment, or both null. */
export const isSameInstant = (one: Date | null, other: Date | null): boolean => one?.getTime() === other?.getTime();

/** Whole seconds since 1970, as signatures and rate windows count them. */
export const unixSeconds = (value: Date): number => Math.floor(value.getTime() / 1000);

/** Milliseconds of Unix time. */
export const unixMilliseconds = (value: Date): number => value.getTime();

/** `14:05`, South African time. */
export const timeOfDay = (value: Instant): string => new Date(value.getTime() + OFFSET_MS).toISOString().slice(11, 16);

/** 00:00 UTC of the day that holds `value`. */
export const startOfUtcDay = (value: Instant): Instant =>
  new Date(Math.floor(value.getTime() / DAY_MS) * DAY_MS) as Instant;

/** UTC date as `YYYYMMDD`, for checkout references (interface 2.2). */
export const utcDateDigits = (value: Instant): string => value.toISOString().slice(0, 10).replaceAll("-", "");

/** A date of an HTTP header, such as `Retry-After`; null when it is none. */
export function parseHttpDate(text: string): Instant | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : (date as Instant);
}

/**
 * A client's date-time: ISO 8601 with seconds and Z or an offset (interface 4.2 `expiresAt`).
 * Null when the text has another form or the date does not exist.
 */
export function parseDateTime(text: string): Instant | null {
  const form = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
  const match = form.exec(text);
  if (!match || parseCalendarDay(match[1] ?? "") === null) return null;
  const date = new Date(text);
  // The offset may move it outside the years that can be stored.
  return parseCalendarDay(date.toISOString().slice(0, 10)) === null ? null : (date as Instant);
}
