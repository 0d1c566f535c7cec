import type { Ctx } from "../../src/flows/context.ts";
import { matchCustomer } from "../../src/flows/customers/match-customer.ts";
import { openConfirmation } from "../../src/flows/subscription-migrations/start-migrations.ts";
import { cents } from "../../src/kernel/money.ts";
import type { CalendarDay } from "../../src/kernel/time.ts";
import { insertGatewaySubscription } from "../../src/modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../src/modules/gateway-subscriptions/types.ts";
import { insertMigration } from "../../src/modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../src/modules/subscription-migrations/types.ts";
import type { Tx } from "../../src/platform/database.ts";
import { newId } from "../../src/platform/new-id.ts";

/** A migration as it was begun until its subscription became a customer subscription: one that waits at no gateway yet. No mail is sent. */
export async function addMigrationAtGateway(
  tx: Tx,
  ctx: Ctx,
  { legacyReference, nextDate, amount = 12_000, cancelsLegacy = false }: AskedMigration,
): Promise<SubscriptionMigration> {
  const email = `${legacyReference}@example.co.za`;
  const customer = await matchCustomer(tx, ctx, { email, firstName: "Thandi", lastName: "Nkosi" });
  const terms = { amount: cents(amount), frequency: "monthly" } as const;
  const subscription: GatewaySubscription = {
    ...terms,
    id: newId("gsub"),
    status: "pending",
    otherAmount: null,
    currency: "ZAR",
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
  const { id: cardSetupId } = await openConfirmation(tx, ctx, customer.id, "migration_at_gateway");
  const migration: SubscriptionMigration = {
    ...terms,
    id: newId("gsm"),
    legacyReference,
    payerName: "Thandi Nkosi",
    email,
    nextDate,
    status: "link_sent",
    cancelsLegacy,
    subscription: { runs: "at_gateway", id: subscription.id },
    customerId: customer.id,
    cardSetupId,
    createdAt: ctx.now,
  };
  insertMigration(tx, migration);
  return migration;
}

interface AskedMigration {
  readonly legacyReference: string;
  readonly nextDate: CalendarDay;
  /** In cents, a month. */
  readonly amount?: number;
  readonly cancelsLegacy?: boolean;
}
