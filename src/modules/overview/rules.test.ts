import assert from "node:assert/strict";
import { test } from "node:test";
import type { CalendarDay } from "../../kernel/time.ts";
import { type Days, daysBefore, divided, receivedSpans } from "./rules.ts";

const days = (from: string, to: string) => ({ from, to }) as Days;

test("the overview reads from the month before on, and always thirty days", () => {
  const spans = (day: string) => {
    const { thisMonth, lastMonth, shown, from } = receivedSpans(day as CalendarDay);
    return [thisMonth.from, lastMonth.from, lastMonth.to, shown.from, from];
  };
  assert.deepEqual(spans("2027-03-15"), ["2027-03-01", "2027-02-01", "2027-02-28", "2027-02-14", "2027-02-01"]);
  assert.deepEqual(spans("2027-03-31"), ["2027-03-01", "2027-02-01", "2027-02-28", "2027-03-02", "2027-02-01"]);
  assert.deepEqual(spans("2027-01-01"), ["2027-01-01", "2026-12-01", "2026-12-31", "2026-12-03", "2026-12-01"]);
});

test("days are compared with as many days before them", () => {
  assert.deepEqual(daysBefore(days("2027-04-01", "2027-04-14")), days("2027-03-18", "2027-03-31"));
  assert.deepEqual(daysBefore(days("2027-01-01", "2027-01-01")), days("2026-12-31", "2026-12-31"));
  assert.deepEqual(daysBefore(days("2027-02-01", "2027-02-28")), days("2027-01-04", "2027-01-31"));
});

test("days are divided by days, weeks from Monday, and months, which may be cut at both ends", () => {
  assert.deepEqual(divided(days("2027-04-01", "2027-04-02"), "day"), [
    days("2027-04-01", "2027-04-01"),
    days("2027-04-02", "2027-04-02"),
  ]);
  assert.deepEqual(divided(days("2027-04-01", "2027-04-13"), "week"), [
    days("2027-04-01", "2027-04-04"),
    days("2027-04-05", "2027-04-11"),
    days("2027-04-12", "2027-04-13"),
  ]);
  assert.deepEqual(divided(days("2026-12-31", "2027-02-01"), "month"), [
    days("2026-12-31", "2026-12-31"),
    days("2027-01-01", "2027-01-31"),
    days("2027-02-01", "2027-02-01"),
  ]);
});
