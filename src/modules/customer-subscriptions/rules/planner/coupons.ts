import type { Coupon, CouponOff, PercentOff, PriceInForce, Subscription } from "./types.ts";

/*
 * A coupon lowers charges of the plans that it is for, and no others (interface 16.12). It is counted by bills that
 * begin a period of such a plan; one for the first charge is spent with the first of all. In a period of which the bill
 * was lowered, or of any, when it is for every charge, it rests on the days of another plan and goes on with the days
 * of its own.
 */

const isFor = ({ planIds }: Coupon, planId: string): boolean => planIds === null || planIds.includes(planId);

/** The facts that say which coupon and discounts lower a charge. */
type Reducible = Pick<Subscription, "coupon" | "terms" | "discounts">;

/**
 * The subscription's coupon, when it reduces a charge of a plan (by default the present one) on the next bill: it is
 * for the plan, and not used up.
 */
export function couponInForce(
  { coupon, terms }: Pick<Subscription, "coupon" | "terms">,
  planId = terms.price.planId,
): Coupon | null {
  if (coupon === null || !isFor(coupon, planId)) return null;
  return coupon.limit === null || coupon.used < coupon.limit ? coupon : null;
}

/** The percentages that reduce a charge of a plan on the next bill, in their order: the coupon's, then the one-off discounts. */
export function percentsInForce(sub: Reducible, planId = sub.terms.price.planId): readonly PercentOff[] {
  const coupon = couponInForce(sub, planId);
  const discounts = sub.discounts.map((discount) => ({ by: "discount", ...discount }) as const);
  if (coupon === null || !("percent" in coupon.off)) return discounts;
  return [{ by: "coupon", id: coupon.id, code: coupon.code, percent: coupon.off.percent }, ...discounts];
}

/** Coupon and discounts after a period's bill has used them, or would have if it were above zero. */
export const reductionsUsed = (sub: Subscription): Pick<Subscription, "coupon" | "discounts"> => ({
  coupon:
    sub.coupon && (sub.coupon.first || couponInForce(sub))
      ? { ...sub.coupon, used: usedAfter(sub.coupon) }
      : sub.coupon,
  discounts: [],
});

const usedAfter = ({ first, used }: Coupon): number => (first ? 1 : used + 1);

/** What the coupon takes off the days of a plan in a period with a price in force; null when it does not lower the period. */
export function couponOfPeriod({ coupon, cyclesBilled }: Subscription, paid: PriceInForce): CouponOff | null {
  const lowered = paid.resting ?? paid.percents.find((off) => off.by === "coupon") ?? paid.amountOff;
  if (lowered || coupon === null || coupon.limit !== null || cyclesBilled === 0) return lowered ?? null;
  const { id, code, off } = coupon;
  return "percent" in off
    ? { by: "coupon", id, code, percent: off.percent }
    : { couponId: id, code, amount: off.amount, days: paid.of };
}

/** Whether the subscription's coupon rests on days of a plan. */
export const restsOn = ({ coupon }: Pick<Subscription, "coupon">, planId: string): boolean =>
  coupon !== null && !isFor(coupon, planId);
