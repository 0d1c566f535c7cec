import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { AGES, type Age, ageOf, FIRST_DAYS, sumByAge } from "./rules.ts";

const TODAY = "2026-11-20" as CalendarDay;

const CASES: readonly [dueDate: string | null, age: Age][] = [
  [null, "current"],
  ["2027-01-01", "current"],
  ["2026-11-20", "current"],
  ["2026-11-19", "days30"],
  ["2026-10-21", "days30"],
  ["2026-10-20", "days60"],
  ["2026-09-21", "days60"],
  ["2026-09-20", "days90"],
  ["2026-08-22", "days90"],
  ["2026-08-21", "days120"],
  ["2026-07-23", "days120"],
  ["2026-07-22", "older"],
  ["2020-01-01", "older"],
];
for (const [dueDate, age] of CASES)
  test(`what was due ${dueDate ?? "on no day"} is ${age}`, () =>
    assert.equal(ageOf(dueDate as CalendarDay | null, TODAY), age));

test("every cent is in one age", () => {
  const debts = CASES.map(([, age], index) => ({ age, amount: cents(10 ** index) }));
  const all = Object.values(sumByAge(debts)).reduce((total, amount) => total + amount, 0);
  assert.equal(all, 1_111_111_111_111);
});

test("the database numbers the ages in their order", () => {
  assert.deepEqual(FIRST_DAYS, [1, 31, 61, 91, 121]);
  assert.equal(AGES.length, FIRST_DAYS.length + 1);
});
