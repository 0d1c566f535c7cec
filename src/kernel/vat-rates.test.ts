import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decimal } from "./decimal.ts";
import { parseCalendarDay } from "./time.ts";
import { datedRates, isRegisteredOn, rateOn, ratesFor, taxedOn, type VatTimeline } from "./vat-rates.ts";

const day = (text: string) => parseCalendarDay(text) ?? assert.fail(text);
const rate = (text: string) => text as Decimal;

/** Registered from March 2027; 15 % until the end of March 2027, then 16 %. */
const TIMELINE: VatTimeline = [
  { from: null, rate: rate("15"), registered: false },
  { from: day("2027-03-01"), rate: rate("15"), registered: true },
  { from: day("2027-04-01"), rate: rate("16"), registered: true },
];

test("a price follows the standard rate of each day, or keeps its own, and has none before the registration", () => {
  const standard = ratesFor(TIMELINE, null);
  const own = ratesFor(TIMELINE, rate("5"));
  for (const [on, expected] of [
    ["2027-02-28", ["0", "0"]],
    ["2027-03-01", ["15", "5"]],
    ["2027-03-31", ["15", "5"]],
    ["2027-04-01", ["16", "5"]],
  ] as const)
    assert.deepEqual([rateOn(standard, day(on)), rateOn(own, day(on))], expected, on);
  assert.equal(own.length, 2, "equal neighbours are one");
  assert.deepEqual(
    [isRegisteredOn(TIMELINE, day("2027-02-28")), isRegisteredOn(TIMELINE, day("2027-03-01"))],
    [false, true],
  );
});

test("a price whose rate never differs has no rates by day, nor has an exempt one", () => {
  const always: VatTimeline = [{ from: null, rate: rate("15"), registered: true }];
  assert.deepEqual(datedRates({ taxRate: rate("15"), standardRate: true }, always), {});
  assert.deepEqual(datedRates({ taxRate: rate("0"), taxExempt: true, standardRate: false }, TIMELINE), {});
  const dated = { taxRate: rate("15"), ...datedRates({ taxRate: rate("15"), standardRate: true }, TIMELINE) };
  assert.equal(taxedOn(dated, day("2027-03-05")), dated, "the same object while the rate is the same");
  assert.equal(taxedOn(dated, day("2027-04-05")).taxRate, "16");
});
