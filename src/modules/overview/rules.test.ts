import assert from "node:assert/strict";
import { test } from "node:test";
import type { BusinessDay } from "../../kernel/time.ts";
import { collectedSpans } from "./rules.ts";

test("a month is compared with the one before up to the same day, or its last one", () => {
  const spans = (day: string) => {
    const { month, lastMonth, lastMonthToDate, from } = collectedSpans(day as BusinessDay);
    return [month.from, lastMonth.from, lastMonth.to, lastMonthToDate.to, from];
  };
  assert.deepEqual(spans("2027-03-15"), ["2027-03-01", "2027-02-01", "2027-02-28", "2027-02-15", "2027-02-01"]);
  assert.deepEqual(spans("2027-03-31"), ["2027-03-01", "2027-02-01", "2027-02-28", "2027-02-28", "2027-02-01"]);
  assert.deepEqual(spans("2027-01-01"), ["2027-01-01", "2026-12-01", "2026-12-31", "2026-12-01", "2026-12-01"]);
});
