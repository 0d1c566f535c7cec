import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { notAnAmountIn } from "./currency.ts";
import {
  cents,
  formatMoney,
  formatPrice,
  fromRand,
  roundFraction,
  roundToCents,
  toDecimalText,
  toRand,
} from "./money.ts";

const ROUNDING: [number, number][] = [
  [0.004, 0],
  [0.005, 1],
  [0.29, 29],
  [1.005, 101],
  [1.004999, 100],
  [1.15, 115],
  [4.35, 435],
  [19.99, 1999],
  [-1.005, -101],
  [1e-7, 0],
  [5e-324, 0],
  [10_000_000, 1_000_000_000],
];
for (const [rand, expected] of ROUNDING)
  test(`${rand} rand is ${expected} cents`, () => assert.equal(fromRand(rand), expected));

test("a long decimal text rounds by its third place only", () => {
  assert.equal(roundToCents("1.00499999999999999999"), 100);
  assert.equal(roundToCents("1.005"), 101);
  assert.equal(roundToCents("-0.005"), -1);
});

test("a fraction of cents is rounded once, half a cent away from zero", () => {
  for (const [numerator, denominator, expected] of [
    [10_000n * 16n, 31n, 5161],
    [1n, 2n, 1],
    [-1n, 2n, -1],
    [49n, 100n, 0],
    [-49n, 100n, 0],
    [10n ** 30n, 10n ** 20n, 10_000_000_000],
  ] as const)
    assert.equal(roundFraction(numerator, denominator), expected);
  assert.throws(() => roundFraction(1n, 0n));
});

test("cents go to rand and back unchanged", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (value) => {
      assert.equal(fromRand(toRand(cents(value))), value);
      assert.equal(roundToCents(toDecimalText(cents(value))), value);
    }),
  );
});

test("zero has no sign", () => {
  assert.equal(toDecimalText(cents(0)), "0.00");
  assert.ok(Object.is(roundToCents("-0.004"), 0));
});

test("money for people groups thousands", () => {
  assert.equal(formatMoney(cents(123_456_789), "ZAR"), "R\u00a01\u00a0234\u00a0567.89");
  assert.equal(formatMoney(cents(-50), "USD"), "-USD\u00a00.50");
  assert.equal(formatMoney(cents(0), "ZAR"), "R\u00a00.00");
});

// Prices in words, with every decimal that was written and at least those of the currency.
const PRICES: [string, string, string][] = [
  ["1.999", "ZAR", "R 1.999"],
  ["0.995", "ZAR", "R 0.995"],
  ["-0.995", "ZAR", "-R 0.995"],
  ["1234.5", "ZAR", "R 1 234.50"],
  ["0.0125", "USD", "USD 0.0125"],
  ["1234.00", "JPY", "JPY 1 234"],
  ["0.5", "JPY", "JPY 0.5"],
  ["1.25", "KWD", "KWD 1.250"],
];
for (const [price, currency, words] of PRICES)
  test(`${price} ${currency} reads ${words}`, () =>
    assert.equal(formatPrice(price, currency).replaceAll("\u00a0", " "), words));

test("an amount has at most the decimals of its currency, and those that cents hold", () => {
  for (const [amount, currency, isOne] of [
    ["10.50", "ZAR", true],
    ["10.505", "ZAR", true],
    ["1000", "JPY", true],
    ["1000.00", "JPY", true],
    ["1000.5", "JPY", false],
    ["1.25", "KWD", true],
    ["1.234", "KWD", false],
  ] as const)
    assert.equal(notAnAmountIn(currency, amount) === null, isOne, `${amount} ${currency}`);
});

test("a number that is not whole cents is refused", () => {
  assert.throws(() => cents(1.5));
  assert.throws(() => fromRand(Number.NaN));
  assert.throws(() => fromRand(1e300));
});
