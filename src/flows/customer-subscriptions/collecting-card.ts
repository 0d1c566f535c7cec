import { cardsToCharge } from "../../modules/cards/rules.ts";
import { cardsOfCustomer } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { ShownSubscription, SubscriptionCard } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";

/** The first of `cardsToCharge` that can be charged now; null when there is none. Locks nothing. */
export async function collectingCard(
  tx: Tx,
  ctx: Ctx,
  { card, customer }: Pick<ShownSubscription, "card" | "customer">,
): Promise<Card | null> {
  const cards = await cardsOfCustomer(tx, customer.id);
  if (cards.length === 0) return null;
  return cardsToCharge(cards, card?.id).find(await chargeableNow(tx, ctx)) ?? null;
}

/** A saved card, as subscriptions store it. */
export const subscriptionCard = ({ id, brand, last4, expiryMonth, expiryYear }: Card): SubscriptionCard => ({
  id,
  brand,
  last4,
  expiryMonth,
  expiryYear,
});
