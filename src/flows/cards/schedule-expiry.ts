import { appendEvent } from "../../events/outbox.ts";
import type { Instant } from "../../kernel/time.ts";
import { CARD_ANNOUNCE_EXPIRING, CARD_EXPIRE, CARD_EXPIRING } from "../../modules/cards/declarations.ts";
import { endsAt, expiringFrom, isExpiring } from "../../modules/cards/rules.ts";
import { moveCard } from "../../modules/cards/states.ts";
import { findCard, lockCards, updateCard } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { cardView } from "../../modules/cards/view.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

/**
 * Enqueues the work that announces a card's expiry and the work that expires it; cancels both for a card that is not
 * active.
 */
export function scheduleExpiry(tx: Tx, card: Card): void {
  const active = card.status === "active";
  const waiting: [typeof CARD_EXPIRE, Instant | null][] = [
    [CARD_ANNOUNCE_EXPIRING, active && card.expiringAnnouncedAt === null ? expiringFrom(card) : null],
    [CARD_EXPIRE, active ? endsAt(card) : null],
  ];
  for (const [work, at] of waiting)
    if (at) enqueue(tx, work, card.id, at);
    else cancelWork(tx, work, card.id);
}

/** Locks the cards of a card's customer, and returns the card; null when there is none. */
export async function lockCard(tx: Tx, id: string): Promise<Card | null> {
  const found = await findCard(tx, id);
  const cards = found ? await lockCards(tx, found.customerId) : [];
  return cards.find((card) => card.id === id) ?? null;
}

/**
 * `card.announce_expiring`, 30 days before a card expires: appends the event, once for each card and expiry
 * (interface 6). The caller has locked the card.
 */
export async function announceExpiring(tx: Tx, ctx: Ctx, card: Card): Promise<null> {
  if (card.expiringAnnouncedAt !== null || !isExpiring(card, ctx.now)) return null;
  const told = { ...card, expiringAnnouncedAt: ctx.now, updatedAt: ctx.now };
  updateCard(tx, told);
  appendEvent(tx, ctx.now, CARD_EXPIRING, card.id, cardView(told, ctx.now));
  return null;
}

/**
 * `card.expire`, at the end of the card's month (interface 3.6). A default card stays the default: only the customer or
 * the merchant change that (decisions.md#failed-default-card-stays-default). The caller has locked the card.
 */
export async function expireCard(tx: Tx, ctx: Ctx, card: Card): Promise<null> {
  const end = endsAt(card);
  const status = moveCard(card.status, "expire");
  if (!status || end === null || end > ctx.now) return null;
  updateCard(tx, { ...card, status, updatedAt: ctx.now });
  return null;
}
