import { invalidField } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { businessDay } from "../../kernel/time.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { insertGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import type { MigrationRow, MigrationsCreateBody } from "../../modules/subscription-migrations/schema.ts";
import {
  insertMigration,
  lockMigrations,
  type MigrationWithTerms,
  migrationsOfReferences,
} from "../../modules/subscription-migrations/store.ts";
import type { Tx } from "../../platform/database.ts";
import { openCardSetup } from "../card-setups/create-card-setup.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { matchCustomer } from "../customers/match-customer.ts";
import { checkoutGateways } from "../gateways/accounts.ts";
import { mailMigrationLink } from "../mail/subscription-mail.ts";

/** Minutes for which a payer can confirm the card on a page; then a new link is sent. */
const PAGE_MINUTES = 7 * 24 * 60;

/**
 * Begins migrations (interface 4.7): each gets its customer, a subscription that is pending, and a page on which the payer confirms the card,
 * which is mailed. A reference that is known returns its migration unchanged. All or none. Throws 400, which names the row, for a repeated
 * reference and a date that is not after today, and when no gateway runs subscriptions; 403 `plan_limit`; 409 `card_setup_unavailable`.
 */
export async function startMigrations(
  tx: Tx,
  ctx: Ctx,
  { subscriptions: rows, cancelLegacy }: MigrationsCreateBody,
): Promise<{ readonly migrations: readonly MigrationWithTerms[]; readonly created: number }> {
  lockMigrations(tx);
  checkRows(ctx, rows);
  const accounts = await listGatewayAccounts(tx);
  if (!checkoutGateways(accounts, DEFAULT_CURRENCY).some(({ adapter }) => adapter.subscriptions))
    throw invalidField(["subscriptions"], "No enabled gateway of this account takes recurring payments.");
  const known = await migrationsOfReferences(
    tx,
    rows.map(({ legacyReference }) => legacyReference),
  );
  const byReference = new Map(known.map((migration) => [migration.legacyReference, migration]));
  const migrations: MigrationWithTerms[] = [];
  for (const row of rows)
    migrations.push(
      byReference.get(row.legacyReference) ?? (await startMigration(tx, ctx, row, cancelLegacy === "auto")),
    );
  return { migrations, created: rows.length - known.length };
}

function checkRows({ now }: Ctx, rows: readonly MigrationRow[]): void {
  const references = rows.map(({ legacyReference }) => legacyReference);
  rows.forEach(({ legacyReference, nextDate }, index) => {
    const at = (field: string) => ["subscriptions", index, field];
    if (references.indexOf(legacyReference) < index)
      throw invalidField(
        at("legacyReference"),
        `Subscription ${index + 1} of the list repeats the legacyReference of an earlier one.`,
      );
    if (nextDate <= businessDay(now))
      throw invalidField(at("nextDate"), `nextDate of subscription ${index + 1} of the list must be after today.`);
  });
}

async function startMigration(
  tx: Tx,
  ctx: Ctx,
  { payerName, email, amount, frequency, nextDate, legacyReference }: MigrationRow,
  cancelsLegacy: boolean,
): Promise<MigrationWithTerms> {
  const [firstName = payerName, ...others] = payerName.split(/\s+/);
  const names = { firstName: firstName.slice(0, 100), lastName: others.join(" ").slice(0, 100) || null };
  const customer = await matchCustomer(tx, ctx, { email, ...names });
  const subscription: GatewaySubscription = {
    id: newId("gsub"),
    status: "pending",
    frequency,
    amount,
    otherAmount: null,
    currency: DEFAULT_CURRENCY,
    gatewayAccountId: null,
    gatewayType: null,
    paymentLinkId: null,
    customerId: customer.id,
    invoiceId: null,
    firstReference: null,
    linkKey: null,
    handleSealed: null,
    card: null,
    payerEmail: email,
    description: "Subscription",
    externalReference: legacyReference,
    metadata: {},
    nextChargeOn: nextDate,
    paused: { value: false, asOf: ctx.now },
    pastDue: { value: false, asOf: ctx.now },
    missedCharges: 0,
    replacedById: null,
    flags: [],
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  insertGatewaySubscription(tx, subscription);
  const setup = await openConfirmation(tx, ctx, customer.id);
  const migration: MigrationWithTerms = {
    id: newId("gsm"),
    legacyReference,
    payerName,
    email,
    nextDate,
    status: "link_sent",
    cancelsLegacy,
    subscriptionId: subscription.id,
    customerId: customer.id,
    cardSetupId: setup.id,
    createdAt: ctx.now,
    amount,
    frequency,
  };
  insertMigration(tx, migration);
  mailMigrationLink(tx, ctx, migration);
  return migration;
}

/** A page on which the payer of a migration confirms the card. */
export const openConfirmation = (tx: Tx, ctx: Ctx, customerId: MigrationWithTerms["customerId"]) =>
  openCardSetup(tx, ctx, customerId, {
    returnUrl: null,
    makeDefault: false,
    metadata: {},
    minutes: PAGE_MINUTES,
    migrates: true,
  });
