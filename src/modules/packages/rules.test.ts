import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalOf } from "../../kernel/decimal.ts";
import { cents } from "../../kernel/money.ts";
import { sameTerms } from "./rules.ts";
import type { PlanTerms } from "./types.ts";

const TERMS: PlanTerms = {
  amount: cents(9900),
  currency: "ZAR",
  frequency: "monthly",
  setupFee: cents(0),
  prices: [],
  trialDays: 0,
  taxRate: decimalOf("15"),
  taxExempt: false,
  standardRate: false,
  taxInclusive: false,
  cycles: null,
};

/** A different value for every term. */
const CHANGED: Required<PlanTerms> = {
  amount: cents(9901),
  currency: "USD",
  frequency: "annually",
  setupFee: cents(1),
  prices: [{ currency: "EUR", amount: cents(500), setupFee: cents(0) }],
  trialDays: 1,
  taxRate: decimalOf("15.5"),
  taxExempt: true,
  standardRate: true,
  taxInclusive: true,
  cycles: 12,
  tiering: { includedUnits: decimalOf("5") },
};

for (const name of Object.keys(CHANGED) as (keyof PlanTerms)[])
  test(`another ${name} is another price`, () => {
    assert.equal(sameTerms(TERMS, { ...TERMS, [name]: CHANGED[name] }), false);
  });

test("the rate of a price that follows the standard rate is no term of it", () => {
  const standard = { ...TERMS, standardRate: true };
  assert.equal(sameTerms(standard, { ...standard, taxRate: decimalOf("16") }), true);
});

test("what is not a term of the price does not make another", () => {
  const named = { ...TERMS, name: "Gold", enabled: false };
  assert.equal(sameTerms(TERMS, named), true);
});
