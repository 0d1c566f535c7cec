import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { type Amount, cents, rand, sum, toCents } from "../src/money.ts";

test("rand and cents make the same amount, and cents come back whole", () => {
  assert.equal(rand("12.50"), 12.5);
  assert.equal(rand(12.5), cents(1250));
  assert.equal(cents(1250n), 12.5);
  assert.equal(toCents(rand("-0.05")), -5);
  assert.equal(rand("0.0125"), 0.0125);
  fc.assert(fc.property(fc.integer(), (whole) => toCents(cents(whole)) === whole));
});

test("what is no amount is refused", () => {
  for (const wrong of ["", "12,50", "1e3", "R 5", "1.1234567", "NaN"]) assert.throws(() => rand(wrong), RangeError);
  for (const wrong of [0.1 + 0.2, Number.NaN, 1e21]) assert.throws(() => rand(wrong), RangeError);
  assert.throws(() => cents(12.5), RangeError);
  assert.throws(() => toCents(rand("0.0125")), RangeError);
});

test("sums are exact, and a plain number is no amount", () => {
  assert.equal(sum(rand("0.10"), rand("0.20")), 0.3);
  assert.equal(sum(), 0);
  // @ts-expect-error: cents and rand cannot be mixed: a number does not say which it is.
  const amount: Amount = 1250;
  assert.ok(amount);
});
