import { calendarDay } from "../../kernel/time.ts";
import { end, endUnbilled } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import { dueWhilePaused } from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import type { SubscriptionCancelBody } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { answerTo, endOfRunningPeriod } from "../../modules/customer-subscriptions/states.ts";
import {
  findCustomerSubscription,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { invoicesOfSubscription } from "../../modules/invoices/store/invoices.ts";
import { lockMigrationsOf } from "../../modules/subscription-migrations/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { cancelInvoice } from "../invoices/cancel-invoice.ts";
import { cancelExternal } from "./act-on-external.ts";
import { type Acted, lockForAction } from "./act-on-subscription.ts";
import { appendSubscriptionEvent, applyOutcome, askForDue, takeBackWork } from "./apply-outcome.ts";
import { settleCredits } from "./cancel-invoice-of-subscription.ts";
import { mailSubscriptionChange } from "./customer-subscription-mails.ts";
import { SUBSCRIPTION_CANCELLED, SUBSCRIPTION_UPDATED } from "./declarations.ts";
import { endMigration } from "./end-migration.ts";

/**
 * Cancels a subscription, now or at the end of the running period; without such a period it is cancelled now
 * (interface 3.11, 4.8). Unbilled usage is billed; payments are not refunded, and open invoices stay open. When the
 * first charge was never paid, its invoice is cancelled and nothing is billed. A migration whose card is not confirmed
 * ends with its subscription (interface 4.7). Locks the migration, then as `lockForAction`, then its page, and as
 * `cancelInvoice`. Throws 404; 409 `invalid_state`.
 */
export async function cancelSubscription(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { when, reason, sendEmail }: SubscriptionCancelBody,
): Promise<Acted> {
  const [migration] = await lockMigrationsOf(tx, [id]);
  const before = await lockForAction(tx, ctx, id);
  if (answerTo(before, "cancel") === "stays") return { before, after: before };
  const today = calendarDay(ctx.now);
  const atEnd = when === "period_end" && before.status !== "pending" && endOfRunningPeriod(before, today) !== null;
  if (atEnd && before.state.cancelAtPeriodEnd) return { before, after: before };
  if (before.collectionMethod === "external")
    return { before, after: cancelExternal(tx, ctx, before, { atEnd, reason }) };
  const after = atEnd ? await cancelAtEnd(tx, ctx, before, reason) : await cancelNow(tx, ctx, before, reason);
  if (migration && !atEnd) await endMigration(tx, migration);
  if (sendEmail) mailSubscriptionChange(tx, ctx, after, atEnd ? "ending" : "cancelled");
  return { before, after };
}

async function cancelAtEnd(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  cancelReason: string | null,
): Promise<ShownSubscription> {
  const state = { ...before.state, cancelAtPeriodEnd: true };
  const nextDue = before.status === "paused" ? dueWhilePaused(state) : before.nextDue;
  const after = { ...before, state, cancelReason, nextDue, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  takeBackWork(tx, [{ before, after }]);
  await askForDue(tx, [after]);
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_UPDATED, after, null);
  return after;
}

/** Cancels a locked subscription that is up to date at once. An earlier reason stays unless another one is given. */
export async function cancelNow(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  reason: string | null,
): Promise<ShownSubscription> {
  const today = calendarDay(ctx.now);
  const isPending = before.status === "pending";
  const outcome = isPending ? endUnbilled(before.state, today, "cancelled") : end(before.state, today, "cancelled");
  const cancelReason = reason ?? before.cancelReason;
  const { after: ended, made } = await applyOutcome(tx, ctx, { ...before, cancelReason }, outcome);
  const after = isPending ? await withoutFirstInvoices(tx, ctx, ended) : ended;
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_CANCELLED, after, made[0]?.invoice ?? null);
  return after;
}

/**
 * Cancels the invoices of a subscription that never became active, so that nobody pays them; the credits that they used
 * are restored.
 */
async function withoutFirstInvoices(tx: Tx, ctx: Ctx, ended: ShownSubscription): Promise<ShownSubscription> {
  let after = ended;
  for (const { id } of await invoicesOfSubscription(tx, ended.id, { limit: 10 }))
    after = await settleCredits(
      tx,
      ctx,
      after,
      await cancelInvoice(tx, ctx, id, "The subscription was cancelled before its first payment."),
    );
  return (await findCustomerSubscription(tx, ended.id, calendarDay(ctx.now))) ?? after;
}
