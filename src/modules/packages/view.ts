import { exemption } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { tieringFields } from "../../kernel/tiers.ts";
import { type CalendarDay, toTimestamp } from "../../kernel/time.ts";
import { taxedOn } from "../../kernel/vat-rates.ts";
import type { Package, Plan } from "./types.ts";

/** Interface 2.14, plan; its VAT rate is that of today. */
export const planView = (plan: Plan, today: CalendarDay) => ({
  id: plan.id,
  packageId: plan.packageId,
  code: plan.code,
  name: plan.name,
  amount: toRand(plan.amount),
  ...tieringFields(plan.tiering),
  currency: plan.currency,
  frequency: plan.frequency,
  setupFee: toRand(plan.setupFee),
  prices: plan.prices.map(({ currency, amount, setupFee }) => ({
    currency,
    amount: toRand(amount),
    setupFee: toRand(setupFee),
  })),
  trialDays: plan.trialDays,
  taxRate: Number(taxedOn(plan, today).taxRate),
  standardRate: plan.standardRate,
  ...exemption(plan.taxExempt),
  taxInclusive: plan.taxInclusive,
  features: plan.features,
  enabled: plan.enabled,
  callToAction: plan.callToAction,
  callToActionUrl: plan.callToActionUrl,
  cycles: plan.cycles,
  version: plan.version,
  createdAt: toTimestamp(plan.createdAt),
  updatedAt: toTimestamp(plan.updatedAt),
});

/** Interface 2.14, package. */
export const packageView = (of: Package, today: CalendarDay) => ({
  id: of.id,
  name: of.name,
  description: of.description,
  enabled: of.enabled,
  plans: of.plans.map((plan) => planView(plan, today)),
  createdAt: toTimestamp(of.createdAt),
  updatedAt: toTimestamp(of.updatedAt),
});
