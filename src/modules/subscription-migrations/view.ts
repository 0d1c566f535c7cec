import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { SubscriptionMigration } from "./types.ts";

/** Interface 4.7; `checkoutUrl` is the page on which the payer confirms the card. */
export const migrationView = (migration: SubscriptionMigration, checkoutUrl: string) => ({
  id: migration.id,
  legacyReference: migration.legacyReference,
  payerName: migration.payerName,
  email: migration.email,
  amount: toRand(migration.amount),
  frequency: migration.frequency,
  nextDate: migration.nextDate,
  status: migration.status,
  subscriptionId: migration.subscription.id,
  checkoutUrl,
  createdAt: toTimestamp(migration.createdAt),
});
