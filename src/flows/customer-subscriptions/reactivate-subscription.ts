import { ApiError } from "../../kernel/errors.ts";
import { addDays, calendarDay } from "../../kernel/time.ts";
import { reactivate } from "../../modules/customer-subscriptions/rules/planner/move-and-resume.ts";
import type { Outcome } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { SubscriptionReactivateBody } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { answerTo, shownStatus } from "../../modules/customer-subscriptions/states.ts";
import { heldBillsOf } from "../../modules/customer-subscriptions/store/held-bills.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { findMigrationOf } from "../../modules/subscription-migrations/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { refuseErased, requireActiveAgain } from "../customers/identified-customer.ts";
import { reactivateExternal } from "./act-on-external.ts";
import { type Acted, checkBillingDay, lockForAction, requireCollected } from "./act-on-subscription.ts";
import { appendSubscriptionEvent, applyOutcome } from "./apply-outcome.ts";
import { requireBillable } from "./asked-terms.ts";
import { mailSubscriptionChange } from "./customer-subscription-mails.ts";
import { SUBSCRIPTION_REACTIVATED } from "./declarations.ts";
import { continueBilling } from "./resume-subscription.ts";

/**
 * Continues a subscription that has ended, or undoes a scheduled cancellation (interface 3.11, 4.8). While the paid
 * period runs nothing is billed, unless a charge is requested; after it a new period begins today. Locks as
 * `lockForAction`. Throws 404; 400 for a date that is not in the future, and for days that cost more than an invoice
 * may; 409 `invalid_state`, also for an erased customer, and for a charge of a paused subscription; 409
 * `external_subscription` for dates and charges in mirror mode.
 */
export async function reactivateSubscription(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: SubscriptionReactivateBody,
): Promise<Acted> {
  const before = await lockForAction(tx, ctx, id);
  const asksForMore = body.nextBillingAt !== null || body.chargeNow !== null;
  if (asksForMore) requireCollected(before);
  if (answerTo(before, "reactivate") === "stays") {
    if (asksForMore)
      throw new ApiError("invalid_state", 409, `The subscription is ${shownStatus(before)}: it goes on.`);
    return { before, after: before };
  }
  await refuseErased(tx, before.customer);
  await requireActiveAgain(tx, before.customer);
  if ((await findMigrationOf(tx, id))?.status === "cancelled")
    throw new ApiError(
      "invalid_state",
      409,
      "The card was never confirmed, so nothing can go on. Begin another migration, or create another subscription.",
    );
  if (before.collectionMethod === "external") return { before, after: await reactivateExternal(tx, ctx, before) };
  const today = calendarDay(ctx.now);
  if (body.nextBillingAt !== null) checkBillingDay("nextBillingAt", body.nextBillingAt, addDays(today, 1), today);
  const isPaused = before.status === "paused";
  if (isPaused && body.chargeNow === true)
    throw new ApiError("invalid_state", 409, "The subscription is paused, and nothing is charged. Resume it first.");
  const outcome = reactivate(before.state, { ...body, creditId: newId("csd") }, today, await heldBillsOf(tx, before));
  requireBillable(outcome, "nextBillingAt");
  const after = isPaused
    ? await undoCancellation(tx, ctx, before, outcome)
    : await continueBilling(tx, ctx, before, outcome, SUBSCRIPTION_REACTIVATED);
  mailSubscriptionChange(tx, ctx, after, "reactivated");
  return { before, after };
}

/** The subscription stays paused. */
async function undoCancellation(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  outcome: Outcome,
): Promise<ShownSubscription> {
  const { after } = await applyOutcome(tx, ctx, { ...before, cancelReason: null }, outcome);
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_REACTIVATED, after, null);
  return after;
}
