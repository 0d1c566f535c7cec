import assert from "node:assert/strict";
import { test } from "node:test";
import { day, FREQUENCY_OF } from "../../../../../test/support/customer-subscription.ts";
import { fc } from "../../../../../test/support/property.ts";
import { FREQUENCIES, type Frequency } from "../../../../kernel/frequency.ts";
import { addDays, type CalendarDay, daysBetween } from "../../../../kernel/time.ts";
import { daysOfExternal, daysOfFullPeriod, periodFrom, startOfCycleBefore } from "./periods.ts";

/** The starts of periods that follow one another from a day. */
function starts(start: string, anchorDay: number, frequency: Frequency, count: number): CalendarDay[] {
  const found = [day(start)];
  while (found.length < count) found.push(periodFrom(found.at(-1) ?? day(start), anchorDay, frequency).next);
  return found;
}

// Frequency, anchor day, then the days on which periods begin.
const SERIES: [string, number, string][] = [
  ["m", 1, "2027-01-01 2027-02-01 2027-03-01 2027-04-01"],
  ["m", 28, "2027-01-28 2027-02-28 2027-03-28 2027-04-28"],
  ["m", 29, "2027-01-29 2027-02-28 2027-03-29 2027-04-29"],
  ["m", 30, "2027-01-30 2027-02-28 2027-03-30 2027-04-30 2027-05-30"],
  ["m", 31, "2027-01-31 2027-02-28 2027-03-31 2027-04-30 2027-05-31"],
  ["m", 29, "2028-01-29 2028-02-29 2028-03-29"],
  ["m", 30, "2028-01-30 2028-02-29 2028-03-30"],
  ["m", 31, "2028-01-31 2028-02-29 2028-03-31"],
  ["m", 31, "2027-12-31 2028-01-31 2028-02-29"],
  ["q", 15, "2027-01-15 2027-04-15 2027-07-15 2027-10-15 2028-01-15"],
  ["q", 31, "2027-08-31 2027-11-30 2028-02-29 2028-05-31"],
  ["b", 31, "2027-08-31 2028-02-29 2028-08-31 2029-02-28"],
  ["b", 30, "2027-08-30 2028-02-29 2028-08-30"],
  ["a", 29, "2028-02-29 2029-02-28 2030-02-28 2031-02-28 2032-02-29"],
  ["a", 31, "2027-12-31 2028-12-31 2029-12-31"],
];
for (const [letter, anchorDay, days] of SERIES)
  test(`${FREQUENCY_OF[letter]} on day ${anchorDay}: ${days}`, () => {
    const expected = days.split(" ");
    assert.deepEqual(
      starts(expected[0] ?? "", anchorDay, FREQUENCY_OF[letter] ?? "monthly", expected.length),
      expected,
    );
  });

// Frequency, start, anchor day: the next period's start, and how many days of how many are charged.
const BRIDGES: [string, string, number, string, string][] = [
  ["m", "2027-01-10", 15, "2027-01-15", "5 of 31"],
  ["m", "2027-01-15", 15, "2027-02-15", "31 of 31"],
  ["m", "2027-01-16", 15, "2027-02-15", "30 of 31"],
  ["m", "2027-01-16", 1, "2027-02-01", "16 of 31"],
  ["m", "2027-02-16", 1, "2027-03-01", "13 of 28"],
  ["m", "2028-02-16", 1, "2028-03-01", "14 of 29"],
  ["m", "2027-02-10", 31, "2027-02-28", "18 of 28"],
  ["m", "2027-02-28", 31, "2027-03-31", "31 of 31"],
  ["m", "2027-03-30", 31, "2027-03-31", "1 of 31"],
  ["m", "2027-04-30", 31, "2027-05-31", "31 of 31"],
  ["m", "2027-12-31", 1, "2028-01-01", "1 of 31"],
  ["q", "2027-01-10", 15, "2027-01-15", "5 of 92"],
  ["q", "2027-01-20", 15, "2027-02-15", "26 of 92"],
  ["b", "2027-01-10", 15, "2027-01-15", "5 of 184"],
  ["a", "2027-01-10", 15, "2027-01-15", "5 of 365"],
  ["a", "2028-03-01", 29, "2028-03-29", "28 of 366"],
];
for (const [letter, start, anchorDay, next, days] of BRIDGES)
  test(`${FREQUENCY_OF[letter]} from ${start} to day ${anchorDay}: ${days} days, until ${next}`, () => {
    const period = periodFrom(day(start), anchorDay, FREQUENCY_OF[letter] ?? "monthly");
    assert.deepEqual([period.next, `${period.billed} of ${period.of}`], [next, days]);
  });

// A period that another platform has billed: its days, of the full period's.
const RECORDED: [string, string, string, string][] = [
  ["m", "2027-01-31", "2027-02-28", "28 of 28"],
  ["m", "2027-02-28", "2027-03-31", "31 of 31"],
  ["m", "2027-02-28", "2027-03-28", "28 of 28"],
  ["m", "2027-01-20", "2027-02-01", "12 of 31"],
  ["m", "2027-01-01", "2027-03-01", "59 of 28"],
  ["a", "2028-02-29", "2029-02-28", "365 of 365"],
];
for (const [letter, start, next, days] of RECORDED)
  test(`${FREQUENCY_OF[letter]}, recorded from ${start} to ${next}: ${days} days`, () => {
    const { billed, of } = daysOfExternal({ start: day(start), next: day(next) }, FREQUENCY_OF[letter] ?? "monthly");
    assert.equal(`${billed} of ${of}`, days);
  });

test("the cycle before a day is clamped to the month's end", () => {
  assert.equal(startOfCycleBefore(day("2027-03-31"), "monthly"), "2027-02-28");
  assert.equal(startOfCycleBefore(day("2028-05-31"), "quarterly"), "2028-02-29");
  assert.equal(startOfCycleBefore(day("2028-02-29"), "annually"), "2027-02-28");
});

test("a period that would end after the year 9999 is refused", () =>
  assert.throws(() => periodFrom(day("9999-12-31"), 31, "monthly"), /beyond the calendar/));

test("periods follow one another, and from the first anchor day on they are full", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 1, max: 31 }),
      fc.constantFrom(...FREQUENCIES),
      (offset, anchorDay, frequency) => {
        const start = addDays(day("2027-01-01"), offset);
        const first = periodFrom(start, anchorDay, frequency);
        assert.ok(first.billed > 0 && first.billed <= first.of);
        const second = periodFrom(first.next, anchorDay, frequency);
        assert.equal(second.billed, second.of);
        assert.equal(daysBetween(second.start, second.next), daysOfFullPeriod(second.next, anchorDay, frequency));
      },
    ),
  ));
