import { invalid } from "../../kernel/errors.ts";
import { lockCards } from "../../modules/cards/store.ts";
import { saveCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { openCollections } from "../../modules/dunning/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { lockForAction, requireCollected, requireNotEnded } from "../customer-subscriptions/act-on-subscription.ts";
import { appendSubscriptionEvent } from "../customer-subscriptions/apply-outcome.ts";
import { subscriptionCard } from "../customer-subscriptions/collecting-card.ts";
import { SUBSCRIPTION_UPDATED } from "../customer-subscriptions/declarations.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";
import { tryCard } from "./try-new-card.ts";

/**
 * Charges a subscription to another of its customer's saved cards from now on, and tries that card once, immediately,
 * for missed collections. Locks as `lockForAction`, then the customer's cards. Throws 404; 400 for a card that cannot
 * be charged; 409 `external_subscription`, `invalid_state` when the subscription has ended.
 */
export async function chooseCard(tx: Tx, ctx: Ctx, id: string, cardId: string): Promise<ShownSubscription> {
  const before = await lockForAction(tx, ctx, id);
  requireCollected(before);
  requireNotEnded(before);
  const cards = await lockCards(tx, before.customer.id);
  const card = cards.filter(await chargeableNow(tx, ctx)).find((one) => one.id === cardId);
  if (!card || before.collectionMethod !== "gateway") throw invalid("Choose one of your cards.");
  if (before.card?.id === card.id) return before;
  const after = { ...before, card: subscriptionCard(card), updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_UPDATED, after, null);
  for (const { invoiceId, missedAt } of await openCollections(tx, after.id))
    if (missedAt !== null) await tryCard(tx, ctx, invoiceId, card);
  return after;
}
