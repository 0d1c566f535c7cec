import assert from "node:assert/strict";
import { test } from "node:test";
import { addDecimals, begunOf, type Decimal, isMoreDecimal, lessDecimal } from "./decimal.ts";

test("decimals are added exactly", () => {
  for (const [one, other, sum] of [
    ["0", "0", "0"],
    ["0.1", "0.2", "0.3"],
    ["5", "0.5", "5.5"],
    ["0.000001", "0.000009", "0.00001"],
    ["9.75", "0.25", "10"],
    ["1000000000", "0.000001", "1000000000.000001"],
    ["10", "90", "100"],
  ])
    assert.equal(addDecimals(one as Decimal, other as Decimal), sum);
});

test("what is left of a decimal is exact, and never below zero", () => {
  for (const [one, other, left] of [
    ["5", "3", "2"],
    ["3", "5", "0"],
    ["0.3", "0.1", "0.2"],
    ["100", "0.000001", "99.999999"],
    ["7", "7", "0"],
  ] as [Decimal, Decimal, string][]) {
    assert.equal(lessDecimal(one, other), left);
    assert.equal(isMoreDecimal(one, other), left !== "0");
  }
});

test("a size that is begun counts", () => {
  for (const [amount, size, times] of [
    ["0", "100", "0"],
    ["1", "100", "1"],
    ["100", "100", "1"],
    ["100.000001", "100", "2"],
    ["250", "0.5", "500"],
  ] as [Decimal, Decimal, string][])
    assert.equal(begunOf(amount, size), times);
});
