import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { type Aging, agingOf } from "./rules.ts";

const TODAY = "2026-11-20" as BusinessDay;
const open = (dueDate: string | null, total = 11500, paid = 1500) => ({
  dueDate: dueDate as BusinessDay | null,
  total: cents(total),
  paid: cents(paid),
});
const NONE = { current: 0, days30: 0, days60: 0, days90: 0, older: 0 };

const CASES: readonly [dueDate: string | null, bucket: keyof Aging][] = [
  [null, "current"],
  ["2027-01-01", "current"],
  ["2026-11-20", "current"],
  ["2026-11-19", "days30"],
  ["2026-10-21", "days30"],
  ["2026-10-20", "days60"],
  ["2026-09-21", "days60"],
  ["2026-09-20", "days90"],
  ["2026-08-22", "days90"],
  ["2026-08-21", "older"],
  ["2020-01-01", "older"],
];
for (const [dueDate, bucket] of CASES)
  test(`what was due ${dueDate ?? "on no day"} is in ${bucket}`, () =>
    assert.deepEqual(agingOf([open(dueDate)], TODAY), { ...NONE, [bucket]: 10000 }));

test("every open cent is in one bucket", () => {
  const invoices = CASES.map(([dueDate], index) => open(dueDate, 10 ** index, index));
  const all = Object.values(agingOf(invoices, TODAY)).reduce((total, amount) => total + amount, 0);
  assert.equal(all, 11_111_111_111 - 55);
});
