import { calendarDay, startOfDay } from "../../kernel/time.ts";
import { withStatus } from "../../modules/customer-subscriptions/states.ts";
import { saveCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { EXTERNAL_SUBSCRIPTION_END } from "../../modules/external-periods/declarations.ts";
import { findExternalPeriod } from "../../modules/external-periods/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

/*
 * Actions on a subscription in mirror mode (interface 4.8): they are recorded, and nothing is billed, mailed or sent as
 * an event. The caller has locked the subscription.
 */

/** The cancelled subscription. */
export const cancelledExternal = (ctx: Ctx, of: ShownSubscription, cancelReason: string | null): ShownSubscription => ({
  ...withStatus(of, "cancelled", ctx.now),
  state: { ...of.state, cancelAtPeriodEnd: false },
  cancelReason,
  nextDue: null,
  updatedAt: ctx.now,
});

/** Cancels the subscription, now or at the end of its recorded period. */
export function cancelExternal(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  { atEnd, reason }: { readonly atEnd: boolean; readonly reason: string | null },
): ShownSubscription {
  const { period } = before.state;
  if (!atEnd || period === null) {
    const cancelled = cancelledExternal(ctx, before, reason ?? before.cancelReason);
    saveCustomerSubscription(tx, cancelled);
    cancelWork(tx, EXTERNAL_SUBSCRIPTION_END, before.id);
    return cancelled;
  }
  const state = { ...before.state, cancelAtPeriodEnd: true };
  const after = { ...before, state, cancelReason: reason, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  enqueue(tx, EXTERNAL_SUBSCRIPTION_END, before.id, startOfDay(period.next));
  return after;
}

/** Continues the subscription in its recorded period, which does not change, or undoes a scheduled cancellation. */
export async function reactivateExternal(tx: Tx, ctx: Ctx, before: ShownSubscription): Promise<ShownSubscription> {
  const { period } = before.state;
  const recorded = period && (await findExternalPeriod(tx, before.id, period.start));
  const inTrial = recorded?.status === "trialing" && recorded.next > calendarDay(ctx.now);
  const status =
    before.status === "cancelled" || before.status === "expired" ? (inTrial ? "trialing" : "active") : before.status;
  const after = {
    ...withStatus(before, status, ctx.now),
    state: { ...before.state, cancelAtPeriodEnd: false },
    cancelReason: null,
    nextDue: period?.next ?? null,
    updatedAt: ctx.now,
  };
  saveCustomerSubscription(tx, after);
  cancelWork(tx, EXTERNAL_SUBSCRIPTION_END, before.id);
  return after;
}
