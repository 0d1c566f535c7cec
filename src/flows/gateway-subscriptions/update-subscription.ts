import type { SubscriptionOutcome } from "../../gateways/contract.ts";
import { ApiError, invalidField, notFound } from "../../kernel/errors.ts";
import type { Cents } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { isRunning } from "../../modules/gateway-subscriptions/rules.ts";
import type { SubscriptionUpdateBody } from "../../modules/gateway-subscriptions/schema.ts";
import { lockGatewaySubscription, saveGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { deactivatePaymentLink, openLinksOfSubscription } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import { gatewayOfSubscription, subscriptionCall } from "./gateway-of-subscription.ts";
import { type MailedLink, mailLink, makeSubscriptionLink } from "./mailed-link.ts";
import { saveSubscription } from "./save-subscription.ts";

/** A recorded update; `replacement` is the mailed checkout, null when the gateway changes the subscription in place. */
export interface RecordedUpdate {
  readonly subscription: GatewaySubscription;
  readonly replacement: MailedLink | null;
}

/**
 * Records a change of a subscription's amount or next date (interface 4.7, update). Where the gateway cannot change an
 * amount in place, mails the payer a checkout at the new amount, whose payment replaces the subscription. Locks the
 * subscription. Throws 404; 400 for a date that is not after today; 409 `invalid_state`, `invoice_linked`, and
 * `unsupported` for a date that the gateway cannot change.
 */
export async function recordUpdate(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { amount, nextDate }: SubscriptionUpdateBody,
): Promise<RecordedUpdate> {
  const subscription = await lockGatewaySubscription(tx, id);
  if (!subscription) throw notFound("subscription");
  if (nextDate !== null && nextDate <= calendarDay(ctx.now))
    throw invalidField(["nextDate"], "nextDate must be after today.");
  const gateway = await gatewayOfSubscription(tx, subscription);
  if (!gateway || subscription.status === "cancelled")
    throw new ApiError("invalid_state", 409, `A ${subscription.status} subscription cannot be changed.`);
  if (amount !== null && subscription.invoiceId !== null)
    throw new ApiError("invoice_linked", 409, "The subscription collects the total of its invoice, which stays.");
  const changing = gateway.adapter.subscriptions?.changing;
  if (nextDate !== null && !changing?.nextDate)
    throw new ApiError("unsupported", 409, `${gateway.adapter.name} cannot change when a subscription is collected.`);
  if (amount === null) return { subscription, replacement: null };
  if (changing?.amount) {
    saveGatewaySubscription(tx, { ...subscription, otherAmount: { amount, until: null } });
    return { subscription, replacement: null };
  }
  return { subscription, replacement: await mailReplacement(tx, ctx, subscription, amount) };
}

/** Mails the same link again while it is unpaid and the amount is the same; a link for another amount ends. */
async function mailReplacement(
  tx: Tx,
  ctx: Ctx,
  subscription: GatewaySubscription,
  amount: Cents,
): Promise<MailedLink> {
  const open = await openLinksOfSubscription(tx, subscription.id, true);
  const same = open.find((link) => link.amount === amount);
  for (const link of open) if (link !== same) deactivatePaymentLink(tx, link.id);
  return mailLink(
    tx,
    ctx,
    subscription,
    same ?? (await makeSubscriptionLink(tx, ctx, subscription, { amount, recurring: true })),
  );
}

/** Requests the change from the gateway, outside of any transaction. Requesting it again has no further effect. */
export async function askForUpdate(
  services: Services,
  ctx: Ctx,
  id: string,
  { amount, nextDate }: SubscriptionUpdateBody,
): Promise<SubscriptionOutcome | Unclear> {
  const found = await subscriptionCall(services, ctx, id);
  const changing = found?.gateway.adapter.subscriptions?.changing;
  const handle = found?.handle ?? null;
  if (!found || !changing || handle === null)
    return { kind: "refused", reason: "it has not said yet how to act on this subscription." };
  const change = { ...(amount === null ? {} : { amount }), ...(nextDate === null ? {} : { nextDate }) };
  return askGateway(services, { subscription: id, gateway: found.gateway.account.id }, () =>
    changing.change(handle, change, found.call),
  );
}

/**
 * Applies the gateway's answer. Locks the subscription. Returns 502 `gateway_error` when the gateway refused, or gave
 * no clear answer.
 */
export async function settleUpdate(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { amount, nextDate }: SubscriptionUpdateBody,
  answer: SubscriptionOutcome | Unclear,
): Promise<GatewaySubscription | ApiError> {
  const before = await lockGatewaySubscription(tx, id);
  if (!before) throw notFound("subscription");
  if (answer === "unclear")
    return new ApiError("gateway_error", 502, "The gateway gave no clear answer to the change. Send it again.");
  if (answer.kind === "refused") {
    if (amount !== null) saveGatewaySubscription(tx, { ...before, otherAmount: null });
    return new ApiError("gateway_error", 502, `Nothing was changed, since the gateway refused: ${answer.reason}`);
  }
  const nextChargeOn = isRunning(before)
    ? (answer.nextChargeOn ?? nextDate ?? before.nextChargeOn)
    : (nextDate ?? before.nextChargeOn);
  // The gateway's own report may have been first.
  const isNew = amount !== null && amount !== before.amount;
  const changed = isNew ? { amount, otherAmount: { amount: before.amount, until: ctx.now } } : {};
  return saveSubscription(tx, ctx, before, { ...before, ...changed, nextChargeOn });
}
