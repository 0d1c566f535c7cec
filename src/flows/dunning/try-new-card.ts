import { isUsable } from "../../modules/cards/rules.ts";
import { cardsOfCustomer, findCardOfCharge } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { SUBSCRIPTION_COLLECT, SUBSCRIPTION_NEW_CARD } from "../../modules/dunning/declarations.ts";
import { withNewCard } from "../../modules/dunning/rules.ts";
import { lastMissed, missedByCustomer, saveCollection } from "../../modules/dunning/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { lockCollected } from "./collect-invoice.ts";

/**
 * Enqueues a try of a card for the missed collections of its customer's subscriptions, when the card has become the
 * default one.
 */
export const askForNewCard = (tx: Tx, { now }: Pick<Ctx, "now">, { customerId }: Pick<Card, "customerId">): void =>
  enqueue(tx, SUBSCRIPTION_NEW_CARD, customerId, now);

/**
 * `customer_subscription.new_card`: tries a customer's default card once, immediately, for the missed collections of
 * their subscriptions, unless the last attempt was made with it (interface 16.16). Leaves out those whose payment a
 * bank reversed. Locks each subscription in a transaction of its own.
 */
export async function tryNewCard(services: Services, ctx: Ctx, customerId: string): Promise<null> {
  const { id: organisation } = ctx.organisation;
  const [cards, missed] = await services.db.read(organisation, (tx) =>
    Promise.all([cardsOfCustomer(tx, customerId), missedByCustomer(tx, customerId)]),
  );
  const card = cards.find(({ isDefault }) => isDefault);
  if (!card || !isUsable(card, ctx.now)) return null;
  for (const { invoiceId } of missed)
    await services.db.transaction(organisation, (tx) => tryCard(tx, ctx, invoiceId, card));
  return null;
}

/**
 * Enqueues one immediate try of a card for an invoice of a subscription whose collection was missed, unless the last
 * attempt was made with it (interface 16.16). Returns whether it is tried. Locks the subscription.
 */
export async function tryCard(tx: Tx, ctx: Ctx, invoiceId: string, card: Card): Promise<boolean> {
  const found = await lockCollected(tx, ctx, invoiceId);
  if (!found || found.collection.missedAt === null || found.collection.ended === "taken_back") return false;
  const last = await lastMissed(tx, found.collection.invoiceId);
  const charged = last?.transactionId ? await findCardOfCharge(tx, last.transactionId) : null;
  if (charged?.id === card.id) return false;
  const { dunning } = await currentSettings(tx);
  saveCollection(tx, withNewCard(found.collection, card.id, dunning, ctx.now));
  enqueue(tx, SUBSCRIPTION_COLLECT, invoiceId, ctx.now);
  return true;
}
