import { z } from "zod";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { email, frequency, money, recordQuery, text, timestamp } from "../../platform/schema.ts";
import { date } from "../../platform/schema-dates.ts";
import { MIGRATION_STATUSES, type SubscriptionMigration } from "./types.ts";

const AMOUNT_MAX_RAND = 10_000_000;
/** Most migrations of one request. */
const TOGETHER_MAX = 200;

const row = z.object({
  payerName: text(1, 200),
  email: email(),
  amount: money(AMOUNT_MAX_RAND),
  frequency: frequency(),
  nextDate: date(),
  legacyReference: text(1, 190),
});
export type MigrationRow = z.output<typeof row>;

/** Body of `POST /subscriptions/migrations` (interface 4.7). */
export const MigrationsCreate = z.object({
  subscriptions: z.array(row).min(1).max(TOGETHER_MAX),
  cancelLegacy: z.enum(["auto", "manual"]).default("auto"),
});
export type MigrationsCreateBody = z.output<typeof MigrationsCreate>;

/** Query of `GET /subscriptions/migrations`. */
export const MigrationQuery = recordQuery(["gsm"], {});

/** A migration as the API shows it. */
export const MigrationObject = z
  .object({
    id: z.string(),
    legacyReference: z.string(),
    payerName: z.string(),
    email: z.string(),
    amount: z.number(),
    frequency: frequency(),
    nextDate: z.string().meta({ format: "date" }),
    status: z.enum(MIGRATION_STATUSES),
    subscriptionId: z.string(),
    checkoutUrl: z.url(),
    createdAt: timestamp(),
  })
  .meta({ id: "SubscriptionMigration" });

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
