import { assert } from "../../kernel/assert.ts";
import { invalidField } from "../../kernel/errors.ts";
import type { CustomerId, InvoiceId, TransactionId } from "../../kernel/ids.ts";
import { type Cents, subtract } from "../../kernel/money.ts";
import { asOf, isOpen } from "../../modules/checkout-sessions/states.ts";
import {
  insertCheckoutPayment,
  lockCheckoutSession,
  updateCheckoutSession,
} from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import { REFUSALS } from "../../modules/coupons/rules.ts";
import { findCouponByCode, lockCoupon } from "../../modules/coupons/store.ts";
import type { Coupon, Redemption } from "../../modules/coupons/types.ts";
import { lockCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { hasPaymentUnderWay } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { redeemCoupon, releaseRedemption } from "../coupons/coupon-steps.ts";
import { monthlyLimitReachedAtStart } from "../payments/monthly-limit.ts";
import { completeCheckout } from "./complete-checkout.ts";
import { holdCoupon } from "./held-coupon.ts";
import type { Offer } from "./offers.ts";
import { type CheckoutAsked, type CheckoutFacts, type CheckoutUnavailable, readCheckout } from "./read-checkout.ts";
import { openInvoiceOf, type Subscribing, subscriptionOf } from "./subscribe.ts";

/** Why no payment was started. */
export type NoAttempt =
  /** The session was completed earlier, or just now without a payment. */
  | { readonly kind: "completed"; readonly session: CheckoutSession }
  | { readonly kind: "unavailable"; readonly why: CheckoutUnavailable }
  | { readonly kind: "not_offered" };

/** Why a session that is not open accepts no submission. */
export const closed = (session: CheckoutSession): NoAttempt =>
  session.status === "completed" ? { kind: "completed", session } : { kind: "unavailable", why: "expired" };

/** The payer, and their choice on the page. */
export interface CheckoutRequest extends Pick<Subscribing, "customer"> {
  readonly asked: CheckoutAsked;
  readonly sessionId: CheckoutSession["id"];
  readonly couponCode: string | null;
}

/** The chosen product or plan, with its present terms. */
export interface Chosen extends Subscribing {
  readonly facts: CheckoutFacts;
  /** The purpose of the payment, in words. */
  readonly title: string;
}

/**
 * Returns the payer's choice with its present terms, or why it cannot be bought. Locks the session and the coupon.
 * Throws 400 at `couponCode`.
 */
export async function chosenOn<Done>(
  tx: Tx,
  ctx: Ctx,
  { asked, sessionId, customer, couponCode }: CheckoutRequest,
  goOn: (chosen: Chosen) => Promise<Done>,
): Promise<Done | NoAttempt> {
  const locked = await lockCheckoutSession(tx, sessionId);
  assert(locked, "a session stays");
  const session = asOf(locked, ctx.now);
  if (!isOpen(session)) return closed(session);
  const coupon = await lockedCoupon(tx, couponCode);
  const facts = await readCheckout(tx, ctx, { ...asked, sessionId, couponCode: couponCode ?? "" });
  if (!facts || facts.unavailable) return { kind: "unavailable", why: facts?.unavailable ?? "not_sold" };
  const offer = facts.chosen;
  if (!offer) return { kind: "not_offered" };
  const title = session.packageId === null ? offer.name : `${facts.title}, ${offer.name}`;
  if (facts.coupon?.problem) throw invalidField(["couponCode"], facts.coupon.problem);
  return goOn({ session, customer, offer, coupon, title, facts });
}

/**
 * The coupon with this code, locked, because this transaction redeems it. Throws 400 at `couponCode` when there is
 * none.
 */
async function lockedCoupon(tx: Tx, code: string | null): Promise<Coupon | null> {
  const found = code === null ? null : await findCouponByCode(tx, code);
  if (code !== null && !found) throw invalidField(["couponCode"], REFUSALS.disabled);
  return found && lockCoupon(tx, found.id);
}

/**
 * Subscribes to a plan, and redeems the coupon for it; a plan that is free at first completes the session. Locks as
 * `subscriptionOf`.
 */
export async function subscribe(tx: Tx, ctx: Ctx, chosen: Chosen): Promise<NoAttempt | "to_pay"> {
  const { session, customer, coupon } = chosen;
  const subscription = await subscriptionOf(tx, ctx, chosen);
  if (coupon) await redeem(tx, ctx, chosen, coupon, subscription.id);
  const subscribed: CheckoutSession = {
    ...session,
    customerId: customer.id,
    planId: subscription.plan.id,
    subscriptionId: subscription.id,
    couponCode: coupon?.code ?? null,
    updatedAt: ctx.now,
  };
  if (subscription.status !== "pending") {
    // Nothing was paid for it, whatever the outcome of an earlier attempt.
    const free = { ...subscribed, transactionId: null };
    return { kind: "completed", session: await completeCheckout(tx, ctx, free) };
  }
  updateCheckoutSession(tx, subscribed);
  return "to_pay";
}

/** What a payment on the session pays. */
export interface Paying {
  readonly amount: Cents;
  /** The subject for which a redeemed coupon is counted. */
  readonly subject: string;
  /** The invoice of a plan's first charge; null for a product. */
  readonly invoiceId: InvoiceId | null;
}

/**
 * The amount that a payment on the session pays: a product's price, or the open amount of a plan's first charge, which
 * may be less than the offer because credit is used first. Null when nothing is open any longer. Locks the
 * subscription.
 */
export async function payingOf(tx: Tx, ctx: Ctx, { session, offer }: Chosen): Promise<Paying | null> {
  if (session.subscriptionId !== null) await lockCustomerSubscription(tx, session.subscriptionId);
  return openOf(tx, ctx, session, offer);
}

/** Like `payingOf`, without a lock. */
export async function openOf(tx: Tx, ctx: Ctx, session: CheckoutSession, offer: Offer): Promise<Paying | null> {
  if (session.packageId === null) return { amount: offer.today.total, subject: session.id, invoiceId: null };
  const { subscriptionId } = session;
  const invoice = subscriptionId === null ? null : await openInvoiceOf(tx, ctx, subscriptionId);
  if (!subscriptionId || !invoice) return null;
  return { amount: subtract(invoice.total, invoice.paid), subject: subscriptionId, invoiceId: invoice.id };
}

/**
 * Whether the organisation has reached its plan's monthly limit of payments. If so, the coupon that a plan's
 * subscription has redeemed is released, unless an earlier attempt to pay its first charge is under way. Locks the
 * payment starts.
 */
export async function isOverQuota(
  tx: Tx,
  ctx: Ctx,
  { coupon }: Chosen,
  { invoiceId, subject }: Paying,
): Promise<boolean> {
  if (!(await monthlyLimitReachedAtStart(tx, ctx))) return false;
  if (coupon && invoiceId && !(await hasPaymentUnderWay(tx, invoiceId)))
    await releaseRedemption(tx, ctx, { couponId: coupon.id, subject });
  return true;
}

/** A payment that was just recorded, with its payer. */
export interface Attempted {
  readonly id: TransactionId;
  readonly customerId: CustomerId;
  readonly paying: Paying;
}

/** Stores a payment on the session, and redeems a product's coupon for it, only once however often the payer tries. */
export async function noteAttempt(
  tx: Tx,
  ctx: Ctx,
  chosen: Chosen,
  { id, customerId, paying: { subject, invoiceId } }: Attempted,
): Promise<void> {
  const { session, offer, coupon } = chosen;
  const couponId = coupon && (await redeem(tx, ctx, chosen, coupon, subject)).couponId;
  insertCheckoutPayment(tx, {
    transactionId: id,
    sessionId: session.id,
    discount: offer.discount,
    tax: Number(offer.taxRate) === 0 ? null : offer.today.tax,
    taxExempt: offer.taxExempt,
    couponId,
    couponSubject: couponId && subject,
    frequency: invoiceId ? null : (offer.later?.frequency ?? null),
  });
  updateCheckoutSession(tx, {
    ...session,
    customerId,
    couponCode: coupon?.code ?? null,
    transactionId: id,
    updatedAt: ctx.now,
  });
}

async function redeem(
  tx: Tx,
  ctx: Ctx,
  { customer, offer }: Chosen,
  { id }: Coupon,
  subject: string,
): Promise<Redemption> {
  const redemption = await redeemCoupon(tx, ctx, {
    couponId: id,
    subject,
    customerId: customer.id,
    sold: offer.sold,
    currency: offer.currency,
  });
  holdCoupon(tx, redemption);
  return redemption;
}
