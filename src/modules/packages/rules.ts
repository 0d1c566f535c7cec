import type { BusinessDay } from "../../kernel/time.ts";
import { taxedOn } from "../../kernel/vat-rates.ts";
import type { Plan, PlanTerms } from "./types.ts";

const STANDARD = "" as PlanTerms["taxRate"];

/** The terms of a plan, or of a change to one. */
const termsOf = (plan: PlanTerms): PlanTerms => ({
  amount: plan.amount,
  currency: plan.currency,
  frequency: plan.frequency,
  setupFee: plan.setupFee,
  trialDays: plan.trialDays,
  // The rate that follows the standard one differs from day to day.
  taxRate: plan.standardRate ? STANDARD : plan.taxRate,
  standardRate: plan.standardRate,
  taxExempt: plan.taxExempt,
  taxInclusive: plan.taxInclusive,
  cycles: plan.cycles,
});

/**
 * Whether two plans have equal terms of price and billing: then changing one into the other makes no new version
 * (decisions.md#plan-versions-never-change).
 */
export function sameTerms(one: PlanTerms, other: PlanTerms): boolean {
  const [a, b] = [termsOf(one), termsOf(other)];
  return (Object.keys(a) as (keyof typeof a)[]).every((name) => a[name] === b[name]);
}

/**
 * Whether a payer is charged exactly the plan's amount each cycle, without end and from the first one on, and the plan
 * follows the standard rate of VAT: its price includes VAT, or none is due on that day.
 */
export function chargesExactly(plan: Plan, day: BusinessDay): boolean {
  const { taxInclusive, setupFee, trialDays, cycles, standardRate, taxExempt } = plan;
  const plain = setupFee === 0 && trialDays === 0 && cycles === null && standardRate && !taxExempt;
  return plain && (taxInclusive || Number(taxedOn(plan, day).taxRate) === 0);
}
