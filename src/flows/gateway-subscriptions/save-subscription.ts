import { appendEvent } from "../../events/outbox.ts";
import { addDays, startOfDay } from "../../kernel/time.ts";
import { type SUBSCRIPTION_CHARGED, SUBSCRIPTION_EXPECT } from "../../modules/gateway-subscriptions/declarations.ts";
import { isRunning } from "../../modules/gateway-subscriptions/rules.ts";
import { saveGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { gatewaySubscriptionView } from "../../modules/gateway-subscriptions/view.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import {
  type SUBSCRIPTION_ACTIVATED,
  SUBSCRIPTION_CANCELLED,
  SUBSCRIPTION_PAUSED,
  type SUBSCRIPTION_PAYMENT_FAILED,
  SUBSCRIPTION_RESUMED,
} from "../customer-subscriptions/declarations.ts";

type GatewaySubscriptionEvent =
  | typeof SUBSCRIPTION_ACTIVATED
  | typeof SUBSCRIPTION_CHARGED
  | typeof SUBSCRIPTION_PAYMENT_FAILED
  | typeof SUBSCRIPTION_CANCELLED
  | typeof SUBSCRIPTION_PAUSED
  | typeof SUBSCRIPTION_RESUMED;

/** Appends an event of a subscription. */
export function appendGatewaySubscriptionEvent(
  tx: Tx,
  ctx: Ctx,
  event: GatewaySubscriptionEvent,
  subscription: GatewaySubscription,
): void {
  appendEvent(tx, ctx.now, event, subscription.id, gatewaySubscriptionView(subscription));
}

/**
 * Enqueues the work that finds a missing renewal, for the day after its date; cancels that work while the gateway does
 * not collect.
 */
export function expectRenewal(tx: Tx, subscription: GatewaySubscription): void {
  const { id, nextChargeOn } = subscription;
  if (isRunning(subscription) && nextChargeOn !== null)
    enqueue(tx, SUBSCRIPTION_EXPECT, id, startOfDay(addDays(nextChargeOn, 1)));
  else cancelWork(tx, SUBSCRIPTION_EXPECT, id);
}

/**
 * Saves a locked subscription after a change, with the work for its next renewal and the events of a changed status
 * (interface 6).
 */
export function saveSubscription(
  tx: Tx,
  ctx: Ctx,
  before: GatewaySubscription,
  changed: GatewaySubscription,
): GatewaySubscription {
  const after = { ...changed, updatedAt: ctx.now };
  saveGatewaySubscription(tx, after);
  expectRenewal(tx, after);
  const event = eventOf(before, after);
  if (event) appendGatewaySubscriptionEvent(tx, ctx, event, after);
  return after;
}

function eventOf(before: GatewaySubscription, after: GatewaySubscription): GatewaySubscriptionEvent | null {
  if (before.status === after.status) return null;
  if (after.status === "cancelled") return SUBSCRIPTION_CANCELLED;
  if (after.status === "paused") return SUBSCRIPTION_PAUSED;
  return before.status === "paused" ? SUBSCRIPTION_RESUMED : null;
}
