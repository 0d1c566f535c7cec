import assert from "node:assert/strict";
import { test } from "node:test";
import type { BusinessDay } from "../../kernel/time.ts";
import { actionDateAt, percent, rounded } from "./rules.ts";

const day = (text: string) => text as BusinessDay;

for (const [today, cutOffDays, expected] of [
  ["2027-03-01", 0, "2027-03-01"],
  ["2027-03-01", 2, "2027-03-03"],
  // Over a weekend, and gathered on one.
  ["2027-03-04", 2, "2027-03-08"],
  ["2027-03-06", 2, "2027-03-09"],
  ["2027-03-06", 0, "2027-03-08"],
  // 21 March is a Sunday, so that Monday is the holiday; Good Friday is the 26th and Family Day the 29th.
  ["2027-03-18", 2, "2027-03-23"],
  ["2027-03-24", 2, "2027-03-30"],
  ["2027-03-26", 0, "2027-03-30"],
  // Christmas is a Saturday, and the Day of Goodwill a Sunday.
  ["2027-12-23", 2, "2027-12-28"],
  ["2027-12-31", 1, "2028-01-03"],
  ["2027-03-01", 10, "2027-03-15"],
] as const)
  test(`what is gathered on ${today} with ${cutOffDays} business days to the cut-off goes out on ${expected}`, () =>
    assert.equal(actionDateAt(day(today), cutOffDays), expected));

for (const [part, whole, expected] of [
  [0, 0, 0],
  [1, 3, 33.33],
  [2, 3, 66.67],
  [1, 1_000_000, 0],
  [5, 1_000, 0.5],
  [7, 7, 100],
] as const)
  test(`${part} of ${whole} are ${expected} percent`, () => assert.equal(percent(part, whole), expected));

test("an expected number has at most two decimals, and no separator", () => {
  assert.equal(rounded(12_345.678_9), 12_345.68);
  assert.equal(rounded(0.1 + 0.2), 0.3);
});
