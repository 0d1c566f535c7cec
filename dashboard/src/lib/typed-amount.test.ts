import assert from "node:assert/strict";
import { test } from "node:test";
import { typedAmount } from "./typed-amount.ts";

const NBSP = "\u00a0";

test("an amount is read as people write it", () => {
  for (const [text, amount] of [
    ["1000", 1000],
    ["1 000", 1000],
    [`1${NBSP}000.50`, 1000.5],
    ["1,000.00", 1000],
    ["1,234.50", 1234.5],
    ["1.234,50", 1234.5],
    ["1234,50", 1234.5],
    ["1 234,50", 1234.5],
    ["1,000", 1000],
    ["12,345", 12345],
    ["1,234,567", 1234567],
    ["1,234,567.89", 1234567.89],
    ["1.234.567", 1234567],
    ["0,125", 0.12],
    ["1234,567", 1234.56],
    ["12.345", 12.34],
    ["5,", 5],
    [".5", 0.5],
    ["R 1 234.50", 1234.5],
    ["R1234", 1234],
    ["USD 10", 10],
    ["1'000.00", 1000],
    ["-100", -100],
    ["−R 50.00", -50],
    ["(50.00)", -50],
  ] as const)
    assert.equal(typedAmount(text, 2), amount, text);
  assert.equal(typedAmount("0,125", 6), 0.125);
});

test("what is no amount stays as it was typed, so that the form can refuse it", () => {
  for (const text of ["", "abc", "12a", "-", ".", "1 + 1", "100-50", "50-"]) assert.equal(typedAmount(text, 2), text);
});
