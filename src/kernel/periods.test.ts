import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frequency } from "./frequency.ts";
import { boundary } from "./periods.ts";
import type { CalendarDay } from "./time.ts";

const BOUNDARIES: [string, Frequency, string][] = [
  ["2026-01-31", "monthly", "2026-01-31 2026-02-28 2026-03-31 2026-04-30 2026-05-31"],
  ["2027-12-30", "monthly", "2027-12-30 2028-01-30 2028-02-29 2028-03-30"],
  ["2026-11-30", "quarterly", "2026-11-30 2027-02-28 2027-05-30 2027-08-30"],
  ["2026-08-31", "biannually", "2026-08-31 2027-02-28 2027-08-31 2028-02-29"],
  ["2024-02-29", "annually", "2024-02-29 2025-02-28 2026-02-28 2027-02-28 2028-02-29"],
];
for (const [anchor, frequency, expected] of BOUNDARIES)
  test(`${frequency} from ${anchor}`, () => {
    const dates = expected.split(" ");
    assert.deepEqual(
      dates.map((_, k) => boundary(anchor as CalendarDay, frequency, k)),
      dates,
    );
  });
