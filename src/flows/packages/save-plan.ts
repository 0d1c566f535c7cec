import { ApiError, invalid, invalidField, notFound } from "../../kernel/errors.ts";
import type { PackageId, PlanId } from "../../kernel/ids.ts";
import { ZERO } from "../../kernel/money.ts";
import { type Tiering, tieringAsked } from "../../kernel/tiers.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { PLAN_FEATURES_CHANGED } from "../../modules/packages/declarations.ts";
import { sameFeatures, sameTerms } from "../../modules/packages/rules.ts";
import type { PlanCreateBody, PlanPatchBody } from "../../modules/packages/schema.ts";
import {
  deletePlanRows,
  findPlanByCode,
  insertPlan,
  lockPackage,
  lockPlan,
  lockPlanCode,
  updatePlan,
  usesOfPlans,
} from "../../modules/packages/store.ts";
import type { Plan } from "../../modules/packages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { taxOfChange, taxOfPrice } from "../organisations/settings.ts";

/** The largest number of plans in a package, which is always returned with all of them. */
export const PLANS_MAX = 500;

/**
 * Creates a plan of a package (interface 4.15). Locks the package and the code. The organisation's settings decide its
 * VAT when the body gives none. Throws 404; 409 `plan_code_taken` when another plan has the code; 400 for tiers that
 * do not fit, and when the package has 500 plans.
 */
export async function createPlan(tx: Tx, ctx: Ctx, packageId: string, body: PlanCreateBody): Promise<Plan> {
  const parent = await lockPackage(tx, packageId);
  if (!parent) throw notFound("package");
  if (body.code) await requireFreeCode(tx, body.code);
  if (parent.plans.length >= PLANS_MAX)
    throw invalid(`A package has at most ${PLANS_MAX} plans. Create another package.`);
  const plan: Plan = {
    id: newId("plan"),
    packageId: parent.id,
    code: body.code ?? null,
    name: body.name,
    amount: body.amount,
    ...tieringOfPlan(body, undefined),
    currency: body.currency ?? DEFAULT_CURRENCY,
    frequency: body.frequency,
    setupFee: body.setupFee ?? ZERO,
    prices: body.prices ?? [],
    trialDays: body.trialDays ?? 0,
    ...(await taxOfPrice(tx, ctx, body)),
    features: body.features ?? [],
    enabled: body.enabled ?? true,
    callToAction: body.callToAction ?? "none",
    callToActionUrl: body.callToActionUrl ?? null,
    cycles: body.cycles ?? null,
    versionId: newId("plv"),
    version: 1,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  requireOtherCurrencies(plan);
  insertPlan(tx, plan);
  return plan;
}

/**
 * Changes a plan; an absent field does not change. Another price makes a new version of the plan; subscriptions keep
 * the version that they have (decisions.md#plan-versions-never-change). Other features are for every subscriber. Locks
 * the plan and a new code. Throws 404; 409 `plan_code_taken`; 400 for tiers that do not fit, and for a further price in
 * the plan's own currency.
 */
export async function changePlan(
  tx: Tx,
  ctx: Ctx,
  { id, planId }: { id: string; planId: string },
  body: PlanPatchBody,
): Promise<{ before: Plan; after: Plan }> {
  const before = await lockPlan(tx, id, planId);
  if (!before) throw notFound("plan");
  if (body.code && body.code !== before.code) await requireFreeCode(tx, body.code);
  const { taxRate: _rate, taxExempt: _exempt, taxInclusive: _inclusive, ...named } = body;
  const { tiers: _tiers, tierMode: _mode, includedUnits: _included, minimumAmount: _minimum, ...rest } = named;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as Partial<Plan>;
  const { tiering, ...plain } = before;
  const changed: Plan = {
    ...plain,
    ...given,
    ...tieringOfPlan(body, tiering),
    ...(await taxOfChange(tx, ctx, before, body)),
    updatedAt: ctx.now,
  };
  requireOtherCurrencies(changed);
  const isNewVersion = !sameTerms(before, changed);
  const after = isNewVersion ? { ...changed, versionId: newId("plv"), version: before.version + 1 } : changed;
  updatePlan(tx, after, { isNewVersion });
  if (!sameFeatures(before.features, after.features)) enqueue(tx, PLAN_FEATURES_CHANGED, after.id, ctx.now);
  return { before, after };
}

/** Throws 400 when one of the further prices is in the plan's own currency, or the plan has tiers or a minimum. */
function requireOtherCurrencies({ currency, prices, tiering }: Plan): void {
  if (tiering && prices.length > 0)
    throw invalidField(
      ["prices"],
      "must be left out of a plan with tiers or a minimum, whose prices are in one currency",
    );
  const own = prices.findIndex((price) => price.currency === currency);
  if (own >= 0)
    throw invalidField(
      ["prices", own, "currency"],
      `must be another currency than the plan's own, ${currency}, in which its price is amount`,
    );
}

/** The tiers of a plan. Throws 400 for those that do not fit, and for included units without them. */
function tieringOfPlan(body: PlanPatchBody, known: Tiering | undefined): Pick<Plan, "tiering"> {
  const asked = tieringAsked(body, known, []);
  if (asked.tiering?.includedUnits && !asked.tiering.tiers)
    throw invalidField(["includedUnits"], "needs tiers, which price the units beside them: send tiers too");
  return asked;
}

/** Deletes a plan. Locks it. Throws 404; 409 `invalid_state` when another record uses it. */
export async function deletePlan(tx: Tx, { id, planId }: { id: string; planId: string }): Promise<Plan> {
  const plan = await lockPlan(tx, id, planId);
  if (!plan) throw notFound("plan");
  await requireUnused(tx, [plan.id], "This plan");
  deletePlanRows(tx, [plan.id]);
  return plan;
}

/**
 * Throws 409 `invalid_state` when another record uses one of these plans, or the package; they must be locked. The
 * message names the kinds of records.
 */
export async function requireUnused(
  tx: Tx,
  ids: readonly PlanId[],
  what: string,
  packageId: PackageId | null = null,
): Promise<void> {
  // Prevents new subscriptions until the commit (decisions.md#invoice-numbers-before-subscriptions).
  lockNumbers(tx, "invoice");
  const users = await usesOfPlans(tx, ids, packageId);
  if (users.length > 0)
    throw new ApiError(
      "invalid_state",
      409,
      `${what} is used by ${users.join(" and ")}, so it cannot be deleted. Disable it instead.`,
    );
}

/** Throws 409 `plan_code_taken` when a plan has the code, under a lock on the code. */
async function requireFreeCode(tx: Tx, code: string): Promise<void> {
  lockPlanCode(tx, code);
  if (await findPlanByCode(tx, code))
    throw new ApiError("plan_code_taken", 409, "Another plan has this code. Find it with GET /plans?code=.");
}
