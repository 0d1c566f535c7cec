import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { VatCategory } from "../../kernel/vat-rates.ts";
import { figuresOf, lastTaxPeriod } from "./rules.ts";
import type { UntaxedKind, VatBasis } from "./types.ts";

const SUMS = {
  ...{ standard: cents(11500), outputTax: cents(1500), credited: cents(300) },
  ...{ untaxed: cents(700), exempt: cents(40) },
};

test("the fields of the form, by what supplies without VAT and without a mark are; what is marked as exempt is always in field 3", () => {
  const cases: [UntaxedKind, VatBasis, Readonly<Record<string, number>>][] = [
    ["zero_rated", "invoice", { 1: 11500, 2: 700, 3: 40, 4: 1500, 13: 1500, 18: 300, 19: 300, 20: 1200 }],
    ["exempt", "payments", { 1: 11500, 2: 0, 3: 740, 4: 1500, 13: 1500, 18: 300, 19: 300, 20: 1200 }],
  ];
  for (const [untaxed, basis, expected] of cases) {
    const figures = figuresOf(SUMS, { basis, untaxed });
    const byField = Object.fromEntries(figures.map(({ field, amount }) => [field, amount]));
    assert.deepEqual({ ...byField, ...expected }, byField, `${untaxed} ${basis}`);
    for (const field of ["1A", "2A", "4A", "12", "14", "15", "16", "17"]) assert.equal(byField[field], 0, field);
    const taken = figures.find(({ field }) => field === "18")?.description ?? "";
    assert.equal(taken.includes("refunds"), basis === "payments");
  }
});

// The last business day of the month after the period: 29 January 2027 is a Friday, 31 May a Monday, 30 April a Friday.
for (const [category, today, first, last, due] of [
  ["A", "2027-02-01", "2026-12-01", "2027-01-01", "2027-02-26"],
  ["A", "2027-03-31", "2026-12-01", "2027-01-01", "2027-02-26"],
  ["A", "2027-04-01", "2027-02-01", "2027-03-01", "2027-04-30"],
  ["B", "2027-01-01", "2026-11-01", "2026-12-01", "2027-01-29"],
  ["B", "2027-02-28", "2026-11-01", "2026-12-01", "2027-01-29"],
  ["B", "2027-03-01", "2027-01-01", "2027-02-01", "2027-03-31"],
  ["C", "2027-05-15", "2027-04-01", "2027-04-01", "2027-05-31"],
  ["C", "2027-01-31", "2026-12-01", "2026-12-01", "2027-01-29"],
] as const)
  test(`on ${today} the newest tax period of category ${category} began with the month of ${first}, and is due on ${due}`, () =>
    assert.deepEqual(lastTaxPeriod(category as VatCategory, today as CalendarDay), { first, last, due }));
