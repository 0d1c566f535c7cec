import { addSeconds, calendarDay } from "../../kernel/time.ts";
import { CHECKOUT_RELEASE_COUPON } from "../../modules/checkout-sessions/declarations.ts";
import { findCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import { lockCoupon } from "../../modules/coupons/store.ts";
import type { Redemption } from "../../modules/coupons/types.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { type RedemptionKey, releaseRedemption } from "../coupons/coupon-steps.ts";

/** How long an unpaid checkout holds its coupon after redeeming it. A later payment still gets the discount. */
const HELD_SECONDS = 30 * 60;

/** Enqueues the release of a coupon that a checkout has redeemed before its payment (interface 16.12). */
export const holdCoupon = (tx: Tx, { couponId, subject, redeemedAt }: Redemption): void =>
  enqueue(tx, CHECKOUT_RELEASE_COUPON, `${couponId} ${subject}`, addSeconds(redeemedAt, HELD_SECONDS));

/** Locks the coupon that a piece of `checkout_session.release_coupon` work concerns; null when there is none. */
export async function lockHeldCoupon(tx: Tx, work: string): Promise<RedemptionKey | null> {
  const [couponId = "", subject = ""] = work.split(" ");
  const coupon = await lockCoupon(tx, couponId);
  return coupon && { couponId: coupon.id, subject };
}

/**
 * `checkout_session.release_coupon`: releases the coupon unless its checkout was paid. The payment of a checkout locks
 * the coupon too, so its result is known here or comes later.
 */
export async function releaseHeldCoupon(tx: Tx, ctx: Ctx, held: RedemptionKey): Promise<null> {
  const [session, subscription] = await Promise.all([
    findCheckoutSession(tx, held.subject),
    findCustomerSubscription(tx, held.subject, calendarDay(ctx.now)),
  ]);
  const isPaid = session ? session.status === "completed" : subscription?.status !== "pending";
  if (!isPaid) await releaseRedemption(tx, ctx, held);
  return null;
}
