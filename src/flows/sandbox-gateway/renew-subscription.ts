import {
  isRunning,
  nextChargeOf,
  renewalOf,
  renewedBy,
  type SandboxSubscription,
} from "../../gateways/sandbox/subscriptions.ts";
import { type CalendarDay, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { decideSandboxPayment, insertRenewal } from "../../modules/sandbox-gateway/store/payments.ts";
import { lockSandboxSubscription, saveSandboxSubscription } from "../../modules/sandbox-gateway/store/subscriptions.ts";
import type { SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { reportDispute } from "./disputes.ts";
import { merchantOfGatewayAccount } from "./merchant.ts";
import { asScripted, stepFor } from "./outcomes.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { reportSettled } from "./report.ts";
import { subscriptionOf, subscriptionRecordOf } from "./subscription-records.ts";

/**
 * Collects a subscription on its next date, and notifies the merchant. Returns the time of the next collection, null
 * while the subscription is paused or cancelled. Dates that passed while no worker ran are collected one by one, the
 * oldest first. The next date is stored only after the notification was acknowledged: a repeat finds the payment of
 * that date and only reports it. Throws when the notification was not acknowledged. Locks the subscription.
 */
export async function renewSubscription(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const due = await services.db.transaction(organisation.id, (tx) => collect(tx, now, id));
  if (!due) return null;
  if (!due.renewal) return startOfDay(due.on);
  const merchant = await merchantOfGatewayAccount(services, ctx, due.renewal.accountId);
  if (!merchant) return null;
  const renewal = paymentOf(due.renewal);
  if (renewal.status !== "pending") await reportSettled(services, merchant, renewal);
  if (renewal.isDisputed && renewal.status === "complete") await reportDispute(services, merchant, renewal);
  const next = await services.db.transaction(organisation.id, async (tx) => {
    const subscription = await lockRunning(tx, id);
    // It may have been paused or changed in between.
    if (!subscription || nextChargeOf(subscription) !== due.on) return subscription;
    const renewed = renewedBy(subscription, renewal, now);
    saveSandboxSubscription(tx, subscriptionRecordOf(merchant.account.id, renewed));
    return renewed;
  });
  return next && startOfDay(nextChargeOf(next));
}

async function lockRunning(tx: Tx, id: string): Promise<SandboxSubscription | null> {
  const record = await lockSandboxSubscription(tx, id);
  const subscription = record && subscriptionOf(record);
  return subscription && isRunning(subscription) ? subscription : null;
}

/** The next date, and its renewal when it is due; null when the subscription is paused or cancelled. */
async function collect(
  tx: Tx,
  now: Instant,
  id: string,
): Promise<{ on: CalendarDay; renewal: SandboxPaymentRecord | null } | null> {
  const record = await lockSandboxSubscription(tx, id);
  const subscription = record && subscriptionOf(record);
  if (!subscription || !isRunning(subscription)) return null;
  const on = nextChargeOf(subscription);
  if (on > calendarDay(now)) return { on, renewal: null };
  const made = renewalOf(subscription, now);
  const known = await insertRenewal(tx, recordOf(record.accountId, made), { subscriptionId: id, dueOn: on });
  if (known.id !== made.id) return { on, renewal: known };
  const step = await stepFor(tx, { kinds: ["renewal"], reference: made.reference, now });
  if (!step) return { on, renewal: known };
  const renewal = recordOf(record.accountId, asScripted(made, { ...step, delayDays: 0 }, now));
  await decideSandboxPayment(tx, renewal, [made.status]);
  return { on, renewal };
}
