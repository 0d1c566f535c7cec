import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { assert } from "../../kernel/assert.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { CustomerSubscriptionId } from "../../kernel/ids.ts";
import { calendarDay, startOfDay } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { withReportedPeriod } from "../../modules/customer-subscriptions/rules/planner/external.ts";
import type { Terms } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import {
  findCustomerSubscription,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { EXTERNAL_SUBSCRIPTION_END } from "../../modules/external-periods/declarations.ts";
import { synced } from "../../modules/external-periods/rules/sync.ts";
import type { SyncPeriodBody } from "../../modules/external-periods/schema.ts";
import { findExternalPeriod, saveExternalPeriod } from "../../modules/external-periods/store.ts";
import type { ReportedStatus } from "../../modules/external-periods/types.ts";
import { findPackage, findPlan } from "../../modules/packages/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { isLockTimeout } from "../../platform/faults.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { cancelledExternal } from "./act-on-external.ts";
import { lockForAction, requireNotEnded } from "./act-on-subscription.ts";
import { comparisonOf } from "./comparison-bill.ts";
import { requireNear } from "./record-external.ts";
import { subscriptionObject } from "./subscription-object.ts";

/** Throws 409 `not_external` for a subscription that the service bills itself. */
export function requireExternal({ collectionMethod }: Pick<ShownSubscription, "collectionMethod">): void {
  if (collectionMethod !== "external")
    throw new ApiError("not_external", 409, "The service bills this subscription itself, so no periods are recorded.");
}

/**
 * Like `syncPeriod`, in its own transaction with its entry in the audit log. Throws 409 `concurrent_update` when other
 * changes of the subscription take too long.
 */
export async function syncPeriodOnce(
  { db }: Pick<Services, "db">,
  ctx: Ctx,
  id: string,
  body: SyncPeriodBody,
): Promise<{ after: ShownSubscription }> {
  try {
    return await db.transaction(ctx.organisation.id, async (tx) => {
      const { before, after } = await syncPeriod(tx, ctx, id, body);
      const [shownBefore, shownAfter] = [before, after].map((one) => subscriptionObject(ctx, one));
      const action = "POST /customer-subscriptions/{id}/sync-period";
      recordAudit(tx, { ...ctx, action, subject: after.id, before: shownBefore, after: shownAfter });
      return { after };
    });
  } catch (error) {
    if (!isLockTimeout(error, "customer_subscriptions")) throw error;
    throw new ApiError(
      "concurrent_update",
      409,
      "The subscription is being changed by others. Nothing was recorded; send the period again.",
    );
  }
}

/**
 * Records the period that another platform reports (interface 4.8, sync-period): nothing is billed or mailed, and no
 * event is sent. Locks the subscription. Throws 404; 409 `not_external`, `invalid_state` when it has ended,
 * `stale_period`; 400 for invalid dates.
 */
export async function syncPeriod(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: SyncPeriodBody,
): Promise<{ before: ShownSubscription; after: ShownSubscription }> {
  const today = calendarDay(ctx.now);
  const { currentPeriodStart: start, currentPeriodEnd: next, status: reported, billedAmount } = body;
  requireNear("currentPeriodStart", start, today);
  requireNear("currentPeriodEnd", next, today);
  const before = await lockForAction(tx, ctx, id);
  requireExternal(before);
  requireNotEnded(before);
  const { period } = before.state;
  assert(period, "an external subscription has a period");
  const present = { ...period, status: before.status as ReportedStatus };
  const { changes, isRenewal, status } = synced(present, { start, next, status: reported }, today);
  const known = await findExternalPeriod(tx, before.id, start);
  const billed = billedAmount ?? known?.billed ?? null;
  if (!changes && billed === (known?.billed ?? null)) return { before, after: before };
  const span = { start, next, isTrial: status === "trialing" };
  const state = changes ? withReportedPeriod(before.state, span, isRenewal) : before.state;
  const plan = await planOf(tx, before, state.terms);
  const after: ShownSubscription = { ...before, plan, status, state, nextDue: next, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  const isSame = known?.next === next && (known.status === "trialing") === span.isTrial;
  saveExternalPeriod(tx, {
    id: known?.id ?? newId("rper"),
    subscriptionId: before.id,
    status,
    start,
    next,
    cycle: state.cyclesBilled,
    billed,
    comparison: known && isSame ? known.comparison : comparisonOf(state.terms, span),
    createdAt: known?.createdAt ?? ctx.now,
    updatedAt: ctx.now,
  });
  if (state.cancelAtPeriodEnd) enqueue(tx, EXTERNAL_SUBSCRIPTION_END, before.id, startOfDay(next));
  return { before, after };
}

/** The plan of the subscription's terms, which may come from a pending change. */
async function planOf(
  tx: Tx,
  { plan }: ShownSubscription,
  { price: { planId } }: Terms,
): Promise<ShownSubscription["plan"]> {
  if (planId === plan.id) return plan;
  const found = await findPlan(tx, planId);
  const parent = found && (await findPackage(tx, found.packageId));
  assert(found && parent, "a plan that is used stays");
  return { id: found.id, name: found.name, packageId: parent.id, packageName: parent.name };
}

/**
 * `external_subscription.end`: ends a subscription whose cancellation was requested for the end of its period, without
 * an event or a mail (interface 4.8, `cancelAtPeriodEnd`). Returns null: a later period enqueues its own end.
 */
export async function endExternal(tx: Tx, ctx: Ctx, id: CustomerSubscriptionId): Promise<null> {
  const before = await findCustomerSubscription(tx, id, calendarDay(ctx.now));
  const { period, cancelAtPeriodEnd } = before?.state ?? {};
  if (!before || !period || !cancelAtPeriodEnd || hasEnded(before) || period.next > calendarDay(ctx.now)) return null;
  saveCustomerSubscription(tx, cancelledExternal(ctx, before, before.cancelReason));
  return null;
}
