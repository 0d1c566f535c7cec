import { toDecimal } from "../../kernel/decimal.ts";
import { ApiError, invalidField, noSuch, notFound } from "../../kernel/errors.ts";
import type { CouponId, CustomerId, PlanId, ProductId } from "../../kernel/ids.ts";
import { calendarDay } from "../../kernel/time.ts";
import { mayRedeem, REFUSALS, type Sale, termsOf } from "../../modules/coupons/rules.ts";
import type { CouponCreateBody, CouponPatchBody } from "../../modules/coupons/schema.ts";
import {
  addRedemption,
  countOfCustomer,
  deleteUnusedCoupon,
  findCouponByCode,
  findRedemption,
  lockCoupon,
  lockCouponCode,
  mostOfOneCustomer,
  removeRedemption,
  saveCoupon,
} from "../../modules/coupons/store.ts";
import type { Coupon, Redemption } from "../../modules/coupons/types.ts";
import { lockPlans } from "../../modules/packages/store.ts";
import { lockProducts } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY, requireFeature } from "../context.ts";

/**
 * Creates a coupon (interface 14.2). Locks the plans and products to which it is restricted, and the code. Throws 400
 * for an invalid field; 409 `invalid_request` when another coupon has the code.
 */
export async function createCoupon(tx: Tx, ctx: Ctx, body: CouponCreateBody): Promise<Coupon> {
  const coupon = withChanges(
    {
      id: newId("cpn"),
      code: body.code,
      name: null,
      percent: null,
      amount: null,
      currency: DEFAULT_CURRENCY,
      duration: "first",
      cycles: null,
      startsOn: null,
      endsOn: null,
      maxRedemptions: null,
      maxRedemptionsPerCustomer: null,
      redemptions: 0,
      planIds: [],
      productIds: [],
      enabled: true,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    },
    body,
  );
  checkTerms(coupon);
  await requireSold(tx, coupon);
  lockCouponCode(tx, coupon.code);
  await requireFreeCode(tx, coupon);
  saveCoupon(tx, coupon);
  return coupon;
}

/**
 * Changes a coupon; an absent field does not change. Its present redemptions keep their terms
 * (decisions.md#coupons-keep-their-terms). Locks the plans and products to which it is newly restricted, the code and
 * the coupon. Throws 404, and as `createCoupon`; 400 for a limit below the number of redemptions.
 */
export async function changeCoupon(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: CouponPatchBody,
): Promise<{ before: Coupon; after: Coupon }> {
  const { planIds = [], productIds = [] } = body;
  const restriction = await soldOf(tx, { planIds, productIds });
  if (body.code !== undefined) lockCouponCode(tx, body.code);
  const before = await lockCoupon(tx, id);
  if (!before) throw notFound("coupon");
  const after = { ...withChanges(before, body), updatedAt: ctx.now };
  checkTerms(after);
  requireAll({ planIds, productIds }, restriction);
  if (after.maxRedemptions !== null && after.maxRedemptions < before.redemptions)
    throw invalidField(["maxRedemptions"], `The coupon was redeemed ${before.redemptions} times. Disable it instead.`);
  if (
    body.maxRedemptionsPerCustomer != null &&
    body.maxRedemptionsPerCustomer < (await mostOfOneCustomer(tx, before.id))
  )
    throw invalidField(["maxRedemptionsPerCustomer"], "A customer has redeemed the coupon more often than that.");
  await requireFreeCode(tx, after);
  saveCoupon(tx, after);
  return { before, after };
}

/** Deletes a coupon that was never redeemed. Locks it. Throws 404; 409 `invalid_state` when it was redeemed. */
export async function deleteCoupon(tx: Tx, id: string): Promise<Coupon> {
  const coupon = await lockCoupon(tx, id);
  if (!coupon) throw notFound("coupon");
  if (await deleteUnusedCoupon(tx, coupon.id)) return coupon;
  throw new ApiError("invalid_state", 409, "The coupon was redeemed, so it cannot be deleted. Disable it instead.");
}

/** Identifies a redemption: the coupon, and the subscription or payment that redeemed it. */
export interface RedemptionKey {
  readonly couponId: CouponId;
  readonly subject: string;
}

/**
 * Redeems a coupon for a sale, once for each subject, never beyond its limits; returns the terms of the redemption.
 * Locks the coupon, which comes early in `LOCK_ORDER`. Throws 403 `plan_restricted`; 400 about `couponCode` when it
 * cannot be redeemed.
 */
export async function redeemCoupon(
  tx: Tx,
  ctx: Ctx,
  {
    couponId,
    subject,
    customerId,
    ...sale
  }: RedemptionKey & { customerId: CustomerId } & Pick<Sale, "sold" | "currency">,
): Promise<Redemption> {
  requireFeature(ctx.organisation, "coupons");
  const coupon = await lockCoupon(tx, couponId);
  if (!coupon) throw invalidField(["couponCode"], REFUSALS.disabled);
  const known = await findRedemption(tx, couponId, subject);
  if (known?.releasedAt === null) return known;
  const ofCustomer = await countOfCustomer(tx, couponId, customerId);
  const refusal = mayRedeem(coupon, { ...sale, today: calendarDay(ctx.now), ofCustomer });
  if (refusal) throw invalidField(["couponCode"], REFUSALS[refusal]);
  const redemption: Redemption = {
    ...{ couponId, subject, customerId },
    ...termsOf(coupon),
    redeemedAt: ctx.now,
    releasedAt: null,
    late: false,
  };
  addRedemption(tx, redemption);
  return redemption;
}

/**
 * Releases a redemption whose payment was not made: it no longer counts. Locks the coupon. False when no redemption
 * counts.
 */
export async function releaseRedemption(tx: Tx, ctx: Ctx, { couponId, subject }: RedemptionKey): Promise<boolean> {
  await lockCoupon(tx, couponId);
  const known = await findRedemption(tx, couponId, subject);
  if (!known || known.releasedAt !== null) return false;
  removeRedemption(tx, { ...known, releasedAt: ctx.now });
  return true;
}

/**
 * Counts a released redemption again, because its payment came later: the payer has paid the lowered price, so the
 * limits do not apply (decisions.md#redemptions-are-counted-under-a-lock). Locks the coupon. False when there is no
 * released redemption.
 */
export async function honourRedemption(tx: Tx, { couponId, subject }: RedemptionKey): Promise<boolean> {
  await lockCoupon(tx, couponId);
  const known = await findRedemption(tx, couponId, subject);
  if (!known || known.releasedAt === null) return false;
  addRedemption(tx, { ...known, releasedAt: null, late: true });
  return true;
}

function withChanges(before: Coupon, body: CouponPatchBody): Coupon {
  const kept = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  const duration = body.duration ?? before.duration;
  // A percentage replaces an amount, and the other way round; the number of cycles goes with its duration.
  const percent = body.percent == null ? body.percent : toDecimal(body.percent);
  const isNamed = percent != null || body.amount != null;
  return {
    ...before,
    code: body.code ?? before.code,
    name: kept(body.name, before.name),
    percent: kept(percent, isNamed ? null : before.percent),
    amount: kept(body.amount, isNamed ? null : before.amount),
    currency: body.currency ?? before.currency,
    duration,
    cycles: kept(body.cycles, duration === "cycles" ? before.cycles : null),
    startsOn: kept(body.startsAt, before.startsOn),
    endsOn: kept(body.endsAt, before.endsOn),
    maxRedemptions: kept(body.maxRedemptions, before.maxRedemptions),
    maxRedemptionsPerCustomer: kept(body.maxRedemptionsPerCustomer, before.maxRedemptionsPerCustomer),
    planIds: (body.planIds as readonly PlanId[] | undefined) ?? before.planIds,
    productIds: (body.productIds as readonly ProductId[] | undefined) ?? before.productIds,
    enabled: body.enabled ?? before.enabled,
  };
}

/** Throws 400 when fields contradict each other. */
function checkTerms({ percent, amount, duration, cycles, startsOn, endsOn }: Coupon): void {
  if (percent === null && amount === null) throw invalidField(["percent"], "Give percent or amount.");
  if (percent !== null && amount !== null) throw invalidField(["amount"], "Give percent or amount, not both.");
  if (duration === "cycles" && cycles === null)
    throw invalidField(["cycles"], "The duration cycles needs a number of them.");
  if (duration !== "cycles" && cycles !== null)
    throw invalidField(["cycles"], "A number of cycles needs the duration cycles.");
  if (startsOn !== null && endsOn !== null && endsOn < startsOn)
    throw invalidField(["endsAt"], "The last day must not be before the first.");
}

type Restriction = { readonly planIds: readonly string[]; readonly productIds: readonly string[] };

/** Those of these plans and products that exist, locked, so that nobody deletes them before the commit. */
const soldOf = async (tx: Tx, { planIds, productIds }: Restriction): Promise<Restriction> => ({
  productIds: await lockProducts(tx, productIds),
  planIds: await lockPlans(tx, planIds),
});

async function requireSold(tx: Tx, wanted: Restriction): Promise<void> {
  requireAll(wanted, await soldOf(tx, wanted));
}

/** Throws 400 for the first plan or product that does not exist. */
function requireAll(wanted: Restriction, found: Restriction): void {
  for (const [field, what] of [
    ["planIds", "plan"],
    ["productIds", "product"],
  ] as const) {
    const missing = wanted[field].findIndex((id) => !found[field].includes(id));
    if (missing >= 0) throw noSuch([field, missing], what, wanted[field][missing]);
  }
}

/** Throws 409 when another coupon has the code, under a lock on the code. */
async function requireFreeCode(tx: Tx, { id, code }: Coupon): Promise<void> {
  const message = "Another coupon has this code.";
  const path = ["code"];
  const holder = await findCouponByCode(tx, code);
  if (holder && holder.id !== id)
    throw new ApiError("invalid_request", 409, message, { issues: [{ code: "custom", path, message }] });
}
