import type { Decimal } from "../../kernel/decimal.ts";
import type { CouponId, CustomerId, PlanId, ProductId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";

/** Which charges a coupon lowers: the first, a number of cycles, or every one. */
export const DURATIONS = ["first", "cycles", "every"] as const;
export type Duration = (typeof DURATIONS)[number];

/** How much a coupon takes off, and of which charges. */
export interface CouponTerms {
  /** Decimal text; null: it takes off an amount. */
  readonly percent: Decimal | null;
  /** Off each of these charges, before VAT; null: it takes off a percentage. */
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
  /** What a payer enters; unique, whatever the case of its letters. */
  readonly code: string;
  readonly name: string | null;
  /** The first and the last day on which it can be redeemed; null: no bound. */
  readonly startsOn: BusinessDay | null;
  readonly endsOn: BusinessDay | null;
  /** Null: no limit. */
  readonly maxRedemptions: number | null;
  readonly maxRedemptionsPerCustomer: number | null;
  /** How many there are that were not given back. */
  readonly redemptions: number;
  /** With `productIds` what it is for; both empty: everything that is sold. */
  readonly planIds: readonly PlanId[];
  readonly productIds: readonly ProductId[];
  readonly enabled: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A coupon in use, with the terms that it had when it was redeemed. */
export interface Redemption extends CouponTerms {
  readonly couponId: CouponId;
  /** The id of what it lowers the price of: it redeems the coupon once. */
  readonly subject: string;
  readonly customerId: CustomerId;
  readonly redeemedAt: Instant;
  /** When it was given back. */
  readonly releasedAt: Instant | null;
  /** Whether it counts again because the payment came after it was given back. */
  readonly late: boolean;
}
