import { accountCapabilities } from "../../gateways/capabilities.ts";
import type { Capability } from "../../gateways/contract.ts";
import type { Cents } from "../../kernel/money.ts";
import { CARD_SETUP_AMOUNT, CARD_SETUP_CURRENCY } from "../../modules/card-setups/types.ts";
import { asOf } from "../../modules/cards/rules.ts";
import type { Card } from "../../modules/cards/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { checkoutGateways, credentialsOf, type Gateway, gatewayOf, takesAmount } from "./accounts.ts";

/**
 * Whether an enabled account has the capability for cards. Cards are saved and charged only through live accounts, in
 * sandbox organisations through all accounts (interface 4.11, 13.6).
 */
const can = (ctx: Ctx, { account, adapter }: Gateway, capability: Capability): boolean =>
  account.enabled &&
  (ctx.organisation.sandbox || account.mode === "live") &&
  accountCapabilities(adapter, credentialsOf(ctx, account)).includes(capability);

/** Whether a payment through the gateway can save a card. */
export const savesCards = (ctx: Ctx, gateway: Gateway): boolean => can(ctx, gateway, "saveCard");

/** Gateways whose pages can save a card with a payment of this amount, in the order in which payers see them. */
const cardGateways = async (tx: Tx, ctx: Ctx, amount: Cents, currency: string): Promise<Gateway[]> =>
  checkoutGateways(await listGatewayAccounts(tx), currency).filter(
    (gateway) => savesCards(ctx, gateway) && takesAmount(gateway, amount, currency),
  );

/**
 * What a card set-up is for: to keep the card; to charge it for the subscription of a migration; or to start, by the
 * same payment, the subscription that the gateway runs for a migration that was begun earlier (interface 4.7).
 */
export type SetupFor = "card" | "migration" | "migration_at_gateway";

/** What the set-up of this migration is for; null stands for a set-up without a migration. */
export const setupFor = (migration: SubscriptionMigration | null): SetupFor =>
  migration === null ? "card" : migration.subscription.runs === "here" ? "migration" : "migration_at_gateway";

/** Gateways that can make the payment of a card set-up, in the order in which payers see them. */
export async function setupGateways(tx: Tx, ctx: Ctx, use: SetupFor): Promise<Gateway[]> {
  const gateways = await cardGateways(tx, ctx, CARD_SETUP_AMOUNT, CARD_SETUP_CURRENCY);
  if (use === "card") return gateways;
  if (use === "migration") return gateways.filter((gateway) => chargesCards(ctx, gateway));
  return gateways.filter(({ adapter }) => adapter.subscriptions !== undefined && !adapter.checkout?.savesEither);
}

/** Whether the gateway charges saved cards, of any network. */
export const chargesCards = (ctx: Ctx, gateway: Gateway): boolean => can(ctx, gateway, "chargeStoredCard");

/** Whether the card of a payment through the gateway can also pay later charges. */
export const keepsCards = (ctx: Ctx, gateway: Gateway): boolean =>
  savesCards(ctx, gateway) && chargesCards(ctx, gateway);

/**
 * Returns a function that says whether a card can be charged now (interface 2.9): it is usable, and an enabled account
 * that charges cards of its network has saved it.
 */
export async function chargeableNow(tx: Tx, ctx: Ctx): Promise<(card: Card) => boolean> {
  const charging = (await listGatewayAccounts(tx)).map(gatewayOf).filter((gateway) => chargesCards(ctx, gateway));
  const networks = new Map<string, readonly string[]>(
    charging.map(({ account, adapter }) => [account.id, adapter.storedCards?.brands ?? []]),
  );
  return (card) =>
    asOf(card, ctx.now).status === "active" && (networks.get(card.gatewayAccountId) ?? []).includes(card.brand);
}
