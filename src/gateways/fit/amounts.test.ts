import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cents, toDecimalText } from "../../kernel/money.ts";
import { amountFromText } from "./testing.ts";

// What gateways write; the first four are those that `Number(text) * 100` or `parseFloat` gets wrong.
const TEXTS: [string, number | null][] = [
  ["19.99", 1999],
  ["4.35", 435],
  ["1.15", 115],
  ["0.29", 29],
  ["299.00", 29_900],
  ["299.0000", 29_900],
  ["5", 500],
  ["5.5", 550],
  ["0.00", 0],
  ["-6.85", -685],
  ["9999999999999.99", 999_999_999_999_999],
  ["1.005", null],
  ["1,50", null],
  ["1 000.00", null],
  ["1e3", null],
  ["R5.00", null],
  ["5.", null],
  [".50", null],
  ["", null],
  ["NaN", null],
  ["5.00\n", null],
  ["99999999999999.00", null],
];
for (const [text, expected] of TEXTS)
  test(`${JSON.stringify(text)} is ${expected === null ? "no amount" : `${expected} cents`}`, () =>
    assert.equal(amountFromText(text), expected));

test("what is sent as text is read back to the cent", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (value) => {
      assert.equal(amountFromText(toDecimalText(cents(value))), value);
    }),
  );
});
