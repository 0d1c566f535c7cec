import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../../kernel/money.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import type { MovementKind } from "../types.ts";
import { type CohortMovement, cohortsOf } from "./cohorts.ts";

const [JANUARY, FEBRUARY, MARCH, APRIL] = ["2027-01-01", "2027-02-01", "2027-03-01", "2027-04-01"] as CalendarDay[];
const MONTHS = [JANUARY, FEBRUARY, MARCH, APRIL] as CalendarDay[];
const moved = (started: unknown, month: unknown, kind: MovementKind, amount: number, count = 1): CohortMovement => ({
  started: started as CalendarDay,
  month: month as CalendarDay,
  kind,
  amount: cents(amount),
  count,
});

test("a cohort is what started in a month, and what is left of it at the end of each", () => {
  const [january, march, ...others] = cohortsOf(MONTHS, [
    moved(JANUARY, JANUARY, "new", 3000, 3),
    moved(JANUARY, JANUARY, "churn", -1000),
    moved(JANUARY, MARCH, "expansion", 500, 2),
    moved(JANUARY, MARCH, "churn", -1250),
    moved(JANUARY, APRIL, "reactivation", 1000),
    moved(JANUARY, APRIL, "contraction", -50),
    moved(MARCH, MARCH, "new", 700),
  ]);
  assert.deepEqual(others, [], "a month in which none started is left out");
  assert.deepEqual(january?.started, { amount: 3000, count: 3 });
  assert.deepEqual(
    january?.months.map(({ month, amount, count }) => [month, amount, count]),
    [
      [JANUARY, 2000, 2],
      [FEBRUARY, 2000, 2],
      [MARCH, 1250, 1],
      [APRIL, 2200, 2],
    ],
  );
  assert.deepEqual(march?.months, [
    { month: MARCH, amount: 700, count: 1 },
    { month: APRIL, amount: 700, count: 1 },
  ]);
});
