import { invalidField, noSuch } from "../../kernel/errors.ts";
import type { CouponId, CustomerId, PlanId } from "../../kernel/ids.ts";
import { calendarDay } from "../../kernel/time.ts";
import { mayRedeem, REFUSALS } from "../../modules/coupons/rules.ts";
import {
  countOfCustomer,
  findCoupon,
  findCouponByCode,
  lockCoupon,
  redemptionsInUse,
  unpaidRedemptions,
} from "../../modules/coupons/store.ts";
import type { Coupon } from "../../modules/coupons/types.ts";
import type { Coupon as PlannedCoupon } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { CustomerSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, requireFeature } from "../context.ts";
import { honourRedemption, redeemCoupon, releaseRedemption } from "../coupons/coupon-steps.ts";

/** A coupon as a request body names it: by id or by code. */
export interface NamedCoupon {
  readonly couponId: string | null;
  readonly couponCode: string | null;
}

/** Whether a request body names a coupon. */
export const namesCoupon = ({ couponId, couponCode }: NamedCoupon): boolean => couponId !== null || couponCode !== null;

const fieldOf = ({ couponId }: NamedCoupon): string => (couponId === null ? "couponCode" : "couponId");

/** The coupon that a request body names; null when it names none, or none exists. */
function findNamedCoupon(tx: Tx, { couponId, couponCode }: NamedCoupon): Promise<Coupon | null> {
  if (couponId !== null) return findCoupon(tx, couponId);
  return couponCode === null ? Promise.resolve(null) : findCouponByCode(tx, couponCode);
}

/** Locks the coupon that a request body names; it comes before the invoice numbers in `LOCK_ORDER`. */
export async function lockNamedCoupon(tx: Tx, named: NamedCoupon): Promise<void> {
  const found = await findNamedCoupon(tx, named);
  if (found) await lockCoupon(tx, found.id);
}

/** The purchase of a subscription, for its coupon. */
export interface Subscribed {
  readonly customerId: CustomerId;
  readonly planId: PlanId;
  readonly currency: string;
}

/**
 * The coupon of a new subscription, in the planner's terms; null without one. Throws 403 `plan_restricted`; 400 when it
 * cannot be redeemed.
 */
export async function couponAsked(
  tx: Tx,
  ctx: Ctx,
  named: NamedCoupon,
  { customerId, planId, currency }: Subscribed,
): Promise<PlannedCoupon | null> {
  if (!namesCoupon(named)) return null;
  requireFeature(ctx.organisation, "coupons");
  const coupon = await findNamedCoupon(tx, named);
  if (!coupon) throw noSuch([fieldOf(named)], "coupon", named.couponId ?? named.couponCode);
  const ofCustomer = await countOfCustomer(tx, coupon.id, customerId);
  const refusal = mayRedeem(coupon, { today: calendarDay(ctx.now), currency, sold: { planId }, ofCustomer });
  if (refusal) throw invalidField([fieldOf(named)], REFUSALS[refusal]);
  return plannedCoupon(coupon);
}

/** An unused coupon in the planner's terms. */
export function plannedCoupon(coupon: Coupon): PlannedCoupon {
  const { id, code, percent, amount, duration, cycles, planIds } = coupon;
  const off = percent === null ? amount !== null && { amount } : { percent };
  if (!off) throw new Error(`coupon ${id} takes off neither a percentage nor an amount`);
  const limit = duration === "first" ? 1 : cycles;
  const restricted = planIds.length > 0 ? planIds : null;
  return { id, code, off, limit, ...(duration === "first" ? { first: true } : {}), used: 0, planIds: restricted };
}

/** Redeems the coupon of a new subscription, as `couponAsked` returned it. Locks it. Throws as `couponAsked`. */
export async function redeemForSubscription(
  tx: Tx,
  ctx: Ctx,
  { id, customer, plan, state: { coupon, terms } }: CustomerSubscription,
): Promise<void> {
  if (coupon === null) return;
  const sale = { customerId: customer.id, sold: { planId: plan.id }, currency: terms.price.currency };
  await redeemCoupon(tx, ctx, { couponId: coupon.id as CouponId, subject: id, ...sale });
}

/** Releases the coupons of ended subscriptions for which nothing was ever paid (interface 16.12). Locks them. */
export async function releaseUnpaidCoupons(tx: Tx, ctx: Ctx, subscriptions: readonly string[]): Promise<void> {
  for (const key of await unpaidRedemptions(tx, subscriptions)) await releaseRedemption(tx, ctx, key);
}

/** Counts the released coupons of reactivated subscriptions again. Locks them. */
export async function honourCoupons(tx: Tx, _ctx: Ctx, subscriptions: readonly string[]): Promise<void> {
  for (const key of await redemptionsInUse(tx, { subscriptions })) await honourRedemption(tx, key);
}

/**
 * Counts released coupons that had lowered paid invoices again (decisions.md#redemptions-are-counted-under-a-lock).
 * Locks them.
 */
export async function honourPaidCoupons(tx: Tx, _ctx: Ctx, invoices: readonly string[]): Promise<void> {
  for (const key of await redemptionsInUse(tx, { invoices })) await honourRedemption(tx, key);
}
