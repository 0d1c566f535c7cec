import { appendEvent } from "../../events/outbox.ts";
import type { CardDetails } from "../../gateways/facts.ts";
import { assert } from "../../kernel/assert.ts";
import type { CustomerId, GatewayAccountId } from "../../kernel/ids.ts";
import { CARD_ADDED } from "../../modules/cards/declarations.ts";
import { isUsable, knownExpiry, recognised } from "../../modules/cards/rules.ts";
import { moveCard } from "../../modules/cards/states.ts";
import { insertCard, TOKEN_COLUMN, updateCard } from "../../modules/cards/store.ts";
import type { Card, CardSource } from "../../modules/cards/types.ts";
import { cardView } from "../../modules/cards/view.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Tx } from "../../platform/database.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { scheduleExpiry } from "./schedule-expiry.ts";

/** A card that a gateway has saved, to be stored as a card of the customer. */
export interface CardToSave {
  readonly customerId: CustomerId;
  readonly gatewayAccountId: GatewayAccountId;
  readonly details: CardDetails & { readonly token: string };
  readonly source: CardSource;
  /**
   * Whether it becomes the customer's default: always, only when no usable card is the default, or never. An expired
   * card never does.
   */
  readonly makeDefault: "always" | "if_none" | "never";
}

/** What follows when a usable card has become its customer's default, or the default card can pay again. */
export const NEW_DEFAULT_CARD = new ExtensionPoint<(tx: Tx, ctx: Ctx, card: Card) => void>();

/** Runs `NEW_DEFAULT_CARD`. */
export function newDefaultCard(tx: Tx, ctx: Ctx, card: Card): void {
  for (const react of NEW_DEFAULT_CARD.of(ctx)) react(tx, ctx, card);
}

/**
 * Stores a card of a customer: a new one, or the one that its gateway account recognises, which keeps its id and gets
 * the new expiry and token (interface 3.6). `cards` are all cards of the customer, locked by `lockCards`.
 */
export async function saveCard(tx: Tx, ctx: Ctx, cards: readonly Card[], saved: CardToSave): Promise<Card> {
  const known = recognised(cards, saved.gatewayAccountId, saved.details);
  const card = mergedCard(ctx, cards, known, saved);
  if (card.isDefault)
    for (const other of cards)
      if (other.isDefault && other.id !== card.id) updateCard(tx, { ...other, isDefault: false, updatedAt: ctx.now });
  await storeCard(tx, ctx, known, card);
  return card;
}

/**
 * Stores a card that was saved, or can pay again; `known` is the card before, null for a new one. When it could not be
 * used before, the event is sent and its customer's open amounts are tried (interface 16.16). The caller holds
 * `lockCards`, and has taken the default from the others.
 */
export async function storeCard(tx: Tx, ctx: Ctx, known: Card | null, card: Card): Promise<void> {
  const wasUsable = known !== null && isUsable(known, ctx.now);
  if (known) updateCard(tx, card);
  else insertCard(tx, card);
  scheduleExpiry(tx, card);
  // A failed card that is saved again can pay again.
  if (card.isDefault && !(known?.isDefault && wasUsable)) newDefaultCard(tx, ctx, card);
  if (!wasUsable) {
    const customer = await findCustomer(tx, card.customerId);
    assert(customer, "the customer of a card stays");
    const { id, externalReference } = customer;
    const data = { ...cardView(card, ctx.now), customer: { id, externalReference } };
    appendEvent(tx, ctx.now, CARD_ADDED, card.id, data);
  }
}

function mergedCard(ctx: Ctx, cards: readonly Card[], known: Card | null, saved: CardToSave): Card {
  const { customerId, gatewayAccountId, details, source } = saved;
  const status = known ? moveCard(known.status, "save") : "active";
  assert(status, "every card may be saved again");
  const expiry = knownExpiry(details);
  const sameExpiry = known?.expiryMonth === expiry.expiryMonth && known?.expiryYear === expiry.expiryYear;
  const context = { organisation: ctx.organisation.id, column: TOKEN_COLUMN };
  const card: Card = {
    id: known?.id ?? newId("card"),
    customerId,
    gatewayAccountId,
    fingerprint: details.fingerprint,
    tokenSealed: ctx.secrets.seal(details.token, context),
    brand: details.brand,
    last4: details.last4,
    ...expiry,
    holderName: details.holderName,
    status,
    isDefault: known?.isDefault ?? false,
    source,
    expiringAnnouncedAt: sameExpiry ? (known?.expiringAnnouncedAt ?? null) : null,
    lastUsedAt: known?.lastUsedAt ?? null,
    createdAt: known?.createdAt ?? ctx.now,
    updatedAt: ctx.now,
  };
  return { ...card, isDefault: card.isDefault || becomesDefault(ctx, cards, card, saved) };
}

function becomesDefault({ now }: Ctx, cards: readonly Card[], card: Card, { makeDefault }: CardToSave): boolean {
  if (!isUsable(card, now)) return false;
  if (makeDefault !== "if_none") return makeDefault === "always";
  return !cards.some((other) => other.isDefault && isUsable(other, now));
}
