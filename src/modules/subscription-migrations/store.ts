// Writes: subscription_migrations. Reads: gateway_subscriptions.

import { createdIn, type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking, lockName } from "../../domain/locks.ts";
import type { SubscriptionMigrationsRow } from "../../domain/rows.ts";
import { assert } from "../../kernel/assert.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type { Id } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { containing } from "../../kernel/text.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { MigratedSubscription, SubscriptionMigration } from "./types.ts";

/** With the terms of the subscription at the gateway, where the migration has no terms of its own. */
type Row = Omit<SubscriptionMigrationsRow, "amount_cents" | "frequency"> & {
  readonly amount: Cents;
  readonly often: Frequency;
};

function subscriptionOf(row: Row): MigratedSubscription {
  if (row.customer_subscription_id !== null) return { runs: "here", id: row.customer_subscription_id };
  assert(row.gateway_subscription_id, "a migration has one subscription");
  return { runs: "at_gateway", id: row.gateway_subscription_id };
}

const fromRow = (row: Row): SubscriptionMigration => ({
  id: row.id,
  legacyReference: row.legacy_reference,
  payerName: row.payer_name,
  email: row.email,
  nextDate: row.next_date,
  status: row.status,
  cancelsLegacy: row.cancels_legacy,
  subscription: subscriptionOf(row),
  customerId: row.customer_id,
  cardSetupId: row.card_setup_id,
  createdAt: row.created_at,
  amount: row.amount,
  frequency: row.often,
});

const withTerms = (tx: Tx) => part`
  select m.*, coalesce(m.amount_cents, s.amount_cents) as amount, coalesce(m.frequency, s.frequency) as often from subscription_migrations m
    left join gateway_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = m.gateway_subscription_id
   where m.organisation_id = ${tx.organisation}`;

/** Locks what migrations are made with, their plans too, so that requests that add some run one after the other. */
export const lockMigrations = (tx: Tx): void => lockName(tx, "package", "migrations");

/** Inserts a migration. */
export function insertMigration(tx: Tx, m: SubscriptionMigration): void {
  const { runs, id } = m.subscription;
  tx.queue`
    insert into subscription_migrations (organisation_id, id, legacy_reference, payer_name, email, next_date, status, cancels_legacy,
      gateway_subscription_id, customer_subscription_id, amount_cents, frequency, customer_id, card_setup_id, created_at)
    values (${tx.organisation}, ${m.id}, ${m.legacyReference}, ${m.payerName}, ${m.email}, ${m.nextDate}, ${m.status}, ${m.cancelsLegacy},
      ${runs === "at_gateway" ? id : null}, ${runs === "here" ? id : null}, ${runs === "here" ? m.amount : null},
      ${runs === "here" ? m.frequency : null}, ${m.customerId}, ${m.cardSetupId}, ${m.createdAt})`;
}

/** Updates status and page. The caller has locked it. */
export function saveMigration(tx: Tx, m: Pick<SubscriptionMigration, "id" | "status" | "cardSetupId">): void {
  tx.queue`
    update subscription_migrations set status = ${m.status}, card_setup_id = ${m.cardSetupId}
     where organisation_id = ${tx.organisation} and id = ${m.id}`;
}

/** Null when absent or another organisation's. */
export async function findMigration(tx: Tx, id: string): Promise<SubscriptionMigration | null> {
  const [row] = await tx.sql<Row>`${withTerms(tx)} and m.id = ${id}`;
  return row ? fromRow(row) : null;
}

/** As `findMigration`, locked until the transaction ends. */
export async function lockMigration(tx: Tx, id: string): Promise<SubscriptionMigration | null> {
  const [row] = await locking(tx, "gateway subscription").sql<Row>`
    ${withTerms(tx)} and m.id = ${id} for no key update of m`;
  return row ? fromRow(row) : null;
}

/** Those with one of these references. */
export async function migrationsOfReferences(tx: Tx, references: readonly string[]): Promise<SubscriptionMigration[]> {
  const rows = await tx.sql<Row>`${withTerms(tx)} and m.legacy_reference = any(${references})`;
  return rows.map(fromRow);
}

/** Newest first; `q` searches the reference at the other service, the payer and the address. */
export async function listMigrations(tx: Tx, query: ListQuery<never>): Promise<SubscriptionMigration[]> {
  const rows = await tx.sql<Row>`
    ${withTerms(tx)}
      ${onPage(query, part`m.id`)}
      ${createdIn(query, "gsm", { id: part`m.id`, createdAt: part`m.created_at` })}
      ${when(query.q || null, (q) => part`and concat_ws(' ', m.legacy_reference, m.payer_name, m.email) ilike ${containing(q)}`)}
     ${newestFirst(query, part`m.id`)}`;
  return rows.map(fromRow);
}

/** The migration whose payer confirms the card on this page; null for a page of a customer who adds a card. */
export async function migrationOfSetup(tx: Tx, setup: string): Promise<SubscriptionMigration | null> {
  const [row] = await tx.sql<Row>`${withTerms(tx)} and m.card_setup_id = ${setup}`;
  return row ? fromRow(row) : null;
}

/**
 * The id of the migration for which a gateway's subscription was started: its own one, or one that was cancelled at
 * once because the migration already had one. Null for any subscription without the reference of a migration.
 */
export async function migrationOfGatewaySubscription(tx: Tx, subscription: string): Promise<Id<"gsm"> | null> {
  const [row] = await tx.sql<Pick<SubscriptionMigrationsRow, "id">>`
    select m.id from gateway_subscriptions s
      join subscription_migrations m on m.organisation_id = ${tx.organisation} and m.legacy_reference = s.external_reference
     where s.organisation_id = ${tx.organisation} and s.id = ${subscription}`;
  return row?.id ?? null;
}

/** The migration that made this customer subscription; null for any other one. */
export async function findMigrationOf(tx: Tx, subscription: string): Promise<SubscriptionMigration | null> {
  const [row] = await tx.sql<Row>`${withTerms(tx)} and m.customer_subscription_id = ${subscription}`;
  return row ? fromRow(row) : null;
}

/** Locks the migrations, by their ids, that made these customer subscriptions, until the transaction ends. */
export async function lockMigrationsOf(tx: Tx, subscriptions: readonly string[]): Promise<SubscriptionMigration[]> {
  const rows = await locking(tx, "gateway subscription").sql<Row>`
    ${withTerms(tx)} and m.customer_subscription_id = any (${subscriptions}) order by m.id for no key update of m`;
  return rows.map(fromRow);
}
