import { invalidField } from "../../kernel/errors.ts";
import { addDays, calendarDay } from "../../kernel/time.ts";
import { create } from "../../modules/customer-subscriptions/rules/planner/start.ts";
import {
  insertCustomerSubscription,
  subscriptionsOfReferences,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { EXTERNAL_REFERENCE_MAX, type ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { serialiseCreations } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import type { MigrationRow, MigrationsCreateBody } from "../../modules/subscription-migrations/schema.ts";
import {
  insertMigration,
  lockMigrations,
  migrationsOfReferences,
} from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { insertSetup, openCardSetup, requireSetupGateway } from "../card-setups/create-card-setup.ts";
import type { Ctx } from "../context.ts";
import { appendSubscriptionEvents, askForDue } from "../customer-subscriptions/apply-outcome.ts";
import { priceOf } from "../customer-subscriptions/asked-terms.ts";
import { newSubscription } from "../customer-subscriptions/create-subscription.ts";
import { SUBSCRIPTION_CREATED } from "../customer-subscriptions/declarations.ts";
import { matchCustomer } from "../customers/match-customer.ts";
import { mailMigrationLink } from "../gateway-subscriptions/subscription-mail.ts";
import type { SetupFor } from "../gateways/card-gateways.ts";
import { type PlanOfMigration, plansOfMigrations } from "./plan-of-migration.ts";

/** The terms of the page on which a payer can confirm the card for a week; after that a new link is sent. */
const CONFIRMATION = { returnUrl: null, makeDefault: false, metadata: {}, minutes: 7 * 24 * 60 };
/** Ten years: a later date is a mistake. */
const DAYS_AHEAD = 3660;

/**
 * Begins migrations (interface 4.7): each gets its customer, a customer subscription that waits for the card, and a
 * page on which the payer confirms it, which is mailed. A known reference returns its migration unchanged. Begins all
 * or none. Locks what migrations are made with, the addresses of the customers and the invoice numbers, which protect
 * the references of subscriptions (decisions.md#invoice-numbers-before-subscriptions). Throws 400, which names the row,
 * for a repeated reference, a date that is not after today or over ten years ahead, and an inactive customer; 403
 * `plan_limit`; 409 `card_setup_unavailable` when no gateway saves cards and charges them.
 */
export async function startMigrations(
  tx: Tx,
  ctx: Ctx,
  { subscriptions: rows, cancelLegacy }: MigrationsCreateBody,
): Promise<{ readonly migrations: readonly SubscriptionMigration[]; readonly created: number }> {
  lockMigrations(tx);
  checkRows(ctx, rows);
  const references = rows.map(({ legacyReference }) => legacyReference);
  const known = await migrationsOfReferences(tx, references);
  const byReference = new Map(known.map((migration) => [migration.legacyReference, migration]));
  const fresh = rows.filter(({ legacyReference }) => !byReference.has(legacyReference));
  if (fresh.length > 0) await requireSetupGateway(tx, ctx, "migration");
  const planOf = await plansOfMigrations(tx, ctx, fresh);
  serialiseCreations(
    tx,
    "customer email",
    fresh.map(({ email }) => email),
  );
  lockNumbers(tx, "invoice");
  const today = calendarDay(ctx.now);
  const taken = new Set(
    (await subscriptionsOfReferences(tx, references, today)).map(({ externalReference }) => externalReference),
  );
  const made: ShownSubscription[] = [];
  for (const row of fresh) {
    const customer = await customerOf(tx, ctx, row, rows.indexOf(row));
    const subscription = waitingFor(ctx, row, { customer, ...planOf(row), isTaken: taken.has(row.legacyReference) });
    insertCustomerSubscription(tx, subscription);
    made.push(subscription);
    const migration = startMigration(tx, ctx, row, subscription, cancelLegacy === "auto");
    byReference.set(row.legacyReference, migration);
  }
  await askForDue(tx, made);
  const events = made.map((after) => ({ event: SUBSCRIPTION_CREATED, after, invoice: null }));
  appendSubscriptionEvents(tx, ctx, events);
  const migrations = references.flatMap((reference) => byReference.get(reference) ?? []);
  return { migrations, created: fresh.length };
}

function checkRows({ now }: Ctx, rows: readonly MigrationRow[]): void {
  const today = calendarDay(now);
  const latest = addDays(today, DAYS_AHEAD);
  const references = rows.map(({ legacyReference }) => legacyReference);
  rows.forEach(({ legacyReference, nextDate }, index) => {
    const at = (field: string) => ["subscriptions", index, field];
    if (references.indexOf(legacyReference) < index)
      throw invalidField(
        at("legacyReference"),
        `Subscription ${index + 1} of the list repeats the legacyReference of an earlier one.`,
      );
    if (nextDate <= today)
      throw invalidField(at("nextDate"), `nextDate of subscription ${index + 1} of the list must be after today.`);
    if (nextDate > latest)
      throw invalidField(
        at("nextDate"),
        `nextDate of subscription ${index + 1} of the list must be at most ten years ahead: ${latest}`,
      );
  });
}

/** The customer of the row at this position of the list. Throws 400, which names the row, for an inactive customer. */
async function customerOf(tx: Tx, ctx: Ctx, { payerName, email }: MigrationRow, index: number): Promise<Customer> {
  const [firstName = payerName, ...others] = payerName.split(/\s+/);
  const names = { firstName: firstName.slice(0, 100), lastName: others.join(" ").slice(0, 100) || null };
  const customer = await matchCustomer(tx, ctx, { email, ...names });
  if (!customer.active)
    throw invalidField(
      ["subscriptions", index, "email"],
      `The customer of subscription ${index + 1} of the list is inactive, so nothing new is made for them. Activate the customer first.`,
    );
  return customer;
}

interface Found extends PlanOfMigration {
  readonly customer: Customer;
  /** Whether another subscription has the reference. */
  readonly isTaken: boolean;
}

/** The subscription until the card is confirmed: what was paid elsewhere runs until its first charge. */
function waitingFor(
  ctx: Ctx,
  { nextDate, legacyReference }: MigrationRow,
  { customer, plan, parent, isTaken }: Found,
): ShownSubscription {
  const today = calendarDay(ctx.now);
  const { after: state, nextDue } = create(
    {
      terms: { price: priceOf(plan), quantity: 1, items: [] },
      periodMoves: "when_billed",
      startsOn: today,
      trialDays: 0,
      paidThrough: nextDate,
      billingAnchorDay: null,
      coupon: null,
      credits: [],
    },
    today,
  );
  const { id, externalReference, email } = customer;
  return newSubscription(ctx, {
    status: "pending",
    customer: { id, externalReference, email },
    plan: { id: plan.id, name: plan.name, packageId: parent.id, packageName: parent.name },
    collectionMethod: "gateway",
    externalReference: isTaken || [...legacyReference].length > EXTERNAL_REFERENCE_MAX ? null : legacyReference,
    metadata: {},
    source: "api",
    state,
    nextDue,
  });
}

function startMigration(
  tx: Tx,
  ctx: Ctx,
  { payerName, email, amount, frequency, nextDate, legacyReference }: MigrationRow,
  subscription: ShownSubscription,
  cancelsLegacy: boolean,
): SubscriptionMigration {
  const customerId = subscription.customer.id;
  const setup = insertSetup(tx, ctx, customerId, CONFIRMATION);
  const migration: SubscriptionMigration = {
    id: newId("gsm"),
    legacyReference,
    payerName,
    email,
    amount,
    frequency,
    nextDate,
    status: "link_sent",
    cancelsLegacy,
    subscription: { runs: "here", id: subscription.id },
    customerId,
    cardSetupId: setup.id,
    createdAt: ctx.now,
  };
  insertMigration(tx, migration);
  mailMigrationLink(tx, ctx, migration);
  return migration;
}

/** A page on which the payer of a migration confirms the card. Throws 409 `card_setup_unavailable`. */
export const openConfirmation = (tx: Tx, ctx: Ctx, customerId: SubscriptionMigration["customerId"], use: SetupFor) =>
  openCardSetup(tx, ctx, customerId, { ...CONFIRMATION, use });
