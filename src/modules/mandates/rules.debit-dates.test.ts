import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { FREQUENCIES, type Frequency, MONTHS } from "../../kernel/frequency.ts";
import { addDays, type CalendarDay, monthsSinceYearZero } from "../../kernel/time.ts";
import { firstDebitDate, nextDebitDate, withDebitDay } from "./rules.ts";
import type { DebitTerms } from "./types.ts";

const day = (text: string) => text as CalendarDay;
const terms = (given: Partial<DebitTerms> & { startDate: CalendarDay; debitDay: number }): DebitTerms => ({
  frequency: "monthly",
  endDate: null,
  firstDebitDate: firstDebitDate(given),
  lastDebitDate: null,
  ...given,
});

/** The first `count` dates, each as if the one before had been debited. */
function dates(of: DebitTerms, count: number): (CalendarDay | null)[] {
  const found: (CalendarDay | null)[] = [];
  let last = of.lastDebitDate;
  for (let n = 0; n < count; n++) {
    const next = nextDebitDate({ ...of, lastDebitDate: last }, last ?? of.startDate);
    found.push(next);
    last = next ?? last;
  }
  return found;
}

// Frequency, start, debit day, then the first dates.
const SERIES: [Frequency, string, number, string[]][] = [
  ["monthly", "2027-01-01", 31, ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]],
  ["monthly", "2028-01-31", 31, ["2028-01-31", "2028-02-29", "2028-03-31"]],
  ["monthly", "2027-01-15", 15, ["2027-01-15", "2027-02-15"]],
  ["monthly", "2027-01-16", 15, ["2027-02-15", "2027-03-15"]],
  ["monthly", "2027-12-31", 1, ["2028-01-01", "2028-02-01"]],
  ["monthly", "2027-02-28", 30, ["2027-02-28", "2027-03-30"]],
  ["quarterly", "2027-11-30", 31, ["2027-11-30", "2028-02-29", "2028-05-31", "2028-08-31"]],
  ["biannually", "2027-08-31", 31, ["2027-08-31", "2028-02-29", "2028-08-31"]],
  ["annually", "2028-02-01", 29, ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]],
];
for (const [frequency, startDate, debitDay, expected] of SERIES)
  test(`${frequency} on ${debitDay} from ${startDate}: ${expected.join(", ")}`, () =>
    assert.deepEqual(dates(terms({ frequency, startDate: day(startDate), debitDay }), expected.length), expected));

test("none after the end date, which is one of its days", () => {
  const ends = terms({ startDate: day("2027-01-10"), debitDay: 10, endDate: day("2027-03-10") });
  assert.deepEqual(dates(ends, 4), ["2027-01-10", "2027-02-10", "2027-03-10", null]);
  assert.equal(
    nextDebitDate(terms({ startDate: day("2027-01-11"), debitDay: 10, endDate: day("2027-02-09") }), day("2027-01-11")),
    null,
  );
});

// Frequency, start, debit day and the last debit before; the day of the change and the new debit day, then the next two dates.
const CHANGES: [Frequency, string, number, string | null, string, number, [string, string]][] = [
  // Before the first debit: the first such day from today and the start on.
  ["monthly", "2027-03-20", 5, null, "2027-03-21", 25, ["2027-03-25", "2027-04-25"]],
  ["monthly", "2027-03-20", 25, null, "2027-03-21", 5, ["2027-04-05", "2027-05-05"]],
  ["monthly", "2027-05-10", 15, null, "2027-03-21", 5, ["2027-06-05", "2027-07-05"]],
  ["quarterly", "2027-01-10", 20, null, "2027-01-10", 25, ["2027-01-25", "2027-04-25"]],
  ["annually", "2027-03-01", 25, null, "2027-03-10", 5, ["2027-04-05", "2028-04-05"]],
  ["annually", "2027-03-01", 25, null, "2027-03-10", 10, ["2027-03-10", "2028-03-10"]],
  // After one: a month that was debited is not debited again.
  ["monthly", "2027-01-01", 5, "2027-03-05", "2027-03-06", 20, ["2027-04-20", "2027-05-20"]],
  ["monthly", "2027-01-01", 5, "2027-03-05", "2027-03-06", 6, ["2027-04-06", "2027-05-06"]],
  ["monthly", "2027-01-01", 5, "2027-03-05", "2027-03-06", 1, ["2027-04-01", "2027-05-01"]],
  // The period that is due is debited, in the month after when the day has passed.
  ["monthly", "2027-01-01", 25, "2027-05-25", "2027-06-10", 5, ["2027-07-05", "2027-08-05"]],
  ["quarterly", "2027-03-01", 25, "2027-03-25", "2027-05-10", 5, ["2027-06-05", "2027-09-05"]],
  ["quarterly", "2027-03-01", 25, "2027-03-25", "2027-06-10", 5, ["2027-07-05", "2027-10-05"]],
  ["annually", "2027-03-01", 25, "2027-03-25", "2028-03-10", 31, ["2028-03-31", "2029-03-31"]],
];
for (const [frequency, startDate, debitDay, last, today, changed, expected] of CHANGES)
  test(`${frequency} on ${debitDay} from ${startDate}, last ${last}; on ${today} its day becomes ${changed}: ${expected[0]}`, () => {
    const before = terms({
      frequency,
      startDate: day(startDate),
      debitDay,
      lastDebitDate: last === null ? null : day(last),
    });
    const after = withDebitDay(before, changed, day(today));
    const next = nextDebitDate(after, day(today));
    assert.ok(next);
    assert.deepEqual([next, nextDebitDate({ ...after, lastDebitDate: next }, addDays(next, 1))], expected);
    assert.equal(withDebitDay(before, debitDay, day(today)), before, "the same day changes nothing");
  });

test("what was missed is not made up for: the next date is on or after the day that is asked for", () => {
  const quarterly = terms({
    frequency: "quarterly",
    startDate: day("2027-01-31"),
    debitDay: 31,
    lastDebitDate: day("2027-01-31"),
  });
  assert.equal(nextDebitDate(quarterly, day("2027-08-01")), "2027-10-31");
});

test("dates ascend, keep to the months of the frequency, and never fall before start, end or the day asked for", () =>
  fc.assert(
    fc.property(
      fc.constantFrom(...FREQUENCIES),
      fc.integer({ min: 0, max: 4000 }),
      fc.integer({ min: 1, max: 31 }),
      fc.integer({ min: 0, max: 900 }),
      (frequency, offset, debitDay, later) => {
        const startDate = addDays(day("2027-01-01"), offset);
        const of = terms({ frequency, startDate, debitDay });
        const from = addDays(startDate, later);
        const next = nextDebitDate(of, from);
        assert.ok(next !== null && next >= from);
        assert.equal((monthsSinceYearZero(next) - monthsSinceYearZero(of.firstDebitDate)) % MONTHS[frequency], 0);
        const following = nextDebitDate({ ...of, lastDebitDate: next }, next);
        assert.ok(following !== null && following > next);
        assert.equal(monthsSinceYearZero(following) - monthsSinceYearZero(next), MONTHS[frequency]);
      },
    ),
  ));
