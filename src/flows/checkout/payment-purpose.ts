import type { PaidFact } from "../../gateways/facts.ts";
import { exemption } from "../../kernel/exemption.ts";
import type { PlanId } from "../../kernel/ids.ts";
import { ZERO } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { CHECKOUT_FAILED } from "../../modules/checkout-sessions/declarations.ts";
import { asOf, moveCheckout } from "../../modules/checkout-sessions/states.ts";
import {
  findCheckoutPayment,
  lockCheckoutSession,
  updateCheckoutSession,
} from "../../modules/checkout-sessions/store.ts";
import type { CheckoutPayment, CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import { lockCoupon } from "../../modules/coupons/store.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { setSubscription } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { honourRedemption, releaseRedemption } from "../coupons/coupon-steps.ts";
import { beginSubscription } from "../gateway-subscriptions/begin-subscription.ts";
import { expectEarlyReports } from "../gateway-subscriptions/early-reports.ts";
import { endsPayment, type Purpose } from "../payments/purpose.ts";
import { completeCheckout } from "./complete-checkout.ts";
import { appendCheckoutEvent } from "./session-object.ts";

/** Whether a payment may belong to a checkout, before anything is read. */
const mayBeCheckout = ({
  type,
  paymentLinkId,
  eftOrderId,
  customerId,
  renewal,
  externalReference,
}: Transaction): boolean =>
  (type === "once" || type === "recurring" || type === "invoice" || type === "card_debit") &&
  paymentLinkId === null &&
  eftOrderId === null &&
  customerId !== null &&
  // Charges by the API have a reference of the caller; payments of a checkout have none.
  externalReference === null &&
  !renewal;

/**
 * The purpose of a payment that was started on a checkout page: it completes the session or fails it (interface 3.9),
 * and starts the subscription of a recurring product. A second payment of a completed session is overpaid, and starts
 * nothing (decisions.md#a-session-sells-once). The coupon is released while the session is not paid. Locks the session
 * and the coupon.
 */
export const checkoutPurpose: Purpose = {
  locks: "checkout session",
  async lock(tx, ctx, payment, move) {
    if (!endsPayment(move) || !mayBeCheckout(payment)) return null;
    const attempt = await findCheckoutPayment(tx, payment.id);
    const session = attempt && (await lockCheckoutSession(tx, attempt.sessionId));
    if (!session) return null;
    const coupon = attempt.couponId && (await lockCoupon(tx, attempt.couponId));
    if (move !== "complete") return { fail: () => failed(tx, ctx, session, attempt) };
    const isSecond = session.status === "completed";
    // A subscription that the session has not sold does not begin: the payment is overpaid, even if the invoice of a
    // plan is still open.
    const isOther = isSecond && session.productId === null && payment.subscriptionId !== session.subscriptionId;
    let subscriptionId: string | null = null;
    const split = async () => ({
      applied: ZERO,
      overpaid: isSecond ? payment.amount : ZERO,
      vat: isSecond ? ZERO : (attempt.tax ?? ZERO),
      ...exemption(attempt.taxExempt && !isSecond),
    });
    return {
      // A plan's first charge is its invoice, whose purpose divides the payment.
      ...(payment.invoiceId && !isOther ? {} : { split }),
      async complete(paid, _split, fact) {
        if (isOther) await release(tx, ctx, attempt);
        else await honour(tx, attempt);
        subscriptionId = await begun(tx, ctx, { session, attempt, isSecond }, paid, fact);
        if (isSecond) return;
        await completeCheckout(tx, ctx, {
          ...session,
          // The payment may be for an earlier choice of the payer.
          planId: (await planOf(tx, ctx, paid)) ?? session.planId,
          couponCode: coupon ? coupon.code : null,
          subscriptionId: subscriptionId ?? paid.subscriptionId,
          customerId: paid.customerId,
          transactionId: paid.id,
        });
      },
      changes: () => (subscriptionId === null ? {} : { subscriptionId }),
    };
  },
};

async function failed(tx: Tx, ctx: Ctx, locked: CheckoutSession, attempt: CheckoutPayment): Promise<void> {
  // A session that another payment has completed keeps its coupon.
  if (locked.status !== "completed" || !isSubject(locked, attempt)) await release(tx, ctx, attempt);
  const session = asOf(locked, ctx.now);
  // A further attempt leaves a `failed` session as it is, and appends no event, until it succeeds.
  if (session.status !== "pending") return;
  const status = moveCheckout(session.status, "fail");
  if (!status) return;
  const after = { ...session, status, updatedAt: ctx.now };
  updateCheckoutSession(tx, after);
  await appendCheckoutEvent(tx, ctx, CHECKOUT_FAILED, after);
}

/** The plan whose first charge was paid; null for a product. */
async function planOf(tx: Tx, { now }: Ctx, { invoiceId, subscriptionId }: Transaction): Promise<PlanId | null> {
  const paid =
    invoiceId && subscriptionId !== null && (await findCustomerSubscription(tx, subscriptionId, calendarDay(now)));
  return paid ? paid.plan.id : null;
}

/** Whether the coupon of an attempt is counted for the sold product or plan. */
const isSubject = ({ id, productId, subscriptionId }: CheckoutSession, { couponSubject }: CheckoutPayment): boolean =>
  couponSubject === (productId === null ? subscriptionId : id);

async function release(tx: Tx, ctx: Ctx, { couponId, couponSubject }: CheckoutPayment): Promise<void> {
  if (couponId && couponSubject) await releaseRedemption(tx, ctx, { couponId, subject: couponSubject });
}

/** Counts the coupon again when the payment came after it was released. */
async function honour(tx: Tx, { couponId, couponSubject }: CheckoutPayment): Promise<void> {
  if (couponId && couponSubject) await honourRedemption(tx, { couponId, subject: couponSubject });
}

interface Begins {
  readonly session: CheckoutSession;
  readonly attempt: CheckoutPayment;
  /** Whether another payment has already paid the session. */
  readonly isSecond: boolean;
}

/** The id of the subscription that the payment has started at its gateway; null for a one-time product. */
async function begun(
  tx: Tx,
  ctx: Ctx,
  { session, attempt: { frequency }, isSecond }: Begins,
  paid: Transaction,
  fact: PaidFact,
): Promise<string | null> {
  if (frequency === null || fact.subscription === null) return null;
  const terms = {
    frequency,
    amount: paid.amount,
    title: paid.description ?? paid.reference,
    paymentLinkId: null,
    invoiceId: null,
    externalReference: null,
    metadata: session.metadata,
  };
  const subscription = beginSubscription(tx, ctx, { terms, isSecond }, paid, fact);
  setSubscription(tx, paid.id, subscription.id);
  if (!isSecond) await expectEarlyReports(tx, ctx, subscription);
  return subscription.id;
}
