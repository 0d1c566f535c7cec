import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { addBusinessDays, easterSunday, isBusinessDay, isPublicHoliday, nextBusinessDay } from "./business-days.ts";
import { addDays, type CalendarDay, dayOfWeek } from "./time.ts";

const day = (text: string) => text as CalendarDay;

// From tables of Easter as churches print them: the earliest and the latest date of the calendar too.
const EASTERS =
  "1818-03-22 1943-04-25 1995-04-16 1999-04-04 2000-04-23 2008-03-23 2011-04-24 2016-03-27 2019-04-21 2020-04-12 2021-04-04 2022-04-17 2023-04-09 2024-03-31 2025-04-20 2026-04-05 2027-03-28 2028-04-16 2029-04-01 2030-04-21 2031-04-13 2032-03-28 2033-04-17 2034-04-09 2035-03-25 2036-04-13 2038-04-25 2049-04-18 2076-04-19 2100-03-28 2285-03-22";
for (const easter of EASTERS.split(" "))
  test(`Easter of ${easter.slice(0, 4)} is ${easter}`, () =>
    assert.equal(easterSunday(Number(easter.slice(0, 4))), easter));

// As the government gazettes them, without holidays that were declared for one year.
const HOLIDAYS: Record<number, string> = {
  2000: "01-01 03-21 04-21 04-24 04-27 05-01 06-16 08-09 09-24 09-25 12-16 12-25 12-26",
  2008: "01-01 03-21 03-24 04-27 04-28 05-01 06-16 08-09 09-24 12-16 12-25 12-26",
  2016: "01-01 03-21 03-25 03-28 04-27 05-01 05-02 06-16 08-09 09-24 12-16 12-25 12-26",
  2022: "01-01 03-21 04-15 04-18 04-27 05-01 05-02 06-16 08-09 09-24 12-16 12-25 12-26",
  2023: "01-01 01-02 03-21 04-07 04-10 04-27 05-01 06-16 08-09 09-24 09-25 12-16 12-25 12-26",
  2024: "01-01 03-21 03-29 04-01 04-27 05-01 06-16 06-17 08-09 09-24 12-16 12-25 12-26",
  2025: "01-01 03-21 04-18 04-21 04-27 04-28 05-01 06-16 08-09 09-24 12-16 12-25 12-26",
  2026: "01-01 03-21 04-03 04-06 04-27 05-01 06-16 08-09 08-10 09-24 12-16 12-25 12-26",
  2027: "01-01 03-21 03-22 03-26 03-29 04-27 05-01 06-16 08-09 09-24 12-16 12-25 12-26 12-27",
  2028: "01-01 03-21 04-14 04-17 04-27 05-01 06-16 08-09 09-24 09-25 12-16 12-25 12-26",
  2029: "01-01 03-21 03-30 04-02 04-27 05-01 06-16 08-09 09-24 12-16 12-17 12-25 12-26",
  2033: "01-01 03-21 04-15 04-18 04-27 05-01 05-02 06-16 08-09 09-24 12-16 12-25 12-26",
};
for (const [year, expected] of Object.entries(HOLIDAYS))
  test(`public holidays of ${year}`, () => {
    const found: string[] = [];
    for (let date = day(`${year}-01-01`); date.startsWith(year); date = addDays(date, 1))
      if (isPublicHoliday(date)) found.push(date.slice(5));
    assert.equal(found.join(" "), expected);
  });

const DAYS: [string, boolean][] = [
  ["2026-11-20", true], // Friday
  ["2026-11-21", false],
  ["2026-11-22", false],
  ["2026-04-03", false], // Good Friday
  ["2026-04-07", true],
  ["2026-08-10", false], // the Monday after a Sunday holiday
  ["2026-03-23", true], // a holiday on a Saturday moves nowhere
  ["2026-12-28", true],
  ["2022-12-27", true], // declared for that year only
];
for (const [date, expected] of DAYS)
  test(`${date} is ${expected ? "a" : "no"} business day`, () => assert.equal(isBusinessDay(day(date)), expected));

const NEXT: [string, string][] = [
  ["2026-11-20", "2026-11-20"],
  ["2026-11-21", "2026-11-23"],
  ["2026-04-03", "2026-04-07"],
  ["2026-12-25", "2026-12-28"],
  ["2026-12-31", "2026-12-31"],
  ["2027-01-01", "2027-01-04"],
];
for (const [from, expected] of NEXT)
  test(`the business day on or after ${from} is ${expected}`, () => assert.equal(nextBusinessDay(day(from)), expected));

const ADDED: [string, number, string][] = [
  ["2026-11-18", 2, "2026-11-20"],
  ["2026-11-19", 2, "2026-11-23"], // over a weekend
  ["2026-11-20", 2, "2026-11-24"],
  ["2026-11-21", 2, "2026-11-24"], // begun on a Saturday
  ["2026-11-22", 2, "2026-11-24"],
  ["2026-04-01", 2, "2026-04-07"], // over Easter
  ["2026-04-02", 2, "2026-04-08"],
  ["2026-12-23", 2, "2026-12-28"], // over Christmas
  ["2026-12-30", 2, "2027-01-04"], // over the new year
  ["2026-11-20", 1, "2026-11-23"],
  ["2026-11-21", 0, "2026-11-21"],
];
for (const [from, n, expected] of ADDED)
  test(`${n} business days after ${from} is ${expected}`, () => assert.equal(addBusinessDays(day(from), n), expected));

const anyDay = fc.integer({ min: 0, max: 73_000 }).map((days) => addDays(day("1995-01-01"), days));

test("counting business days is counting those in between, for every day", () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 1, max: 30 }), (from, n) => {
      const to = addBusinessDays(from, n);
      let counted = 0;
      for (let date = from; date < to; ) {
        date = addDays(date, 1);
        if (isBusinessDay(date)) counted++;
      }
      assert.ok(isBusinessDay(to));
      assert.equal(counted, n);
    }),
  );
});

test("no business day lies on a weekend, and at most five days are skipped", () => {
  fc.assert(
    fc.property(anyDay, (from) => {
      const to = nextBusinessDay(from);
      assert.ok(dayOfWeek(to) <= 5);
      assert.ok(to >= from && to <= addDays(from, 5));
    }),
  );
});
