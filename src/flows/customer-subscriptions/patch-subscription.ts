import { ApiError } from "../../kernel/errors.ts";
import { addDays, calendarDay } from "../../kernel/time.ts";
import { billDue } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import { giveAnchorDay, moveNextBilling } from "../../modules/customer-subscriptions/rules/planner/move-and-resume.ts";
import { changesNothing, withoutBills } from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import type { Outcome } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { SubscriptionPatchBody } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { answerTo, isBilled } from "../../modules/customer-subscriptions/states.ts";
import {
  saveSubscriptionLabels,
  subscriptionOfReference,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type Acted, checkBillingDay, lockForAction, requireCollected } from "./act-on-subscription.ts";
import { appendSubscriptionEvent } from "./apply-outcome.ts";
import { billAnswered } from "./bill-subscription.ts";
import { SUBSCRIPTION_UPDATED } from "./declarations.ts";
import { subscriptionObject } from "./subscription-object.ts";

/**
 * Changes billing dates (interface 16.18), metadata and reference of a subscription. A date of today bills it now.
 * Locks as `lockForAction`. Throws 404; 400 for an invalid date; 409 `invalid_state` for dates of a subscription that
 * has ended or awaits its first payment, `external_reference_conflict`; 409 `external_subscription` for anything but
 * metadata in mirror mode.
 */
export async function patchSubscription(tx: Tx, ctx: Ctx, id: string, patch: SubscriptionPatchBody): Promise<Acted> {
  const before = await lockForAction(tx, ctx, id);
  const { metadata = before.metadata, externalReference = before.externalReference } = patch;
  const movesDates = patch.nextBillingAt !== null || patch.billingAnchorDay !== null;
  if (movesDates || externalReference !== before.externalReference) requireCollected(before);
  const moved = movesDates ? movedDates(ctx, before, patch) : null;
  const outcome = moved && changesNothing(before.state, moved) ? null : moved;
  if (externalReference !== before.externalReference) await requireFree(tx, ctx, externalReference);
  const given = { ...before, metadata, externalReference, updatedAt: ctx.now };
  if (outcome === null && isShownAlike(ctx, before, given)) return { before, after: before };
  saveSubscriptionLabels(tx, given);
  if (outcome === null) {
    appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_UPDATED, given, null);
    return { before, after: given };
  }
  const [billed] = await billAnswered(tx, ctx, [{ before: given, outcome, event: SUBSCRIPTION_UPDATED }]);
  return { before, after: billed?.after ?? given };
}

function movedDates(
  ctx: Ctx,
  before: ShownSubscription,
  { nextBillingAt, billingAnchorDay }: SubscriptionPatchBody,
): Outcome {
  answerTo(before, "move");
  const today = calendarDay(ctx.now);
  const { period, awaiting } = before.state;
  const { start } = awaiting ?? period ?? { start: null };
  const earliest = start !== null && start >= today ? addDays(start, 1) : today;
  if (nextBillingAt !== null) checkBillingDay("nextBillingAt", nextBillingAt, earliest, today);
  const moved = nextBillingAt === null ? before.state : moveNextBilling(before.state, nextBillingAt);
  const anchored = billingAnchorDay === null ? moved : giveAnchorDay(moved, billingAnchorDay);
  return isBilled(before) ? billDue(anchored, today) : withoutBills(anchored);
}

/**
 * Throws 409 when another subscription has the reference. Locks the invoice numbers, which protect the references
 * (decisions.md#invoice-numbers-before-subscriptions).
 */
async function requireFree(tx: Tx, ctx: Ctx, reference: string | null): Promise<void> {
  if (reference === null) return;
  lockNumbers(tx, "invoice");
  if (await subscriptionOfReference(tx, reference, calendarDay(ctx.now)))
    throw new ApiError("external_reference_conflict", 409, "Another customer subscription has this externalReference.");
}

const isShownAlike = (ctx: Ctx, one: ShownSubscription, other: ShownSubscription): boolean =>
  JSON.stringify(subscriptionObject(ctx, one)) === JSON.stringify(subscriptionObject(ctx, other));
