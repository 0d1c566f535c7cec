import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readAmount } from "./amounts.ts";

describe("an amount as banks write it", () => {
  const READ: [string, number][] = [
    ["1234.56", 123_456],
    ["1 234,56", 123_456],
    ["1\u00a0234,56", 123_456],
    ["1,234.56", 123_456],
    ["1.234,56", 123_456],
    ["1'234.56", 123_456],
    ["(1,234.56)", -123_456],
    ["( 5.00 )", -500],
    ["-12", -1200],
    ["12-", -1200],
    ["12.5", 1250],
    ["\u221212,00", -1200],
    ["+7.10", 710],
    ["12.00Cr", 1200],
    ["12.00 CR.", 1200],
    ["12.00 Dr", -1200],
    ["R 12.00", 1200],
    ["-R12", -1200],
    ["R-12.00", -1200],
    ["ZAR 1,000", 100_000],
    ["1,234", 123_400],
    ["1,234,567", 123_456_700],
    ["1.234.567,89", 123_456_789],
    ["1 234", 123_400],
    [".50", 50],
    ["0.00", 0],
    ["12.3400", 1234],
    ["99999999999.99", 9_999_999_999_999],
  ];
  for (const [cell, cents] of READ) test(JSON.stringify(cell), () => assert.equal(readAmount(cell), cents));

  for (const cell of ["", " ", "-", "\u2013"])
    test(`${JSON.stringify(cell)} is none`, () => assert.equal(readAmount(cell), "none"));

  const REFUSED = [
    "abc",
    "=1+1",
    "1 23",
    "1,23,4",
    "12.345",
    "1.234",
    "1 234,567",
    "12.3450",
    "-5 Dr",
    "(-5)",
    "--5",
    "1e3",
    "5%",
    "$5",
  ];
  for (const cell of [...REFUSED, "(5", "5)", "1234567890123.00", "1,234.567.8", "\u0661\u0662"])
    test(`${JSON.stringify(cell)} is refused`, () => assert.equal(typeof readAmount(cell), "object"));
});
