import type { SubscriptionBegun } from "../../gateways/contract.ts";
import { addDays, addSeconds, calendarDay, type Instant } from "../../kernel/time.ts";
import { SUBSCRIPTION_END } from "../../modules/gateway-subscriptions/declarations.ts";
import { isRunning, laterDate } from "../../modules/gateway-subscriptions/rules.ts";
import {
  CARD_TOKEN_COLUMN,
  HANDLE_COLUMN,
  lockGatewaySubscription,
} from "../../modules/gateway-subscriptions/store.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import { alertNotBegun } from "../mail/staff-alerts.ts";
import type { Services } from "../services.ts";
import { type SubscriptionCall, subscriptionCall } from "./gateway-of-subscription.ts";
import { saveSubscription } from "./save-subscription.ts";

/** Seconds until the gateway is asked again after an unclear answer. */
const AGAIN_SECONDS = 600;

/**
 * `subscription.begin`: starts a subscription at its gateway after its first payment
 * (decisions.md#begun-after-the-first-payment). When the gateway refuses, the subscription is cancelled and staff are
 * alerted. A subscription that has been cancelled is not started. Locks the subscription after the call. Returns when
 * to ask again, null when the answer was clear.
 */
export async function beginAtGateway(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const found = await subscriptionCall(services, ctx, id);
  if (!found || found.handle !== null) return null;
  const running = isRunning(found.subscription);
  const answer = running ? await askToBegin(services, ctx, found) : null;
  if (answer === "unclear") return addSeconds(ctx.now, AGAIN_SECONDS);
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    const before = await lockGatewaySubscription(tx, id);
    // There is nothing to cancel at the gateway.
    if (!before || answer === null) return cancelWork(tx, SUBSCRIPTION_END, id);
    if (answer.kind === "refused") {
      if (!isRunning(before)) return;
      saveSubscription(tx, ctx, before, { ...before, status: "cancelled" });
      return alertNotBegun(tx, ctx, before, answer.reason);
    }
    const { handle } = answer;
    if (handle === null || before.handleSealed !== null) return;
    const context = { organisation: ctx.organisation.id, column: HANDLE_COLUMN };
    saveSubscription(tx, ctx, before, { ...before, handleSealed: ctx.secrets.seal(handle, context) });
  });
  return null;
}

async function askToBegin(
  services: Services,
  ctx: Ctx,
  { subscription, gateway, call }: SubscriptionCall,
): Promise<SubscriptionBegun | Unclear> {
  const { linkKey: key, card, nextChargeOn } = subscription;
  const begin = gateway.adapter.subscriptions?.begin;
  if (!begin || key === null || nextChargeOn === null)
    return { kind: "refused", reason: "it cannot collect from the day that was asked for." };
  if (card === null) return { kind: "refused", reason: "the card of the first payment cannot be charged again." };
  const cardToken = ctx.secrets.open(card.tokenSealed, {
    organisation: ctx.organisation.id,
    column: CARD_TOKEN_COLUMN,
  });
  const tomorrow = addDays(calendarDay(ctx.now), 1);
  const request = { key, cardToken, nextChargeOn: laterDate(nextChargeOn, tomorrow) ?? tomorrow };
  return askGateway(services, { subscription: subscription.id, gateway: gateway.account.id }, () =>
    begin(request, call),
  );
}
