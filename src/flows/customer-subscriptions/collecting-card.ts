import { cardsOfCustomer } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { ShownSubscription, SubscriptionCard } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";

/**
 * The card to which a subscription's charges are made now: its own, else the customer's default
 * (decisions.md#a-card-per-subscription); null when neither can be charged. Locks nothing.
 */
export async function collectingCard(
  tx: Tx,
  ctx: Ctx,
  { card, customer }: Pick<ShownSubscription, "card" | "customer">,
): Promise<Card | null> {
  const cards = await cardsOfCustomer(tx, customer.id);
  if (cards.length === 0) return null;
  const usable = cards.filter(await chargeableNow(tx, ctx));
  return usable.find(({ id }) => id === card?.id) ?? usable.find(({ isDefault }) => isDefault) ?? null;
}

/** A saved card, as subscriptions store it. */
export const subscriptionCard = ({ id, brand, last4, expiryMonth, expiryYear }: Card): SubscriptionCard => ({
  id,
  brand,
  last4,
  expiryMonth,
  expiryYear,
});
