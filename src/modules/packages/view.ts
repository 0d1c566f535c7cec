import { exemption } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { Package, Plan } from "./types.ts";

/** Interface 2.14, plan. */
export const planView = (plan: Plan) => ({
  id: plan.id,
  packageId: plan.packageId,
  code: plan.code,
  name: plan.name,
  amount: toRand(plan.amount),
  currency: plan.currency,
  frequency: plan.frequency,
  setupFee: toRand(plan.setupFee),
  trialDays: plan.trialDays,
  taxRate: Number(plan.taxRate),
  ...exemption(plan.taxExempt),
  taxInclusive: plan.taxInclusive,
  enabled: plan.enabled,
  callToAction: plan.callToAction,
  callToActionUrl: plan.callToActionUrl,
  cycles: plan.cycles,
  version: plan.version,
  createdAt: toTimestamp(plan.createdAt),
  updatedAt: toTimestamp(plan.updatedAt),
});

/** Interface 2.14, package. */
export const packageView = (of: Package) => ({
  id: of.id,
  name: of.name,
  description: of.description,
  enabled: of.enabled,
  plans: of.plans.map(planView),
  createdAt: toTimestamp(of.createdAt),
  updatedAt: toTimestamp(of.updatedAt),
});
