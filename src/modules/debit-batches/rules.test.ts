import assert from "node:assert/strict";
import { test } from "node:test";
import { percent } from "../../kernel/percent.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { actionDateAt, debitReference, decideDate, fittingDebits, rounded } from "./rules.ts";

const day = (text: string) => text as CalendarDay;

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

// The mandate's date, today, the subscription's next bill, invoices to collect: the decision for the date.
for (const [date, today, nextBill, invoices, expected] of [
  // At the cut-off: all bills up to the date are made, or one is still to come.
  ["2027-04-05", "2027-04-01", "2027-05-01", 1, "debits"],
  ["2027-04-05", "2027-04-01", "2027-04-05", 1, "waits"],
  ["2027-04-05", "2027-04-01", "2027-04-02", 0, "waits"],
  ["2027-04-05", "2027-04-01", null, 2, "debits"],
  // Nothing is due yet: something may still be billed until the date is over.
  ["2027-04-05", "2027-04-01", "2027-05-01", 0, "waits"],
  ["2027-04-05", "2027-04-05", null, 0, "waits"],
  ["2027-04-05", "2027-04-06", null, 0, "passes"],
  ["2027-04-05", "2027-04-06", "2027-05-01", 0, "passes"],
  // Late: invoices billed by the date are still collected, and a bill that was not made in time is awaited.
  ["2027-04-05", "2027-04-09", "2027-05-01", 1, "debits"],
  ["2027-04-05", "2027-04-09", "2027-04-05", 0, "waits"],
] as const)
  test(`${invoices} invoices of ${date}, next bill ${nextBill ?? "none"}, on ${today}: ${expected}`, () =>
    assert.equal(
      decideDate({ date: day(date), today: day(today), nextBill: nextBill && day(nextBill), invoices }),
      expected,
    ));

test("the first debit of a date has the date alone, later ones their number", () => {
  assert.equal(debitReference("DO1", day("2027-04-05"), 1), "DO1-20270405");
  assert.equal(debitReference("DO1", day("2027-04-05"), 2), "DO1-20270405-2");
});

// Debits of each mandate, room of the batch, whether it is empty; then those that fit, and whether it is full.
for (const [due, room, isEmpty, expected, isFull] of [
  [[1, 2], 3, false, [1, 2], false],
  [[1, 2, 1], 3, false, [1, 2], true],
  [[2, 2], 3, true, [2], true],
  [[4], 3, false, [], true],
  [[4, 1], 3, true, [3], true],
  [[], 3, true, [], false],
] as const)
  test(`debits of ${due.join(" + ") || "none"} in a room of ${room}: ${expected.join(" + ") || "none"}`, () => {
    const found = fittingDebits(
      due.map((count) => ({ invoices: Array.from({ length: count }, (_, at) => at) })),
      room,
      isEmpty,
    );
    assert.deepEqual(
      found.fitting.map(({ invoices }) => invoices.length),
      expected,
    );
    assert.equal(found.isFull, isFull);
  });
