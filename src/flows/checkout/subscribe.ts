import { calendarDay } from "../../kernel/time.ts";
import { insertSessionSubscription } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import type { Coupon } from "../../modules/coupons/types.ts";
import { CustomerSubscriptionCreate } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { createSubscription } from "../customer-subscriptions/create-subscription.ts";
import type { Offer } from "./offers.ts";

/** The terms of a subscription to a plan on a session's page. */
export interface Subscribing {
  readonly session: CheckoutSession;
  readonly customer: Customer;
  readonly offer: Offer;
  readonly coupon: Coupon | null;
}

/**
 * The subscription of a session (interface 4.12, package checkout): the one that an earlier attempt made, while it
 * waits for the same first charge, else a new one. The session's payment pays its invoice. Locks as
 * `createSubscription`.
 */
export async function subscriptionOf(tx: Tx, ctx: Ctx, wanted: Subscribing): Promise<ShownSubscription> {
  const waiting = await waitingOne(tx, ctx, wanted);
  if (waiting) return waiting;
  const { session, customer, offer, coupon } = wanted;
  const body = CustomerSubscriptionCreate.parse({
    customer: { id: customer.id },
    planId: offer.id,
    collectionMethod: "gateway",
    metadata: session.metadata,
    ...(session.currency !== null && { currency: session.currency }),
    ...(coupon && { couponCode: coupon.code }),
  });
  const { subscription } = await createSubscription(tx, ctx, body, "checkout");
  insertSessionSubscription(tx, session.id, subscription.id);
  return subscription;
}

/** The invoice of a subscription's first charge; null when there is nothing to pay. */
export async function openInvoiceOf(tx: Tx, ctx: Ctx, id: string): Promise<ShownSubscription["openInvoice"]> {
  return (await findCustomerSubscription(tx, id, calendarDay(ctx.now)))?.openInvoice ?? null;
}

async function waitingOne(
  tx: Tx,
  ctx: Ctx,
  { session, customer, offer, coupon }: Subscribing,
): Promise<ShownSubscription | null> {
  const locked = session.subscriptionId && (await lockCustomerSubscription(tx, session.subscriptionId));
  const found = locked ? await findCustomerSubscription(tx, locked, calendarDay(ctx.now)) : null;
  if (found?.status !== "pending" || !found.openInvoice) return null;
  const isSame =
    found.customer.id === customer.id &&
    found.plan.id === offer.id &&
    (found.state.coupon?.id ?? null) === (coupon?.id ?? null) &&
    found.openInvoice.total === offer.today.total;
  return isSame ? found : null;
}
