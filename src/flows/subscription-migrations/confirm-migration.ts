import type { PaidFact } from "../../gateways/facts.ts";
import { calendarDay } from "../../kernel/time.ts";
import { recognised } from "../../modules/cards/rules.ts";
import { cardsOfCustomer } from "../../modules/cards/store.ts";
import { awaitsCard } from "../../modules/customer-subscriptions/states.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { MIGRATION_CANCEL_LEGACY } from "../../modules/subscription-migrations/declarations.ts";
import { moveMigration } from "../../modules/subscription-migrations/states.ts";
import { lockMigrationsOf, saveMigration } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { savedCardOf } from "../cards/payment-purpose.ts";
import type { Ctx } from "../context.ts";
import { beginWithCard } from "../customer-subscriptions/await-migrated-card.ts";
import type { Purpose } from "../payments/purpose.ts";

/**
 * The purpose of the payment of 1.00 on the page of a migration: with the card that it saves (`cardSetupPurpose`) the
 * migration's subscription becomes active (interface 4.7). Nothing begins without a saved card, for an inactive
 * customer, or for a migration that was cancelled or is confirmed. Locks the migration and its subscription.
 */
export const migrationPurpose: Purpose = {
  locks: "gateway subscription",
  async lock(tx, ctx, payment, move) {
    const { type, paidAt, subscriptionId } = payment;
    if (type !== "card_setup" || move !== "complete" || paidAt !== null || subscriptionId === null) return null;
    const [migration] = await lockMigrationsOf(tx, [subscriptionId]);
    if (!migration) return null;
    await lockCustomerSubscription(tx, subscriptionId);
    let saved: ReturnType<typeof savedCardOf> = null;
    return {
      complete(_paid, _split, fact: PaidFact) {
        saved = savedCardOf(fact);
      },
      async finish() {
        if (saved) await confirm(tx, ctx, { migration, payment }, saved);
      },
    };
  },
};

async function confirm(
  tx: Tx,
  ctx: Ctx,
  { migration, payment }: { readonly migration: SubscriptionMigration; readonly payment: Transaction },
  saved: NonNullable<ReturnType<typeof savedCardOf>>,
): Promise<void> {
  const status = moveMigration(migration.status, "authorise");
  const [waiting, customer, cards] = await Promise.all([
    findCustomerSubscription(tx, migration.subscription.id, calendarDay(ctx.now)),
    findCustomer(tx, migration.customerId),
    cardsOfCustomer(tx, migration.customerId),
  ]);
  const card = recognised(cards, payment.gatewayAccountId, saved);
  if (!status || !card || !customer?.active || !waiting || !awaitsCard(waiting)) return;
  beginWithCard(tx, ctx, waiting, card);
  saveMigration(tx, { ...migration, status });
  if (migration.cancelsLegacy) enqueue(tx, MIGRATION_CANCEL_LEGACY, migration.id, ctx.now);
}
