import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMoney, leftOf, sumOf, totalsOf } from "./money.ts";

const SHOWN: [number, string, string][] = [
  [0, "ZAR", "R 0.00"],
  [3194.98, "ZAR", "R 3 194.98"],
  [1234567.5, "ZAR", "R 1 234 567.50"],
  [-20, "ZAR", "−R 20.00"],
  [10, "USD", "USD 10.00"],
  [1234, "JPY", "JPY 1 234"],
  [1.25, "KWD", "KWD 1.250"],
];
for (const [amount, currency, text] of SHOWN)
  test(`${amount} ${currency} is shown as ${text}`, () =>
    assert.equal(formatMoney(amount, currency).replaceAll("\u00a0", " "), text));

test("sums are exact to the cent", () => assert.equal(sumOf([0.1, 0.2, 19.99]), 20.29));

test("what is left is exact to the cent, and negative when more is taken", () => {
  assert.equal(leftOf(1169.66, 1169.65), 0.01);
  assert.equal(leftOf(0.3, 0.1), 0.2);
  assert.equal(leftOf(5, 19.99), -14.99);
});

test("amounts are added up by currency", () => {
  const records = [
    { currency: "ZAR", due: 0.1 },
    { currency: "USD", due: 5 },
    { currency: "ZAR", due: 0.2 },
  ];
  assert.equal(totalsOf(records, ({ due }) => due).replaceAll("\u00a0", " "), "R 0.30 and USD 5.00");
  assert.equal(
    totalsOf([], () => 1),
    "",
  );
});
