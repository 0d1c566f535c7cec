import type { SubscriptionFact } from "../../gateways/facts.ts";
import { addDays, addSeconds, type CalendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { dateAfter, isRunning } from "../../modules/gateway-subscriptions/rules.ts";
import { lockGatewaySubscription, lockSubscriptionKey } from "../../modules/gateway-subscriptions/store.ts";
import type { Ctx } from "../context.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import { alertMissingRenewal, alertNotCancelled } from "../mail/staff-alerts.ts";
import type { Services } from "../services.ts";
import { askForAction } from "./act-on-subscription.ts";
import { applySubscriptionFact } from "./apply-subscription-fact.ts";
import { type SubscriptionCall, subscriptionCall } from "./gateway-of-subscription.ts";
import { saveSubscription } from "./save-subscription.ts";

/** Seconds until the gateway is asked again after an unclear answer. */
const ASK_AGAIN_SECONDS = 3600;

/** Asks the gateway for the state of a subscription; null when the gateway does not know it. */
async function askAbout(
  services: Services,
  { subscription, gateway, call, handle }: SubscriptionCall,
): Promise<SubscriptionFact | Unclear | null> {
  const { subscriptions } = gateway.adapter;
  const key = subscription.linkKey;
  if (!subscriptions || key === null) return null;
  const about = { subscription: subscription.id, gateway: gateway.account.id };
  return askGateway(services, about, () => subscriptions.query({ key, handle }, call));
}

/**
 * `subscription.check`: asks the gateway for the state of a subscription, after an action without a clear answer, and
 * applies it. Returns when to ask again, null when the answer was clear.
 */
export async function checkSubscription(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const found = await subscriptionCall(services, ctx, id);
  if (!found) return null;
  const answer = await askAbout(services, found);
  if (answer === "unclear") return addSeconds(ctx.now, ASK_AGAIN_SECONDS);
  if (answer === null) return null;
  const reportedBy = { accountId: found.gateway.account.id, source: "query" } as const;
  await services.db.transaction(ctx.organisation.id, (tx) => applySubscriptionFact(tx, ctx, reportedBy, answer));
  return null;
}

/**
 * `subscription.expect`, a day after the date on which the gateway was to collect: when no collection was reported
 * since, asks the gateway for the state of the subscription and, unless it has stopped, alerts staff, once for each
 * date. Returns when the next collection counts as missing; null while none is expected.
 */
export async function lookForRenewal(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const found = await subscriptionCall(services, ctx, id);
  const date = found?.subscription.nextChargeOn ?? null;
  if (!found || date === null || !isRunning(found.subscription)) return null;
  if (missingFrom(date) > ctx.now) return missingFrom(date);
  const answer = await askAbout(services, found);
  if (answer === "unclear") return addSeconds(ctx.now, ASK_AGAIN_SECONDS);
  return services.db.transaction(ctx.organisation.id, async (tx) => {
    const reportedBy = { accountId: found.gateway.account.id, source: "query" } as const;
    // In the order in which the flow that applies a report locks them.
    lockSubscriptionKey(tx, reportedBy.accountId, found.subscription.linkKey ?? id);
    const before = await lockGatewaySubscription(tx, id);
    if (!before || !isRunning(before)) return null;
    // A collection was reported while the gateway was asked.
    if (before.nextChargeOn !== date) return before.nextChargeOn && missingFrom(before.nextChargeOn);
    if (answer) await applySubscriptionFact(tx, ctx, reportedBy, answer);
    const after = await lockGatewaySubscription(tx, id);
    if (!after || !isRunning(after)) return null;
    await alertMissingRenewal(tx, ctx, after, date);
    const next = dateAfter(after, date, answer?.subscription.nextChargeOn ?? null);
    saveSubscription(tx, ctx, after, { ...after, nextChargeOn: next });
    return missingFrom(next);
  });
}

/** When a collection of that date counts as missing. */
const missingFrom = (date: CalendarDay): Instant => startOfDay(addDays(date, 1));

/**
 * `subscription.end`: cancels at its gateway a subscription that is cancelled here because another one has replaced it.
 * Alerts staff when the gateway refuses. Returns when to ask again, also while the gateway has not reported the handle;
 * null when it has cancelled or refused.
 */
export async function endSubscription(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const found = await subscriptionCall(services, ctx, id);
  const answer = found?.handle === null ? "unclear" : await askForAction(services, ctx, id, "cancel");
  if (answer === "unclear") return addSeconds(ctx.now, ASK_AGAIN_SECONDS);
  if (answer.kind === "refused" && found) {
    const { subscription } = found;
    const refused = { name: subscription.firstReference ?? id, reason: answer.reason };
    await services.db.transaction(ctx.organisation.id, (tx) => alertNotCancelled(tx, ctx, subscription, refused));
  }
  return null;
}
