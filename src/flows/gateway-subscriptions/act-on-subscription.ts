import type { SubscriptionAbility, SubscriptionOutcome } from "../../gateways/contract.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { addSeconds } from "../../kernel/time.ts";
import { SUBSCRIPTION_CHECK } from "../../modules/gateway-subscriptions/declarations.ts";
import { afterAction, isRunning } from "../../modules/gateway-subscriptions/rules.ts";
import { moveSubscription, type SubscriptionAction } from "../../modules/gateway-subscriptions/states.ts";
import { lockGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { deactivatePaymentLink, openLinksOfSubscription } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import { gatewayOfSubscription, subscriptionCall } from "./gateway-of-subscription.ts";
import { saveSubscription } from "./save-subscription.ts";

/** Seconds after which due work asks the gateway for the outcome of an action, unless it has answered by then. */
const CHECK_AFTER_SECONDS = 60;

const DONE = { pause: "paused", resume: "resumed", cancel: "cancelled" } as const;

/** The subscription before an action; `done` when the action took effect earlier. */
export interface AskedAction {
  readonly subscription: GatewaySubscription;
  readonly done: boolean;
}

/**
 * Records that a subscription is to be paused, resumed or cancelled at its gateway (interface 3.12). Locks it. Throws
 * 404; 409 `unsupported` when the gateway cannot do this, `invalid_state` when the status does not allow it.
 */
export async function recordAction(tx: Tx, ctx: Ctx, id: string, action: SubscriptionAction): Promise<AskedAction> {
  const subscription = await lockGatewaySubscription(tx, id);
  if (!subscription) throw notFound("subscription");
  const gateway = await gatewayOfSubscription(tx, subscription);
  const to = moveSubscription(subscription.status, action);
  if (gateway && action !== "cancel" && !gateway.adapter.subscriptions?.pausing)
    throw new ApiError("unsupported", 409, `${gateway.adapter.name} can only cancel subscriptions.`);
  if (to === null)
    throw new ApiError("invalid_state", 409, `A ${subscription.status} subscription cannot be ${DONE[action]}.`);
  const done = to === subscription.status;
  if (!done) enqueue(tx, SUBSCRIPTION_CHECK, id, addSeconds(ctx.now, CHECK_AFTER_SECONDS));
  return { subscription, done };
}

/** Requests the action from the gateway, outside of any transaction. Requesting it again has no further effect. */
export async function askForAction(
  services: Services,
  ctx: Ctx,
  id: string,
  action: SubscriptionAction,
): Promise<SubscriptionOutcome | Unclear> {
  const found = await subscriptionCall(services, ctx, id);
  const ask = found?.gateway.adapter.subscriptions && abilityOf(found.gateway.adapter.subscriptions, action);
  if (!found || !ask) return { kind: "refused", reason: "it does not run this subscription." };
  const { handle, call, gateway } = found;
  if (handle === null) return { kind: "refused", reason: "it has not said yet how to act on this subscription." };
  return askGateway(services, { subscription: id, gateway: gateway.account.id }, () => ask(handle, call));
}

/**
 * Ends mailed checkouts: a payer who opened one later would restart the subscription that the merchant has cancelled.
 */
async function endReplacementLinks(tx: Tx, id: GatewaySubscription["id"]): Promise<void> {
  for (const link of await openLinksOfSubscription(tx, id, true)) deactivatePaymentLink(tx, link.id);
}

const abilityOf = ({ cancel, pausing }: SubscriptionAbility, action: SubscriptionAction) =>
  action === "cancel" ? cancel : pausing?.[action];

/**
 * Applies the gateway's answer. Locks the subscription. Returns 502 `gateway_error` when the gateway refused, or when
 * its answer was unclear: due work then asks for the subscription's state.
 */
export async function settleAction(
  tx: Tx,
  ctx: Ctx,
  id: string,
  action: SubscriptionAction,
  answer: SubscriptionOutcome | Unclear,
): Promise<GatewaySubscription | ApiError> {
  const before = await lockGatewaySubscription(tx, id);
  if (!before) throw notFound("subscription");
  if (answer === "unclear")
    return new ApiError(
      "gateway_error",
      502,
      `The gateway gave no clear answer whether the subscription was ${DONE[action]}. It is asked again shortly.`,
    );
  cancelWork(tx, SUBSCRIPTION_CHECK, id);
  if (answer.kind === "refused")
    return new ApiError(
      "gateway_error",
      502,
      `The subscription was not ${DONE[action]}, since the gateway refused: ${answer.reason}`,
    );
  if (action === "cancel") await endReplacementLinks(tx, before.id);
  const to = moveSubscription(before.status, action);
  // Another request, or the gateway's own report, was first.
  if (to === null || to === before.status) return before;
  const after = afterAction(before, action, ctx.now);
  const nextChargeOn = isRunning(after) ? (answer.nextChargeOn ?? after.nextChargeOn) : after.nextChargeOn;
  return saveSubscription(tx, ctx, before, { ...after, nextChargeOn });
}
