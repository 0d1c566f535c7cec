import { dueWhilePaused } from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import { answerTo, withStatus } from "../../modules/customer-subscriptions/states.ts";
import { saveCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type Acted, lockForAction, requireCollected } from "./act-on-subscription.ts";
import { appendSubscriptionEvent, askForDue, takeBackWork } from "./apply-outcome.ts";
import { mailSubscriptionChange } from "./customer-subscription-mails.ts";
import { SUBSCRIPTION_PAUSED } from "./declarations.ts";

/**
 * Stops the billing of a subscription; the running period stays paid (interface 16.17). Locks as `lockForAction`.
 * Throws 404; 409 `external_subscription`, `invalid_state`.
 */
export async function pauseSubscription(tx: Tx, ctx: Ctx, id: string): Promise<Acted> {
  const before = await lockForAction(tx, ctx, id);
  requireCollected(before);
  if (answerTo(before, "pause") === "stays") return { before, after: before };
  const after = {
    ...withStatus(before, "paused", ctx.now),
    nextDue: dueWhilePaused(before.state),
    isPastDue: false,
    updatedAt: ctx.now,
  };
  saveCustomerSubscription(tx, after);
  takeBackWork(tx, [{ before, after }]);
  await askForDue(tx, [after]);
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_PAUSED, after, null);
  mailSubscriptionChange(tx, ctx, after, "paused");
  return { before, after };
}
