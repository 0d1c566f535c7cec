import { calendarDay } from "../../kernel/time.ts";
import type { Card } from "../../modules/cards/types.ts";
import { nextDue } from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import { firstBilledAfter } from "../../modules/customer-subscriptions/rules/planner/start.ts";
import { saveCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { appendSubscriptionEvent, askToBill } from "./apply-outcome.ts";
import { subscriptionCard } from "./collecting-card.ts";
import { SUBSCRIPTION_ACTIVATED, SUBSCRIPTION_UPDATED } from "./declarations.ts";

/**
 * The subscription with its first charge moved to a day after today, while its card is not confirmed
 * (decisions.md#migrations-wait-for-their-card).
 */
function putOff({ now }: Ctx, waiting: ShownSubscription): ShownSubscription {
  const state = firstBilledAfter(waiting.state, calendarDay(now));
  return state === waiting.state ? waiting : { ...waiting, state, nextDue: nextDue(state), updatedAt: now };
}

/**
 * `customer_subscription.bill` of a subscription whose card is not confirmed: puts its first charge off when it is due.
 * The caller has locked the subscription.
 */
export function awaitCard(tx: Tx, ctx: Ctx, waiting: ShownSubscription): ShownSubscription {
  const after = putOff(ctx, waiting);
  askToBill(tx, after);
  if (after === waiting) return waiting;
  saveCustomerSubscription(tx, after);
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_UPDATED, after, null);
  return after;
}

/**
 * Makes a subscription active after its payer has confirmed the card, which is charged from now on. The caller has
 * locked the subscription.
 */
export function beginWithCard(tx: Tx, ctx: Ctx, waiting: ShownSubscription, card: Card): ShownSubscription {
  const after: ShownSubscription = {
    ...putOff(ctx, waiting),
    status: "active",
    card: subscriptionCard(card),
    updatedAt: ctx.now,
  };
  saveCustomerSubscription(tx, after);
  askToBill(tx, after);
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_ACTIVATED, after, null);
  return after;
}
