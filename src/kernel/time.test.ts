import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addDays,
  addSeconds,
  calendarDay,
  daysBetween,
  endOfDay,
  firstOfMonth,
  instant,
  parseCalendarDay,
  parseDateTime,
  startOfDay,
  startOfMonth,
} from "./time.ts";

test("the South African day begins two hours before the UTC day", () => {
  assert.equal(calendarDay(instant("2026-01-31T21:59:59.999Z")), "2026-01-31");
  assert.equal(calendarDay(instant("2026-01-31T22:00:00Z")), "2026-02-01");
  assert.equal(calendarDay(instant("9999-12-31T22:00:00Z")), "+010000-01-01");
  assert.equal(startOfDay(calendarDay(instant("2026-01-31T22:00:00Z"))).toISOString(), "2026-01-31T22:00:00.000Z");
  assert.equal(endOfDay(calendarDay(instant("2026-01-31T22:00:00Z"))).toISOString(), "2026-02-01T21:59:59.999Z");
  assert.equal(firstOfMonth(calendarDay(instant("2028-02-29T12:00:00Z"))), "2028-02-01");
  assert.equal(startOfMonth(instant("2026-02-28T22:30:00Z")).toISOString(), "2026-02-28T22:00:00.000Z");
});

test("seconds are added over the end of a day, to the millisecond", () => {
  assert.equal(addSeconds(instant("2026-01-31T23:59:59Z"), 1.5).toISOString(), "2026-02-01T00:00:00.500Z");
});

test("days are added over month and leap year ends", () => {
  assert.equal(addDays(parseCalendarDay("2028-02-28") as never, 1), "2028-02-29");
  assert.equal(addDays(parseCalendarDay("2026-01-01") as never, -1), "2025-12-31");
});

test("daysBetween is the inverse of addDays", () => {
  for (const days of [-400, -1, 0, 1, 28, 366]) {
    const from = parseCalendarDay("2028-02-01") as never;
    assert.equal(daysBetween(from, addDays(from, days)), days);
  }
});

const DATE_TIMES: [string, string | null][] = [
  ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
  ["2026-01-01T00:00:00.123Z", "2026-01-01T00:00:00.123Z"],
  ["2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00.000Z"],
  ["2026-01-01T23:59:59Z", "2026-01-01T23:59:59.000Z"],
  ["2026-01-01T00:00Z", null],
  ["2026-01-01T00:00:00", null],
  ["2026-02-30T00:00:00Z", null],
  ["2026-01-01T24:00:00Z", null],
  ["2026-01-01", null],
  ["tomorrow", null],
  ["0001-01-02T00:00:00Z", "0001-01-02T00:00:00.000Z"],
  ["0001-01-02T00:00:00+02:00", null],
  ["0000-12-31T23:59:59Z", null],
  ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
  ["9999-12-31T23:59:59-01:00", null],
];
for (const [text, expected] of DATE_TIMES)
  test(`date-time ${text} is ${expected ?? "refused"}`, () =>
    assert.equal(parseDateTime(text)?.toISOString() ?? null, expected));

test("dates that do not exist are refused", () => {
  for (const text of ["2026-02-29", "2026-13-01", "2026-1-1", "", "20260101", "0000-12-31", "0001-01-01"])
    assert.equal(parseCalendarDay(text), null, text);
  assert.equal(parseCalendarDay("2028-02-29"), "2028-02-29");
});
