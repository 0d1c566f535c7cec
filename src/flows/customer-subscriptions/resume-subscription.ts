import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { resume } from "../../modules/customer-subscriptions/rules/planner/move-and-resume.ts";
import { lastPeriodEnd } from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import type { Outcome } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { answerTo, endedWithTrial, withStatus } from "../../modules/customer-subscriptions/states.ts";
import { heldBillsOf } from "../../modules/customer-subscriptions/store/held-bills.ts";
import { findCustomerSubscription, firstPastDue } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Tx } from "../../platform/database.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { requireActiveAgain } from "../customers/identified-customer.ts";
import { type Acted, lockForAction, requireCollected } from "./act-on-subscription.ts";
import type { SubscriptionEvent } from "./apply-outcome.ts";
import { billAnswered } from "./bill-subscription.ts";
import { mailSubscriptionChange } from "./customer-subscription-mails.ts";
import { SUBSCRIPTION_RESUMED } from "./declarations.ts";

/** What else resumes with a subscription, in the same transaction. The caller has locked the subscription. */
export const SUBSCRIPTION_RESUMES = new ExtensionPoint<
  (tx: Tx, ctx: Ctx, subscription: ShownSubscription) => Promise<void>
>();

/**
 * Continues a paused subscription: before its period's end nothing is billed but a change `now` that was made during
 * the pause; after it a new period begins today (interface 16.17). A paused mandate that collects it is resumed too
 * (interface 3.5). Locks as `lockForAction`, and the mandate. Throws 404; 409 `external_subscription`, `invalid_state`.
 */
export async function resumeSubscription(tx: Tx, ctx: Ctx, id: string): Promise<Acted> {
  const before = await lockForAction(tx, ctx, id);
  requireCollected(before);
  if (answerTo(before, "resume") === "stays") return { before, after: before };
  await requireActiveAgain(tx, before.customer);
  for (const react of SUBSCRIPTION_RESUMES.of(ctx)) await react(tx, ctx, before);
  const after = await continueBilling(
    tx,
    ctx,
    before,
    resume(before.state, calendarDay(ctx.now), newId("csd"), await heldBillsOf(tx, before)),
    SUBSCRIPTION_RESUMED,
  );
  mailSubscriptionChange(tx, ctx, after, "resumed");
  return { before, after };
}

/** When the subscription was paused or ended; what became due later was not announced. */
const stoppedAt = ({ pausedAt, cancelledAt, state, updatedAt }: ShownSubscription): Instant => {
  const end = lastPeriodEnd(state);
  return pausedAt ?? cancelledAt ?? (end === null ? updatedAt : startOfDay(end));
};

/**
 * Stores the planner's outcome for a subscription that is billed again from now on, and appends its events. The
 * subscription may be past due at once. Locks as `makeBills`.
 */
export async function continueBilling(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  outcome: Outcome,
  event: SubscriptionEvent,
): Promise<ShownSubscription> {
  const cancelReason = outcome.after.cancelAtPeriodEnd ? before.cancelReason : null;
  const stopped = before.status === "paused" || hasEnded(before);
  const late = stopped ? await firstPastDue(tx, before, calendarDay(ctx.now)) : null;
  const isPastDue = stopped ? late !== null : before.isPastDue;
  const active = { ...withStatus(before, "active", ctx.now), cancelReason, isPastDue };
  const pastDueBy = late && late.since > stoppedAt(before) ? await findInvoice(tx, late.invoiceId) : null;
  const trialTold = endedWithTrial(before);
  const [billed] = await billAnswered(tx, ctx, [{ before: active, outcome, event, pastDueBy, trialTold }]);
  const after = await findCustomerSubscription(tx, before.id, calendarDay(ctx.now));
  return after ?? billed?.after ?? before;
}
