import { isUsable } from "../../modules/cards/rules.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Ctx } from "../context.ts";
import { type Gateway, gatewayOf } from "../gateways/accounts.ts";
import { chargesCards } from "../gateways/card-gateways.ts";

/** Why a card cannot be charged now (interface 4.11). */
export type NotCharging = "card_not_chargeable" | "card_charges_unavailable";

/**
 * The gateway that charges a card, which is the one that has saved it, or why the card cannot be charged now: it is
 * expired, failed, removed or of a network that its gateway does not charge; or its gateway account charges no cards at
 * present. `accounts` are all accounts of the organisation.
 */
export function chargingGateway(ctx: Ctx, card: Card, accounts: readonly GatewayAccount[]): Gateway | NotCharging {
  const account = accounts.find(({ id }) => id === card.gatewayAccountId);
  const gateway = account && gatewayOf(account);
  const networks = gateway?.adapter.storedCards?.brands;
  if (!isUsable(card, ctx.now) || (networks && !networks.includes(card.brand))) return "card_not_chargeable";
  return gateway && chargesCards(ctx, gateway) ? gateway : "card_charges_unavailable";
}
