import type { Decimal } from "../../kernel/decimal.ts";
import type { CouponId, CustomerId, PlanId, ProductId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** Which charges a coupon lowers: the first, a number of cycles, or every one. */
export const DURATIONS = ["first", "cycles", "every"] as const;
export type Duration = (typeof DURATIONS)[number];

/** How much a coupon subtracts, and from which charges. */
export interface CouponTerms {
  /** Decimal text; null: an amount is subtracted. */
  readonly percent: Decimal | null;
  /** Subtracted from each of these charges, before VAT; null: a percentage is subtracted. */
  readonly amount: Cents | null;
  /** Of the amount. */
  readonly currency: string;
  readonly duration: Duration;
  /** With the duration `cycles` alone. */
  readonly cycles: number | null;
}

/** Interface 2.14, coupon. */
export interface Coupon extends CouponTerms {
  readonly id: CouponId;
  /** The code that a payer enters; unique, whatever the case of its letters. */
  readonly code: string;
  readonly name: string | null;
  /** The first and the last day on which it can be redeemed; null: no bound. */
  readonly startsOn: CalendarDay | null;
  readonly endsOn: CalendarDay | null;
  /** Null: no limit. */
  readonly maxRedemptions: number | null;
  readonly maxRedemptionsPerCustomer: number | null;
  /** The number of redemptions that were not released. */
  readonly redemptions: number;
  /** With `productIds`, the plans that it can be redeemed for; both empty: for everything that is sold. */
  readonly planIds: readonly PlanId[];
  readonly productIds: readonly ProductId[];
  readonly enabled: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A coupon in use, with the terms that it had when it was redeemed. */
export interface Redemption extends CouponTerms {
  readonly couponId: CouponId;
  /** The id of the record whose price it lowers: each record redeems the coupon once. */
  readonly subject: string;
  readonly customerId: CustomerId;
  readonly redeemedAt: Instant;
  /** When it was released. */
  readonly releasedAt: Instant | null;
  /** Whether it counts again because the payment came after it was released. */
  readonly late: boolean;
}
