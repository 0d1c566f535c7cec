import {
  acted,
  changed,
  isRunning,
  nextChargeOf,
  type SandboxSubscription,
  type SubscriptionAction,
} from "../../gateways/sandbox/subscriptions.ts";
import type { SubscriptionChange } from "../../gateways/sandbox/wire.ts";
import { ApiError, invalidField, notFound } from "../../kernel/errors.ts";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import { calendarDay, startOfDay } from "../../kernel/time.ts";
import { SANDBOX_RENEW } from "../../modules/sandbox-gateway/declarations.ts";
import {
  findSandboxSubscription,
  insertSandboxSubscription,
  lockSandboxSubscription,
  saveSandboxSubscription,
} from "../../modules/sandbox-gateway/store/subscriptions.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import { gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { subscriptionOf, subscriptionRecordOf } from "./subscription-records.ts";

/** Starts a subscription, in the transaction that completes the payment for it. */
export async function startSubscription(
  tx: Tx,
  accountId: GatewayAccountId,
  subscription: SandboxSubscription,
): Promise<void> {
  if (await insertSandboxSubscription(tx, subscriptionRecordOf(accountId, subscription))) schedule(tx, subscription);
}

/** `GET /subscriptions/{id}`; null when the merchant has none with this id. */
export async function findSubscription(
  services: Services,
  { ctx, account }: SandboxMerchant,
  id: string,
): Promise<SandboxSubscription | null> {
  const record = await services.db.read(ctx.organisation.id, (tx) => findSandboxSubscription(tx, id));
  return record?.accountId === account.id ? subscriptionOf(record) : null;
}

/**
 * `POST /subscriptions/{id}/pause`, `/resume`, `/cancel`; an action that took effect earlier changes nothing. Throws
 * 404, and 409 for a cancelled subscription, and for an account whose subscriptions can only be cancelled.
 */
export function actOnSubscription(
  services: Services,
  merchant: SandboxMerchant,
  id: string,
  action: SubscriptionAction,
): Promise<SandboxSubscription> {
  const { adapter } = gatewayOf(merchant.account);
  if (action !== "cancel" && !adapter.subscriptions?.pausing) throw onlyCancels();
  return change(services, merchant, id, (subscription) => acted(subscription, action, merchant.ctx.now));
}

/** `PATCH /subscriptions/{id}`. Throws as `actOnSubscription`, and 400 for a date that is not after today. */
export function changeSubscription(
  services: Services,
  merchant: SandboxMerchant,
  id: string,
  asked: SubscriptionChange,
): Promise<SandboxSubscription> {
  const { ctx, account } = merchant;
  if (!gatewayOf(account).adapter.subscriptions?.changing) throw onlyCancels();
  if (asked.nextDate !== undefined && asked.nextDate <= calendarDay(ctx.now))
    throw invalidField(["nextDate"], "nextDate must be after today.");
  return change(services, merchant, id, (subscription) => changed(subscription, asked, ctx.now));
}

const onlyCancels = (): ApiError =>
  new ApiError("invalid_state", 409, "Subscriptions of this account can only be cancelled.");

function change(
  services: Services,
  { ctx, account }: SandboxMerchant,
  id: string,
  move: (subscription: SandboxSubscription) => SandboxSubscription | null,
): Promise<SandboxSubscription> {
  return services.db.transaction(ctx.organisation.id, async (tx) => {
    const record = await lockSandboxSubscription(tx, id);
    if (record?.accountId !== account.id) throw notFound("subscription");
    const before = subscriptionOf(record);
    const moved = move(before);
    if (!moved) throw new ApiError("invalid_state", 409, "The subscription is cancelled.");
    if (moved === before) return before;
    saveSandboxSubscription(tx, subscriptionRecordOf(account.id, moved));
    schedule(tx, moved);
    return moved;
  });
}

/** Enqueues the next collection, or cancels it while the subscription is paused or cancelled. */
function schedule(tx: Tx, subscription: SandboxSubscription): void {
  if (isRunning(subscription)) enqueue(tx, SANDBOX_RENEW, subscription.id, startOfDay(nextChargeOf(subscription)));
  else cancelWork(tx, SANDBOX_RENEW, subscription.id);
}
