import { isDeepStrictEqual } from "node:util";
import type { CalendarDay } from "../../kernel/time.ts";
import { taxedOn } from "../../kernel/vat-rates.ts";
import type { Feature, Plan, PlanPrice, PlanTerms } from "./types.ts";

const byCurrency = (one: PlanPrice, other: PlanPrice): number => (one.currency < other.currency ? -1 : 1);

const STANDARD = "" as PlanTerms["taxRate"];

/** The terms of a plan, or of a change to one. */
const termsOf = (plan: PlanTerms): PlanTerms => ({
  amount: plan.amount,
  ...(plan.tiering && { tiering: plan.tiering }),
  currency: plan.currency,
  frequency: plan.frequency,
  setupFee: plan.setupFee,
  prices: plan.prices.map(({ currency, amount, setupFee }) => ({ currency, amount, setupFee })).toSorted(byCurrency),
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
export const sameTerms = (one: PlanTerms, other: PlanTerms): boolean => isDeepStrictEqual(termsOf(one), termsOf(other));

/** Whether two plans include the same, in whatever order. */
export const sameFeatures = (one: readonly Feature[], other: readonly Feature[]): boolean =>
  isDeepStrictEqual(byKey(one), byKey(other));

const byKey = (features: readonly Feature[]) =>
  Object.fromEntries(features.map(({ key, type, value }) => [key, [type, value]]));

/** The plan's price in a currency; null when it has none. */
export const priceIn = (
  { prices, ...own }: Pick<Plan, keyof PlanPrice | "prices">,
  currency: string,
): PlanPrice | null => [own, ...prices].find((price) => price.currency === currency) ?? null;

/** The plan at its price in a currency, its own for null; null when it has none. */
export function planIn(plan: Plan, currency: string | null): Plan | null {
  const price = currency === null ? plan : priceIn(plan, currency);
  return price && { ...plan, currency: price.currency, amount: price.amount, setupFee: price.setupFee };
}

/** The currencies in which a plan has a price, its own first. */
export const currenciesOf = ({ currency, prices }: Pick<Plan, "currency" | "prices">): readonly string[] => [
  currency,
  ...prices.map((price) => price.currency),
];

/**
 * Whether a payer is charged exactly the plan's amount each cycle, without end and from the first one on, and the plan
 * follows the standard rate of VAT: its price includes VAT, or none is due on that day.
 */
export function chargesExactly(plan: Plan, day: CalendarDay): boolean {
  const { taxInclusive, setupFee, trialDays, cycles, standardRate, taxExempt, tiering } = plan;
  const plain = !tiering && setupFee === 0 && trialDays === 0 && cycles === null && standardRate && !taxExempt;
  return plain && (taxInclusive || Number(taxedOn(plan, day).taxRate) === 0);
}
