import type { PlanId, ProductId } from "../../kernel/ids.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { Coupon, CouponTerms } from "./types.ts";

/*
 * Whether a coupon may be redeemed. What it takes off is computed where the price is: of a product by `priceOfProduct`
 * (products), of a subscription by the planner (`coupons.ts`, `charges.ts` of customer subscriptions).
 */

/** A purchase that a coupon is redeemed for. */
export interface Sale {
  /** The business day of the organisation's clock. */
  readonly today: CalendarDay;
  readonly currency: string;
  readonly sold: { readonly planId: PlanId } | { readonly productId: ProductId; readonly recurring: boolean };
  /** How many redemptions of the coupon this customer has; null while the customer is not known. */
  readonly ofCustomer: number | null;
}

/** The reasons why a coupon cannot be redeemed, with the messages for the payer. */
export const REFUSALS = {
  disabled: "This coupon is not valid.",
  not_begun: "This coupon is not valid yet.",
  ended: "This coupon is no longer valid.",
  not_for_this: "This coupon is not for this.",
  other_currency: "This coupon is for another currency.",
  every_charge_only: "This coupon is for one-off payments, and this is charged again and again.",
  used_up: "This coupon has been used up.",
  used_by_customer: "You have used this coupon already.",
} as const;
export type CouponRefusal = keyof typeof REFUSALS;

/** Whether the coupon can be redeemed for the sale: null, or the first reason why not, in the order of `REFUSALS` (interface 16.12). */
export function mayRedeem(coupon: Coupon, { today, currency, sold, ofCustomer }: Sale): CouponRefusal | null {
  if (!coupon.enabled) return "disabled";
  if (coupon.startsOn !== null && today < coupon.startsOn) return "not_begun";
  if (coupon.endsOn !== null && today > coupon.endsOn) return "ended";
  if (!isFor(coupon, sold)) return "not_for_this";
  if (coupon.amount !== null && coupon.currency !== currency) return "other_currency";
  if ("recurring" in sold && sold.recurring && coupon.duration !== "every") return "every_charge_only";
  if (coupon.maxRedemptions !== null && coupon.redemptions >= coupon.maxRedemptions) return "used_up";
  const { maxRedemptionsPerCustomer: most } = coupon;
  if (most !== null && ofCustomer !== null && ofCustomer >= most) return "used_by_customer";
  return null;
}

function isFor({ planIds, productIds }: Coupon, sold: Sale["sold"]): boolean {
  if (planIds.length === 0 && productIds.length === 0) return true;
  return "planId" in sold ? planIds.includes(sold.planId) : productIds.includes(sold.productId);
}

/** The terms, as a redemption stores them. */
export const termsOf = ({ percent, amount, currency, duration, cycles }: CouponTerms): CouponTerms => ({
  percent,
  amount,
  currency,
  duration,
  cycles,
});
