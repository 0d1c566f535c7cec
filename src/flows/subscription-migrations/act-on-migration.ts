import type { SubscriptionOutcome } from "../../gateways/contract.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { addSeconds, type Instant } from "../../kernel/time.ts";
import { asOf } from "../../modules/card-setups/states.ts";
import { lockCardSetup } from "../../modules/card-setups/store.ts";
import { findCard } from "../../modules/cards/store.ts";
import { findSubscriptionAlone } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { lockGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import { MIGRATION_CANCEL_LEGACY } from "../../modules/subscription-migrations/declarations.ts";
import { type MigrationAction, moveMigration } from "../../modules/subscription-migrations/states.ts";
import { findMigration, lockMigration, saveMigration } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { lockForAction } from "../customer-subscriptions/act-on-subscription.ts";
import { cancelNow } from "../customer-subscriptions/cancel-subscription.ts";
import { endMigration } from "../customer-subscriptions/end-migration.ts";
import { requireActiveAgain } from "../customers/identified-customer.ts";
import {
  gatewayOfSubscription,
  type SubscriptionCall,
  subscriptionCall,
} from "../gateway-subscriptions/gateway-of-subscription.ts";
import { saveSubscription } from "../gateway-subscriptions/save-subscription.ts";
import { mailMigrationLink } from "../gateway-subscriptions/subscription-mail.ts";
import { gatewayCallOf } from "../gateways/accounts.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import { setupFor } from "../gateways/card-gateways.ts";
import { alertNotCancelled } from "../mail/staff-alerts.ts";
import type { Services } from "../services.ts";
import { openConfirmation } from "./start-migrations.ts";

const ASK_AGAIN_SECONDS = 3600;

/** Locks a migration for an action. Throws 404; 409 `invalid_state` when its status does not allow it. */
async function lockedFor(
  tx: Tx,
  id: string,
  action: MigrationAction,
): Promise<{ readonly migration: SubscriptionMigration; readonly status: SubscriptionMigration["status"] }> {
  const migration = await lockMigration(tx, id);
  if (!migration) throw notFound("migration");
  const status = moveMigration(migration.status, action);
  if (!status)
    throw new ApiError(
      "invalid_state",
      409,
      `The migration is ${migration.status.replace("_", " ")}, so this is too late or too early.`,
    );
  return { migration, status };
}

/** Mails the link again, to a new page when the old one has expired (interface 4.7). Throws 404, 409. */
export async function sendMigrationLink(tx: Tx, ctx: Ctx, id: string): Promise<SubscriptionMigration> {
  const { migration } = await lockedFor(tx, id, "send_link");
  const setup = await lockCardSetup(tx, migration.cardSetupId);
  const open = setup && asOf(setup, ctx.now).status === "pending";
  if (!open) await requireActiveAgain(tx, { id: migration.customerId });
  const page = open ? setup : await openConfirmation(tx, ctx, migration.customerId, setupFor(migration));
  const after = { ...migration, cardSetupId: page.id };
  saveMigration(tx, after);
  mailMigrationLink(tx, ctx, after);
  return after;
}

/** Records that the instruction at the other service is cancelled; repeating this changes nothing. Throws 404, 409. */
export async function markLegacyCancelled(tx: Tx, id: string): Promise<SubscriptionMigration> {
  const { migration, status } = await lockedFor(tx, id, "cancel_legacy");
  const after = { ...migration, status };
  saveMigration(tx, after);
  cancelWork(tx, MIGRATION_CANCEL_LEGACY, id);
  return after;
}

/**
 * Cancels a migration whose card is not confirmed, with its subscription and page; repeating this changes nothing.
 * Throws 404, 409.
 */
export async function cancelMigration(tx: Tx, ctx: Ctx, id: string): Promise<SubscriptionMigration> {
  const { migration, status } = await lockedFor(tx, id, "cancel");
  if (migration.status === status) return migration;
  await cancelSubscriptionOf(tx, ctx, migration.subscription);
  return endMigration(tx, migration);
}

/** Cancels the subscription of a locked migration, which waits for its card. Locks the subscription. */
async function cancelSubscriptionOf(tx: Tx, ctx: Ctx, { runs, id }: SubscriptionMigration["subscription"]) {
  if (runs === "at_gateway") {
    const waiting = await lockGatewaySubscription(tx, id);
    if (waiting) saveSubscription(tx, ctx, waiting, { ...waiting, status: "cancelled" });
    return;
  }
  const waiting = await lockForAction(tx, ctx, id);
  await cancelNow(tx, ctx, waiting, "The migration was cancelled.");
}

/** Records that the instruction at the other service is to be cancelled; `done` when it already is. Throws 404, 409. */
export async function recordLegacyCancel(
  tx: Tx,
  ctx: Ctx,
  id: string,
): Promise<{ readonly migration: SubscriptionMigration; readonly done: boolean }> {
  const { migration, status } = await lockedFor(tx, id, "cancel_legacy");
  const done = migration.status === status;
  if (!done) enqueue(tx, MIGRATION_CANCEL_LEGACY, id, addSeconds(ctx.now, ASK_AGAIN_SECONDS));
  return { migration, done };
}

/**
 * Asks the gateway that runs the subscription, or has its card, to cancel the instruction of the legacy reference. When
 * the gateway has none with that name, and so collects nothing by it, this is done too.
 */
export async function askForLegacyCancel(
  services: Services,
  ctx: Ctx,
  id: string,
): Promise<SubscriptionOutcome | Unclear> {
  const migration = await services.db.read(ctx.organisation.id, (tx) => findMigration(tx, id));
  const found = migration && (await callOf(services, ctx, migration.subscription));
  const subscriptions = found?.gateway.adapter.subscriptions;
  if (!migration || !found || !subscriptions) return { kind: "refused", reason: "It runs no subscriptions by itself." };
  const { legacyReference } = migration;
  return askGateway(services, { migration: id, gateway: found.gateway.account.id }, async () => {
    const outcome = await subscriptions.cancel(legacyReference, found.call);
    if (outcome.kind === "done") return outcome;
    const known = await subscriptions.query({ key: legacyReference, handle: legacyReference }, found.call);
    return known && known.kind !== "cancelled" ? outcome : { kind: "done", nextChargeOn: null };
  });
}

/** The call to the gateway that runs the subscription, or has its card; null when it has not begun. */
function callOf(
  services: Services,
  ctx: Ctx,
  { runs, id }: SubscriptionMigration["subscription"],
): Promise<Pick<SubscriptionCall, "gateway" | "call"> | null> {
  if (runs === "at_gateway") return subscriptionCall(services, ctx, id);
  return services.db.read(ctx.organisation.id, async (tx) => {
    const subscription = await findSubscriptionAlone(tx, id);
    const card = subscription?.card ? await findCard(tx, subscription.card.id) : null;
    const gateway = card && (await gatewayOfSubscription(tx, card));
    return gateway && { gateway, call: gatewayCallOf(services, ctx.organisation, gateway.account, ctx.now) };
  });
}

/**
 * Applies the gateway's answer. Returns 502 `gateway_error` for a refusal, of which staff are alerted, and for an
 * unclear answer: due work asks again.
 */
export async function settleLegacyCancel(
  tx: Tx,
  ctx: Ctx,
  id: string,
  answer: SubscriptionOutcome | Unclear,
): Promise<SubscriptionMigration | ApiError> {
  if (answer === "unclear")
    return new ApiError("gateway_error", 502, "The gateway gave no clear answer. It is asked again within the hour.");
  if (answer.kind === "done") return markLegacyCancelled(tx, id);
  const migration = await findMigration(tx, id);
  if (!migration) throw notFound("migration");
  const { legacyReference: name, subscription } = migration;
  await alertNotCancelled(tx, ctx, subscription, { name, reason: answer.reason });
  cancelWork(tx, MIGRATION_CANCEL_LEGACY, id);
  return new ApiError("gateway_error", 502, `It was not cancelled, since the gateway refused: ${answer.reason}`);
}

/** `subscription_migration.cancel_legacy`. Returns when to ask again; null when the answer was clear. */
export async function cancelLegacy(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const migration = await services.db.read(ctx.organisation.id, (tx) => findMigration(tx, id));
  if (migration?.status !== "authorised") return null;
  const answer = await askForLegacyCancel(services, ctx, id);
  if (answer === "unclear") return addSeconds(ctx.now, ASK_AGAIN_SECONDS);
  await services.db.transaction(ctx.organisation.id, (tx) => settleLegacyCancel(tx, ctx, id, answer));
  return null;
}
