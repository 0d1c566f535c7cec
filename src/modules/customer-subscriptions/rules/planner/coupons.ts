import type { Coupon, PercentOff, Subscription } from "./types.ts";

const isFor = ({ planIds }: Coupon, planId: string): boolean => planIds === null || planIds.includes(planId);

/** The subscription's coupon, when it reduces the next first or cycle bill: it applies to this plan, and is not used up. */
export function couponInForce({ coupon, terms }: Pick<Subscription, "coupon" | "terms">): Coupon | null {
  if (coupon === null || !isFor(coupon, terms.price.planId)) return null;
  return coupon.limit === null || coupon.used < coupon.limit ? coupon : null;
}

/** The percentages that reduce the next first or cycle bill, in their order: the coupon's, then the one-off discounts. */
export function percentsInForce(sub: Pick<Subscription, "coupon" | "terms" | "discounts">): readonly PercentOff[] {
  const coupon = couponInForce(sub);
  const discounts = sub.discounts.map((discount) => ({ by: "discount", ...discount }) as const);
  if (coupon === null || !("percent" in coupon.off)) return discounts;
  return [{ by: "coupon", id: coupon.id, code: coupon.code, percent: coupon.off.percent }, ...discounts];
}

/** Coupon and discounts after a bill to which they were applied, or would have been applied had it been above zero. */
export const reductionsUsed = (sub: Subscription): Pick<Subscription, "coupon" | "discounts"> => ({
  coupon: sub.coupon && couponInForce(sub) ? { ...sub.coupon, used: sub.coupon.used + 1 } : sub.coupon,
  discounts: [],
});

/** Whether a reduction of the running period also applies after a change to another plan: a coupon does so only when it is for that plan. */
export const staysInForce = (couponId: string, { coupon }: Pick<Subscription, "coupon">, planId: string): boolean =>
  coupon === null || coupon.id !== couponId || isFor(coupon, planId);
