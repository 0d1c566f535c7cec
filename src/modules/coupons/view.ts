import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { Coupon } from "./types.ts";

/** Interface 2.14, coupon. */
export const couponView = (coupon: Coupon) => ({
  id: coupon.id,
  code: coupon.code,
  name: coupon.name,
  percent: coupon.percent === null ? null : Number(coupon.percent),
  amount: coupon.amount === null ? null : toRand(coupon.amount),
  currency: coupon.currency,
  duration: coupon.duration,
  cycles: coupon.cycles,
  startsAt: coupon.startsOn,
  endsAt: coupon.endsOn,
  maxRedemptions: coupon.maxRedemptions,
  maxRedemptionsPerCustomer: coupon.maxRedemptionsPerCustomer,
  redemptions: coupon.redemptions,
  planIds: coupon.planIds,
  productIds: coupon.productIds,
  enabled: coupon.enabled,
  createdAt: toTimestamp(coupon.createdAt),
  updatedAt: toTimestamp(coupon.updatedAt),
});
