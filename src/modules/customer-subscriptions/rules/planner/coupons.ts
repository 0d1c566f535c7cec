import type { Coupon, PercentOff, Subscription } from "./types.ts";

const isFor = ({ planIds }: Coupon, planId: string): boolean => planIds === null || planIds.includes(planId);

/** The subscription's coupon, when the next first or cycle bill is reduced by it: it is for this plan, and not used up. */
export function couponInForce({ coupon, terms }: Pick<Subscription, "coupon" | "terms">): Coupon | null {
  if (coupon === null || !isFor(coupon, terms.price.planId)) return null;
  return coupon.limit === null || coupon.used < coupon.limit ? coupon : null;
}

/** The percents that the next first or cycle bill is reduced by, in their order: the coupon's, then the one-off discounts. */
export function percentsInForce(sub: Pick<Subscription, "coupon" | "terms" | "discounts">): readonly PercentOff[] {
  const coupon = couponInForce(sub);
  const discounts = sub.discounts.map((discount) => ({ by: "discount", ...discount }) as const);
  if (coupon === null || !("percent" in coupon.off)) return discounts;
  return [{ by: "coupon", id: coupon.id, code: coupon.code, percent: coupon.off.percent }, ...discounts];
}

/** Coupon and discounts after a bill that they were applied to, or would have been had it been above zero. */
export const reductionsUsed = (sub: Subscription): Pick<Subscription, "coupon" | "discounts"> => ({
  coupon: sub.coupon && couponInForce(sub) ? { ...sub.coupon, used: sub.coupon.used + 1 } : sub.coupon,
  discounts: [],
});

/** Whether a reduction of the running period also holds for another plan: a coupon that is not for it does not. */
export const staysInForce = (couponId: string, { coupon }: Pick<Subscription, "coupon">, planId: string): boolean =>
  coupon === null || coupon.id !== couponId || isFor(coupon, planId);
