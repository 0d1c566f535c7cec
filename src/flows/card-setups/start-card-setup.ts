import type { CardSetupId } from "../../kernel/ids.ts";
import { asOf } from "../../modules/card-setups/states.ts";
import { insertCardSetupPayment, lockCardSetup } from "../../modules/card-setups/store.ts";
import { CARD_SETUP_AMOUNT, CARD_SETUP_CURRENCY } from "../../modules/card-setups/types.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { migrationOfSetup } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { setupFor, setupGateways } from "../gateways/card-gateways.ts";
import { monthlyLimitReachedAtStart } from "../payments/monthly-limit.ts";
import {
  type Attempt,
  type AttemptPages,
  recordAttempt,
  type StartedAttempt,
  startPayment,
} from "../payments/start-payment.ts";
import type { Services } from "../services.ts";
import { type CardSetupUnavailable, whyUnavailable } from "./read-card-setup.ts";

/** The customer's choice and entries on the page. */
export interface CardSetupChoice {
  readonly gatewayId: string;
  /** Null when the customer's address is known. */
  readonly email: string | null;
}

type NoAttempt =
  | { readonly kind: "unavailable"; readonly why: CardSetupUnavailable }
  | { readonly kind: "not_offered" };

/** Starts the payment of 1.00 that saves a card (interface 4.11), as `startPayment` does. Locks the session. */
export const startCardSetup = (
  services: Services,
  ctx: Ctx,
  id: CardSetupId,
  choice: CardSetupChoice,
  pages: (reference: string) => AttemptPages,
): Promise<StartedAttempt | NoAttempt> => startPayment(services, ctx, (tx) => attemptOn(tx, ctx, id, choice), pages);

async function attemptOn(tx: Tx, ctx: Ctx, id: CardSetupId, choice: CardSetupChoice): Promise<Attempt | NoAttempt> {
  const locked = await lockCardSetup(tx, id);
  if (!locked) return { kind: "unavailable", why: "expired" };
  const setup = asOf(locked, ctx.now);
  const migration = await migrationOfSetup(tx, setup.id);
  const [gateways, limitReached, customer] = await Promise.all([
    setupGateways(tx, ctx, setupFor(migration)),
    monthlyLimitReachedAtStart(tx, ctx),
    findCustomer(tx, setup.customerId),
  ]);
  const why = whyUnavailable(ctx, setup, { customer, gateways, limitReached });
  if (why) return { kind: "unavailable", why };
  const gateway = gateways.find(({ account }) => account.id === choice.gatewayId);
  if (!gateway) return { kind: "not_offered" };
  const transaction = recordAttempt(tx, ctx, gateway, {
    amount: CARD_SETUP_AMOUNT,
    currency: CARD_SETUP_CURRENCY,
    type: "card_setup",
    description: "Card set-up",
    payerEmail: choice.email ?? customer?.email ?? null,
    customerId: setup.customerId,
    subscriptionId: migration?.subscription.id ?? null,
  });
  insertCardSetupPayment(tx, setup.id, transaction.id);
  const { firstName = null, lastName = null, phone = null } = customer ?? {};
  return { transaction, gateway, payer: { firstName, lastName, phone }, recurring: termsOf(migration), saveCard: true };
}

/**
 * The terms of the subscription that the payment also starts at its gateway, for a migration that was begun earlier
 * (interface 4.7).
 */
const termsOf = (migration: SubscriptionMigration | null): Attempt["recurring"] =>
  migration?.subscription.runs === "at_gateway"
    ? { frequency: migration.frequency, amount: migration.amount, nextChargeOn: migration.nextDate }
    : null;
