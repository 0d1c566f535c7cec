import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { cents, toDecimalText } from "../kernel/money.ts";
import { centAmount, randAmount } from "./amounts.ts";

const RAND: [string, object | null][] = [
  ["299.00", { amount: 29_900 }],
  ["299", { amount: 29_900 }],
  ["19.99", { amount: 1999 }],
  ["4.35", { amount: 435 }],
  ["0.29", { amount: 29 }],
  ["-6.90", { amount: -690 }],
  ["5.0", { amount: 500 }],
  ["5.000", { amount: 500 }],
  ["5.005", { amount: 501, inexactAmount: "5.005" }],
  ["5.004", { amount: 500, inexactAmount: "5.004" }],
  ["999999999999.99", { amount: 99_999_999_999_999 }],
  ["1000000000000.00", null],
  ...["", " 5.00", "5,00", "1e3", "0x10", "5.", ".5", "+5.00", "NaN", "R5.00", "५.००"].map((text): [string, null] => [
    text,
    null,
  ]),
];
for (const [text, amount] of RAND)
  test(`"${text}" rand is ${JSON.stringify(amount)}`, () => assert.deepEqual(randAmount(text), amount));

const CENTS: [number | string, object | null][] = [
  [29_900, { amount: 29_900 }],
  ["29900", { amount: 29_900 }],
  [0, { amount: 0 }],
  [299.5, { amount: 299, inexactAmount: "299.5" }],
  ["299.00", { amount: 299 }],
  ["299.01", { amount: 299, inexactAmount: "299.01" }],
  ...[Number.NaN, Number.POSITIVE_INFINITY, 1e21, "", "R5", "1e3", "1".repeat(15)].map(
    (value): [number | string, null] => [value, null],
  ),
];
for (const [value, amount] of CENTS)
  test(`${value} cents is ${JSON.stringify(amount)}`, () => assert.deepEqual(centAmount(value), amount));

test("every amount survives its decimal text", () => {
  fc.assert(
    fc.property(fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }), (value) => {
      assert.deepEqual(randAmount(toDecimalText(cents(value))), { amount: value });
      assert.deepEqual(centAmount(value), { amount: value });
    }),
  );
});
