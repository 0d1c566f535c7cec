import { appendEvent } from "../../events/outbox.ts";
import { invalid, notFound } from "../../kernel/errors.ts";
import { CARD_REMOVED } from "../../modules/cards/declarations.ts";
import { asOf, isUsable, promotedAfter } from "../../modules/cards/rules.ts";
import { moveCard } from "../../modules/cards/states.ts";
import { cardsOfCustomer, lockCards, updateCard } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { cardView } from "../../modules/cards/view.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { newDefaultCard } from "./save-card.ts";
import { scheduleExpiry } from "./schedule-expiry.ts";

/** A card before and after a change. */
export interface ChangedCard {
  readonly before: Card;
  readonly after: Card;
}

/** A customer's saved cards, with removed ones when `removedToo`. Throws 404 for an unknown customer. */
export async function cardsOf(tx: Tx, customerId: string, removedToo: boolean): Promise<Card[]> {
  const [customer, cards] = await Promise.all([findCustomer(tx, customerId), cardsOfCustomer(tx, customerId)]);
  if (!customer) throw notFound("customer");
  return removedToo ? cards : cards.filter(({ status }) => status !== "removed");
}

/** One of a customer's cards. Throws 404 for an unknown customer or card, and for a removed card (interface 7). */
export async function cardOf(tx: Tx, customerId: string, cardId: string): Promise<Card> {
  const card = (await cardsOf(tx, customerId, false)).find(({ id }) => id === cardId);
  if (!card) throw notFound("card");
  return card;
}

/**
 * Makes a card the default (interface 4.11, POST …/default); the present default card does not change. Locks the
 * customer's cards. Throws 404; 400 for a card that is expired, failed or removed.
 */
export async function setDefaultCard(tx: Tx, ctx: Ctx, customerId: string, cardId: string): Promise<ChangedCard> {
  const { cards, card: before } = await lockedCard(tx, customerId, cardId);
  if (!isUsable(before, ctx.now))
    throw invalid(`The card is ${asOf(before, ctx.now).status}, so it cannot be the default card.`);
  if (before.isDefault) return { before, after: before };
  const replaced = cards.find(({ isDefault }) => isDefault);
  if (replaced) updateCard(tx, { ...replaced, isDefault: false, updatedAt: ctx.now });
  const after = { ...before, isDefault: true, updatedAt: ctx.now };
  updateCard(tx, after);
  newDefaultCard(tx, ctx, after);
  return { before, after };
}

/**
 * Removes a card (interface 4.11, DELETE). When it was the default, the newest other usable card becomes the default
 * (interface 3.6). Locks the customer's cards. Throws 404, also for a card that is removed already.
 */
export async function removeCard(tx: Tx, ctx: Ctx, customerId: string, cardId: string): Promise<ChangedCard> {
  const { cards, card: before } = await lockedCard(tx, customerId, cardId);
  const status = moveCard(before.status, "remove");
  if (!status) throw notFound("card");
  const after = { ...before, status, isDefault: false, updatedAt: ctx.now };
  updateCard(tx, after);
  const promoted = before.isDefault ? promotedAfter(before, cards, ctx.now) : null;
  if (promoted) updateCard(tx, { ...promoted, isDefault: true, updatedAt: ctx.now });
  scheduleExpiry(tx, after);
  appendEvent(tx, ctx.now, CARD_REMOVED, after.id, cardView(after, ctx.now));
  return { before, after };
}

async function lockedCard(
  tx: Tx,
  customerId: string,
  cardId: string,
): Promise<{ readonly cards: readonly Card[]; readonly card: Card }> {
  const customer = await findCustomer(tx, customerId);
  if (!customer) throw notFound("customer");
  const cards = await lockCards(tx, customer.id);
  const card = cards.find(({ id }) => id === cardId);
  if (!card) throw notFound("card");
  return { cards, card };
}
