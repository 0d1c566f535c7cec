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
  trialDays: 0,
  taxRate: decimalOf("15"),
  taxExempt: false,
  taxInclusive: false,
  cycles: null,
};

/** A different value for every term. */
const CHANGED: Required<PlanTerms> = {
  amount: cents(9901),
  currency: "USD",
  frequency: "annually",
  setupFee: cents(1),
  trialDays: 1,
  taxRate: decimalOf("15.5"),
  taxExempt: true,
  taxInclusive: true,
  cycles: 12,
};

for (const name of Object.keys(CHANGED) as (keyof PlanTerms)[])
  test(`another ${name} is another price`, () => {
    assert.equal(sameTerms(TERMS, { ...TERMS, [name]: CHANGED[name] }), false);
  });

test("what is not a term of the price does not make another", () => {
  const named = { ...TERMS, name: "Gold", enabled: false };
  assert.equal(sameTerms(TERMS, named), true);
});
