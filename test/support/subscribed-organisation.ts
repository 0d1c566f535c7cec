import type { Ctx } from "../../src/flows/context.ts";
import { recordRetry } from "../../src/flows/gateway-subscriptions/retry-subscription.ts";
import { gatewayOf } from "../../src/flows/gateways/accounts.ts";
import { createPaymentLink } from "../../src/flows/payment-links/create-payment-link.ts";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import { recordAttempt } from "../../src/flows/payments/start-payment.ts";
import type { Services } from "../../src/flows/services.ts";
import { startMigrations } from "../../src/flows/subscription-migrations/start-migrations.ts";
import { internalFact, type PaymentFact, type SubscriptionLink } from "../../src/gateways/facts.ts";
import { assert } from "../../src/kernel/assert.ts";
import { addDays, type CalendarDay, calendarDay } from "../../src/kernel/time.ts";
import { insertCardSetupPayment } from "../../src/modules/card-setups/store.ts";
import { CARD_SETUP_AMOUNT, CARD_SETUP_CURRENCY } from "../../src/modules/card-setups/types.ts";
import { listGatewayAccounts } from "../../src/modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { findGatewaySubscriptionByKey } from "../../src/modules/gateway-subscriptions/store.ts";
import { PaymentLinkCreate } from "../../src/modules/payment-links/schema.ts";
import type { Transaction } from "../../src/modules/payments/types.ts";
import { MigrationsCreate } from "../../src/modules/subscription-migrations/schema.ts";
import type { SubscriptionMigration } from "../../src/modules/subscription-migrations/types.ts";
import type { Tx } from "../../src/platform/database.ts";
import { addMigrationAtGateway } from "./migrations-at-gateway.ts";
import type { PlantedFault } from "./planted-faults.ts";

/**
 * Adds gateway subscriptions, by the product's own flows, known by their external references: `gym` has begun by a
 * recurring link, was renewed once, then missed a charge that a mailed link has collected; `moved` is a migration that
 * was begun before, whose payer has confirmed the card, which was charged by a retry, `waiting` one whose payer has
 * not. `brought` and `asked` are the same with customer subscriptions.
 */
export async function addSubscriptions({ db }: Services, ctx: Ctx): Promise<void> {
  const inTx: Stage["inTx"] = (work) => db.transaction(ctx.organisation.id, work);
  const account = (await inTx(listGatewayAccounts)).find(({ type }) => type === "sandbox");
  assert(account, "the organisation has a sandbox account");
  const stage: Stage = { ctx, inTx, account, nextChargeOn: addDays(calendarDay(ctx.now), 30) };
  await beginGym(stage);
  await retry(stage, "gym");
  await addMigrations(stage);
  await retry(stage, "moved");
}

interface Stage {
  readonly ctx: Ctx;
  inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  readonly account: GatewayAccount;
  readonly nextChargeOn: CalendarDay;
}

/** Reports that a payment of this amount is paid, or what `about` says of it. */
function pay(
  { ctx, inTx, account }: Stage,
  { amount, currency }: Pick<Transaction, "amount" | "currency">,
  about: Partial<PaymentFact>,
): Promise<unknown> {
  const paid = { ...internalFact("", "complete"), kind: "paid", amount, currency, fee: null };
  const fact = { ...paid, ...about } as PaymentFact;
  return inTx((tx) => settlePayment(tx, ctx, { accountId: account.id, source: "notification" }, fact));
}

async function beginGym(stage: Stage): Promise<void> {
  const { ctx, inTx, account, nextChargeOn } = stage;
  const gym: SubscriptionLink = { key: "gym", handle: "handle-gym", nextChargeOn };
  const body = {
    title: "Gym",
    amount: 100,
    singleUse: false,
    externalReference: "gym",
    customerEmail: "gym@example.com",
    recurring: { frequency: "monthly" },
  };
  const link = await inTx((tx) => createPaymentLink(tx, ctx, PaymentLinkCreate.parse(body)));
  const { amount, currency, customerId } = link;
  const terms = { ...GYM_PAYMENT, amount, currency, paymentLinkId: link.id, customerId };
  const first = await inTx(async (tx) => recordAttempt(tx, ctx, gatewayOf(account), terms));
  await pay(stage, first, { reference: first.reference, providerRef: "gym-1", subscription: gym });
  await pay(stage, first, { reference: null, providerRef: "gym-2", subscription: gym });
  const declined = { kind: "declined", reason: "declined", hard: false } as const;
  await pay(stage, first, { reference: null, ...declined, providerRef: "gym-3", subscription: gym });
}

const GYM_PAYMENT = { type: "recurring", description: "Gym" } as const;

/** Collects the subscription with this key now, by its card or a mailed link, which is paid. */
async function retry(stage: Stage, key: string): Promise<void> {
  const { ctx, inTx, account } = stage;
  const { subscription, amount, charge, mailed } = await inTx(async (tx) => {
    const begun = await findGatewaySubscriptionByKey(tx, account.id, key);
    assert(begun, "it was just begun");
    return recordRetry(tx, ctx, begun.id, { amount: null, receivedAt: ctx.now });
  });
  const { id: subscriptionId, currency, customerId, firstReference: parentReference } = subscription;
  const terms = { ...GYM_PAYMENT, amount, currency, customerId, subscriptionId, renewal: true, parentReference };
  const byLink = { ...terms, paymentLinkId: mailed?.link.id ?? null };
  const payment = charge ?? (await inTx(async (tx) => recordAttempt(tx, ctx, gatewayOf(account), byLink)));
  await pay(stage, payment, { reference: payment.reference, providerRef: `${key}-retry` });
}

async function addMigrations(stage: Stage): Promise<void> {
  const { ctx, inTx, nextChargeOn } = stage;
  const [moved] = await inTx(async (tx) => {
    const terms = { amount: 5_000, nextDate: nextChargeOn, cancelsLegacy: true };
    const begun = [];
    for (const legacyReference of ["moved", "waiting"])
      begun.push(await addMigrationAtGateway(tx, ctx, { ...terms, legacyReference }));
    return begun;
  });
  await confirm(stage, moved, { subscription: { key: "moved", handle: null, nextChargeOn } });
  const { migrations } = await inTx((tx) => {
    const rows = ["brought", "asked"].map((legacyReference) => {
      const each = { amount: 50, frequency: "monthly", nextDate: nextChargeOn };
      return { ...each, payerName: "T Nkosi", email: `${legacyReference}@example.com`, legacyReference };
    });
    return startMigrations(tx, ctx, MigrationsCreate.parse({ subscriptions: rows }));
  });
  await confirm(stage, migrations[0]);
}

/** Pays the 1.00 of a migration by a card that is saved. */
async function confirm(
  stage: Stage,
  migration: SubscriptionMigration | undefined,
  about: Partial<PaymentFact> = {},
): Promise<void> {
  assert(migration, "it was just made");
  const { ctx, inTx, account } = stage;
  const { legacyReference, customerId, subscription, cardSetupId } = migration;
  const confirmation = await inTx(async (tx) => {
    const asked = { amount: CARD_SETUP_AMOUNT, currency: CARD_SETUP_CURRENCY, type: "card_setup" } as const;
    const of = { description: "Card set-up", customerId, subscriptionId: subscription.id };
    const payment = recordAttempt(tx, ctx, gatewayOf(account), { ...asked, ...of });
    insertCardSetupPayment(tx, cardSetupId, payment.id);
    return payment;
  });
  const card = { brand: "visa", last4: "1881", expiryMonth: 12, expiryYear: 2099, holderName: null } as const;
  await pay(stage, confirmation, {
    reference: confirmation.reference,
    card: { ...card, token: `token-${legacyReference}`, fingerprint: legacyReference },
    ...about,
  });
}

const subscription = (reference: string) =>
  `(select id from gateway_subscriptions where external_reference = '${reference}')`;
const change = (reference: string, columns: string) =>
  `update gateway_subscriptions set ${columns} where id = ${subscription(reference)}`;
const changePayment = (providerRef: string, columns: string) =>
  `update transactions set ${columns} where provider_ref = '${providerRef}'`;
const migration = (reference: string) =>
  `(select id from subscription_migrations where legacy_reference = '${reference}')`;
const changeMigration = (reference: string, columns: string) =>
  `update subscription_migrations set ${columns} where id = ${migration(reference)}`;
const changeHere = (reference: string, columns: string) =>
  `update customer_subscriptions set ${columns} where external_reference = '${reference}'`;

const GYM = subscription("gym");
const retryOf = (reference: string) =>
  `(select id from subscription_retries where gateway_subscription_id = ${subscription(reference)})`;
const changeRetry = (reference: string, columns: string) =>
  `update subscription_retries set ${columns} where id = ${retryOf(reference)}`;

/** Of what `addSubscriptions` made: at least one for every rule about gateway subscriptions and their migrations. */
export const SUBSCRIPTION_FAULTS: readonly PlantedFault[] = [
  ["gateway_subscriptions.subscription_begun", GYM, change("gym", "link_key = null")],
  ["gateway_subscriptions.subscription_begun", subscription("waiting"), change("waiting", "link_key = 'k'")],
  ["gateway_subscriptions.subscription_first_payment", GYM, changePayment("gym-1", "subscription_id = null")],
  ["gateway_subscriptions.subscription_first_payment", GYM, change("gym", "first_reference = 'none'")],
  ["gateway_subscriptions.subscription_first_paid", GYM, changePayment("gym-1", "paid_at = null")],
  ["gateway_subscriptions.subscription_link", GYM, changePayment("gym-1", "payment_link_id = 'plink_x'")],
  ["gateway_subscriptions.subscription_terms_of_link", GYM, change("gym", "frequency = 'annually'")],
  ["gateway_subscriptions.subscription_terms_of_link", GYM, change("gym", "invoice_id = 'inv_x'")],
  ["gateway_subscriptions.subscription_customer", GYM, change("gym", "customer_id = 'cus_x'")],
  ["gateway_subscriptions.subscription_replaced", GYM, change("gym", `replaced_by_id = ${subscription("moved")}`)],
  ["gateway_subscriptions.subscription_charges", GYM, changePayment("gym-2", "currency = 'USD'")],
  [
    "gateway_subscriptions.subscription_money_in",
    GYM,
    changePayment("gym-2", "status = 'cancelled', paid_at = null"),
    `insert into gateway_notifications (organisation_id, id, gateway_account_id, reference, source, fact, outcome, received_at)
       select organisation_id, 'ntf_x' || id, gateway_account_id, reference, 'notification', '{"about": "payment", "kind": "paid"}', 'mismatch', now()
         from transactions where subscription_id = ${GYM} and renewal`,
  ],
  ["gateway_subscriptions.subscription_charges", GYM, changePayment("gym-2", "gateway_account_id = 'gw_x'")],
  ["gateway_subscriptions.subscription_charges", GYM, changePayment("gym-2", "parent_reference = null")],
  ["gateway_subscriptions.subscription_charges", GYM, changePayment("gym-2", "renewal = false")],
  ["gateway_subscriptions.revision", GYM, change("gym", "amount_cents = 1")],
  ["subscription_retries.revision", retryOf("gym"), changeRetry("gym", "ended_at = ended_at + interval '1 s'")],
  ["subscription_migrations.revision", migration("waiting"), changeMigration("waiting", "next_date = next_date + 1")],
  ["gateway_subscriptions.subscription_status", GYM, change("gym", "paused = true")],
  ["gateway_subscriptions.subscription_status", GYM, change("gym", "past_due = true")],
  ["gateway_subscriptions.subscription_status", GYM, change("gym", "status = 'past_due'")],
  [
    "gateway_subscriptions.subscription_renewal_awaited",
    GYM,
    "delete from due_work where kind = 'subscription.expect'",
  ],
  ["gateway_subscriptions.subscription_renewal_awaited", GYM, change("gym", "next_charge_on = null")],
  ["subscription_retries.retry_missed", retryOf("gym"), changePayment("gym-3", "renewal = false")],
  ["subscription_retries.retry_missed", retryOf("gym"), changeRetry("gym", "missed_reference = 'none'")],
  [
    "subscription_retries.retry_subscription",
    retryOf("gym"),
    "update payment_links set gateway_subscription_id = null where gateway_subscription_id is not null",
  ],
  ["subscription_retries.retry_subscription", retryOf("moved"), changePayment("moved-retry", "subscription_id = null")],
  ["subscription_retries.retry_collected", retryOf("gym"), changeRetry("gym", "collected_reference = null")],
  ["subscription_retries.retry_collected", retryOf("moved"), changeRetry("moved", "collected_reference = 'none'")],
  ["subscription_retries.retry_collected", retryOf("moved"), changePayment("moved-retry", "paid_at = null")],
  ["subscription_retries.retry_ended", retryOf("gym"), changeRetry("gym", "ended_at = null")],
  ["subscription_migrations.migration_begun", migration("moved"), change("moved", "link_key = null")],
  [
    "subscription_migrations.migration_begun",
    migration("waiting"),
    changeMigration("waiting", "status = 'authorised'"),
  ],
  ["subscription_migrations.migration_waits", migration("waiting"), change("waiting", "status = 'active'")],
  ["subscription_migrations.migration_waits", migration("moved"), changeMigration("moved", "status = 'link_sent'")],
  [
    "subscription_migrations.migration_reference",
    migration("elsewhere"),
    changeMigration("waiting", "legacy_reference = 'elsewhere'"),
  ],
  [
    "subscription_migrations.migration_page",
    migration("waiting"),
    changeMigration("waiting", "card_setup_id = 'cset_x'"),
  ],
  ["subscription_migrations.migration_customer", migration("moved"), change("moved", "customer_id = 'cus_x'")],
  ["subscription_migrations.migration_begun", migration("brought"), changeHere("brought", "card_id = null")],
  ["subscription_migrations.migration_waits", migration("asked"), changeHere("asked", "status = 'active'")],
  ["subscription_migrations.migration_customer", migration("asked"), changeHere("asked", "customer_id = 'cus_x'")],
  [
    "subscription_migrations.migration_collected",
    migration("asked"),
    changeHere("asked", "collection_method = 'invoice'"),
  ],
  ["subscription_migrations.migration_terms", migration("asked"), changeMigration("asked", "amount_cents = 5001")],
  ["subscription_migrations.migration_terms", migration("asked"), changeMigration("asked", "frequency = 'annually'")],
];
