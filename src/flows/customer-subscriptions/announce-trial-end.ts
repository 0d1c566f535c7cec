import type { CustomerSubscriptionId } from "../../kernel/ids.ts";
import { calendarDay } from "../../kernel/time.ts";
import { lastDayOf } from "../../modules/customer-subscriptions/rules/planner/periods.ts";
import { awaitsTrialNotice } from "../../modules/customer-subscriptions/states.ts";
import {
  findCustomerSubscription,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { appendSubscriptionEvent } from "./apply-outcome.ts";
import { mailTrialEnding } from "./customer-subscription-mails.ts";
import { SUBSCRIPTION_TRIAL_ENDING } from "./declarations.ts";

/**
 * `customer_subscription.trial_ending`: announces that a trial ends, by an event and a mail to its payer, once for each
 * end date. Announces nothing on the end date itself, when it is too late, nor with `trialEndingDays` 0. The caller has
 * locked the subscription. Returns null.
 */
export async function announceTrialEnd(tx: Tx, ctx: Ctx, id: CustomerSubscriptionId): Promise<null> {
  const today = calendarDay(ctx.now);
  const before = await findCustomerSubscription(tx, id, today);
  const period = before?.state.period;
  if (!before || !period || !awaitsTrialNotice(before)) return null;
  const after = { ...before, trialNoticedFor: period.next };
  saveCustomerSubscription(tx, after);
  if (today >= period.next) return null;
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_TRIAL_ENDING, after, null);
  mailTrialEnding(tx, ctx, after, lastDayOf(period));
  return null;
}
