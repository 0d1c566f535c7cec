import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { ApiError, invalidField, notFound } from "../../kernel/errors.ts";
import { addDays, type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { changesNothing, withoutBills } from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import type { Subscription } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { CustomerSubscription, ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { appendSubscriptionEvent } from "./apply-outcome.ts";
import { bringUpToDate } from "./bill-subscription.ts";
import { SUBSCRIPTION_UPDATED } from "./declarations.ts";
import { firstChargePaid } from "./first-charge.ts";

/**
 * Locks a subscription before an action changes it, and first does everything that is due: it becomes active when its
 * first charge is paid, and it is billed. Locks as `makeBills`. Throws 404.
 */
export async function lockForAction(tx: Tx, ctx: Ctx, id: string): Promise<ShownSubscription> {
  const locked = await lockCustomerSubscription(tx, id);
  const found = locked && (await findCustomerSubscription(tx, id, calendarDay(ctx.now)));
  return bringUpToDate(tx, ctx, await firstChargePaid(tx, ctx, requireSubscription(found)));
}

/** Throws 404 for a subscription that does not exist. */
export function requireSubscription<Of extends CustomerSubscription>(found: Of | null): Of {
  if (!found) throw notFound("customer subscription");
  return found;
}

/** The subscription before and after an action; the same when the action took effect earlier. */
export interface Acted {
  readonly before: ShownSubscription;
  readonly after: ShownSubscription;
}

/** Ten years: a later date is a mistake. */
const DAYS_AHEAD = 3660;

/** Throws 400 when a day is before the earliest allowed, or later than a subscription may be billed. */
export function checkBillingDay(field: string, day: CalendarDay, earliest: CalendarDay, today: CalendarDay): void {
  const latest = addDays(today, DAYS_AHEAD);
  if (day < earliest) throw invalidField([field], `must not be before ${earliest}`);
  if (day > latest) throw invalidField([field], `must be at most ten years ahead: ${latest}`);
}

/**
 * Throws 409 `external_subscription` for a subscription in mirror mode, which the service never bills (interface 4.8).
 */
export function requireCollected({ collectionMethod }: Pick<CustomerSubscription, "collectionMethod">): void {
  if (collectionMethod === "external")
    throw new ApiError(
      "external_subscription",
      409,
      "Another platform bills this subscription. Make the change there, and report its periods with sync-period.",
    );
}

/** Throws 409 `invalid_state` for a subscription that is cancelled or expired. */
export function requireNotEnded(of: Pick<CustomerSubscription, "status">): void {
  if (hasEnded(of)) throw new ApiError("invalid_state", 409, `The subscription is ${of.status}. Reactivate it first.`);
}

/**
 * Stores another state of a locked subscription, and appends `subscription.updated`; does neither when the state is the
 * same.
 */
export function updated(tx: Tx, ctx: Ctx, before: ShownSubscription, state: Subscription): ShownSubscription {
  if (changesNothing(before.state, withoutBills(state))) return before;
  const after = { ...before, state, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_UPDATED, after, null);
  return after;
}
