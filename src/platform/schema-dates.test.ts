import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
import { date, dateAsked, dateTime, dateTimeAsked, dayOrTime } from "./schema-dates.ts";

/** Whether each takes the first and last value of 1990 to 2100, the ones beside them, and the years 1 and 9999. */
const TAKEN: readonly [name: string, schema: () => z.ZodType, values: Readonly<Record<string, boolean>>][] = [
  ["date", date, bounds("")],
  ["dayOrTime", dayOrTime, { ...bounds(""), ...bounds("T12:00:00Z") }],
  ["dateTime", dateTime, bounds("T12:00:00Z")],
  ["dateAsked", dateAsked, { "0001-01-02": true, "9999-12-31": true, "2027-02-29": false }],
  ["dateTimeAsked", dateTimeAsked, { "0001-01-02T12:00:00Z": true, "9999-12-31T12:00:00Z": true }],
];

function bounds(time: string): Record<string, boolean> {
  const taken = ["1990-01-01", "2027-03-14", "2100-12-31"].map((day) => [day + time, true]);
  const refused = ["0001-01-02", "0207-03-14", "1989-12-31", "2101-01-01", "9999-12-31"].map((day) => [
    day + time,
    false,
  ]);
  return Object.fromEntries([...taken, ...refused]);
}

for (const [name, schema, values] of TAKEN)
  for (const [value, isTaken] of Object.entries(values))
    test(`${name} ${isTaken ? "takes" : "refuses"} ${value}`, () =>
      assert.equal(schema().safeParse(value).success, isTaken));

test("a date of another year is refused with the years that may be sent, and nothing more", () => {
  const { issues } = date().safeParse("0207-03-14").error ?? assert.fail("it is refused");
  assert.deepEqual(
    issues.map(({ message }) => message),
    ["must be in a year from 1990 to 2100"],
  );
});

test("a date-time counts by its South African day", () => {
  assert.equal(dateTime().safeParse("1989-12-31T22:00:00Z").success, true);
  assert.equal(dateTime().safeParse("2100-12-31T22:00:00Z").success, false);
});
