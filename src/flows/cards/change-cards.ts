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
import { watchExpiry } from "./watch-expiry.ts";

/** A card before and after a change. */
export interface ChangedCard {
  readonly before: Card;
  readonly after: Card;
}

/** The cards that a customer ever saved; removed ones only where they are wanted. 404 for an unknown customer. */
export async function cardsOf(tx: Tx, customerId: string, removedToo: boolean): Promise<Card[]> {
  const [customer, cards] = await Promise.all([findCustomer(tx, customerId), cardsOfCustomer(tx, customerId)]);
  if (!customer) throw notFound("customer");
  return removedToo ? cards : cards.filter(({ status }) => status !== "removed");
}

/** One of a customer's cards. 404 for an unknown customer or card, a removed one too (interface 7). */
export async function cardOf(tx: Tx, customerId: string, cardId: string): Promise<Card> {
  const card = (await cardsOf(tx, customerId, false)).find(({ id }) => id === cardId);
  if (!card) throw notFound("card");
  return card;
}

/** Interface 4.11, POST …/default; again it changes nothing. 404; 400 for a card that is expired, failed or removed. */
export async function preferCard(tx: Tx, ctx: Ctx, customerId: string, cardId: string): Promise<ChangedCard> {
  const { cards, card: before } = await lockedCard(tx, customerId, cardId);
  if (!isUsable(before, ctx.now))
    throw invalid(`The card is ${asOf(before, ctx.now).status}, so it cannot be the default card.`);
  if (before.isDefault) return { before, after: before };
  const replaced = cards.find(({ isDefault }) => isDefault);
  if (replaced) updateCard(tx, { ...replaced, isDefault: false, updatedAt: ctx.now });
  const after = { ...before, isDefault: true, updatedAt: ctx.now };
  updateCard(tx, after);
  return { before, after };
}

/** Interface 4.11, DELETE: the newest other usable card takes the place of a default one (interface 3.6). 404, once removed too. */
export async function removeCard(tx: Tx, ctx: Ctx, customerId: string, cardId: string): Promise<ChangedCard> {
  const { cards, card: before } = await lockedCard(tx, customerId, cardId);
  const status = moveCard(before.status, "remove");
  if (!status) throw notFound("card");
  const after = { ...before, status, isDefault: false, updatedAt: ctx.now };
  updateCard(tx, after);
  const promoted = before.isDefault ? promotedAfter(before, cards, ctx.now) : null;
  if (promoted) updateCard(tx, { ...promoted, isDefault: true, updatedAt: ctx.now });
  watchExpiry(tx, after);
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
