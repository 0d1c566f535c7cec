import { CARD_SETUP_EXPIRE } from "../../modules/card-setups/declarations.ts";
import { moveCardSetup } from "../../modules/card-setups/states.ts";
import { lockCardSetup, lockCardSetups, updateCardSetup } from "../../modules/card-setups/store.ts";
import { moveMigration } from "../../modules/subscription-migrations/states.ts";
import { lockMigrationsOf, saveMigration } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";

/**
 * Ends a locked migration whose card is not confirmed, and its page; any other migration is returned unchanged. Locks
 * the page.
 */
export async function endMigration(tx: Tx, migration: SubscriptionMigration): Promise<SubscriptionMigration> {
  const status = moveMigration(migration.status, "cancel");
  if (!status || status === migration.status) return migration;
  const setup = await lockCardSetup(tx, migration.cardSetupId);
  const expired = setup && moveCardSetup(setup.status, "expire");
  if (expired) {
    updateCardSetup(tx, { ...setup, status: expired });
    cancelWork(tx, CARD_SETUP_EXPIRE, setup.id);
  }
  const after = { ...migration, status };
  saveMigration(tx, after);
  return after;
}

/**
 * Locks what else ends with these customer subscriptions: their migrations first, then what `between` locks, then the
 * pages of the migrations.
 */
export async function lockWithMigrations(
  tx: Tx,
  subscriptions: readonly string[],
  between: () => Promise<unknown>,
): Promise<void> {
  const migrations = await lockMigrationsOf(tx, subscriptions);
  await between();
  await lockCardSetups(
    tx,
    migrations.map(({ cardSetupId }) => cardSetupId),
  );
}
