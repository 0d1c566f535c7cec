import type { PlanTerms } from "./types.ts";

/** The terms, of a plan or of a change of one. */
const termsOf = (plan: PlanTerms): PlanTerms => ({
  amount: plan.amount,
  currency: plan.currency,
  frequency: plan.frequency,
  setupFee: plan.setupFee,
  trialDays: plan.trialDays,
  taxRate: plan.taxRate,
  taxExempt: plan.taxExempt,
  taxInclusive: plan.taxInclusive,
  cycles: plan.cycles,
});

/** Whether two plans have equal terms of price and billing: then changing one into the other makes no new version (decision 255). */
export function sameTerms(one: PlanTerms, other: PlanTerms): boolean {
  const [a, b] = [termsOf(one), termsOf(other)];
  return (Object.keys(a) as (keyof PlanTerms)[]).every((name) => a[name] === b[name]);
}
