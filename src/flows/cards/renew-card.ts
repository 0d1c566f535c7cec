import type { CardDetails, CardFact } from "../../gateways/facts.ts";
import { fingerprintsOf, isUsable, recognised, renewed } from "../../modules/cards/rules.ts";
import { customersOfFingerprints, lockCards, TOKEN_COLUMN, updateCard } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { recordNotification } from "../../modules/gateway-notifications/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { ReportedBy } from "../payments/record-fact.ts";
import { storeCard } from "./save-card.ts";
import { scheduleExpiry } from "./schedule-expiry.ts";

/**
 * Gives a card the expiry, number and token that its gateway reports: it keeps its id, and an expired card can pay
 * again (interface 3.6). Returns whether anything was new. `cards` are all cards of the customer, locked by
 * `lockCards`.
 */
export async function renewCard(
  tx: Tx,
  ctx: Ctx,
  cards: readonly Card[],
  known: Card,
  details: CardDetails,
): Promise<boolean> {
  // An erased card has no token either.
  if (known.status === "removed") return false;
  const [named] = fingerprintsOf(details);
  const isTaken = cards.some((card) => card.id !== known.id && holds(card, known.gatewayAccountId, named));
  const told = renewed(known, isTaken ? { ...details, fingerprint: known.fingerprint } : details);
  const card = { ...told, tokenSealed: tokenOf(ctx, told, details), updatedAt: ctx.now };
  if (told === known && card.tokenSealed === known.tokenSealed) return false;
  if (!isUsable(known, ctx.now) && isUsable(card, ctx.now)) await storeCard(tx, ctx, known, card);
  else {
    updateCard(tx, card);
    scheduleExpiry(tx, card);
  }
  return true;
}

const holds = (card: Card, accountId: string, fingerprint: string | undefined): boolean =>
  fingerprint !== undefined && card.gatewayAccountId === accountId && card.fingerprint === fingerprint;

/** The encrypted token: the stored one, unless the gateway reports another. */
function tokenOf({ secrets, organisation }: Ctx, { tokenSealed }: Card, { token }: CardDetails): string {
  const context = { organisation: organisation.id, column: TOKEN_COLUMN };
  return token === null || secrets.open(tokenSealed, context) === token ? tokenSealed : secrets.seal(token, context);
}

/**
 * Applies the report that a card's network has renewed it, to the card of each customer who saved it at the account
 * (decisions.md#renewed-cards-keep-their-id). A repeated or late report changes nothing. Nothing of the report that
 * names the card is kept. Locks the customers' cards.
 */
export async function applyCardFact(tx: Tx, ctx: Ctx, reportedBy: ReportedBy, fact: CardFact): Promise<void> {
  const { about, kind, occurredAt, gatewayWord, card: details } = fact;
  const { accountId } = reportedBy;
  let outcome: "applied" | "repeated" | "unknown_reference" = "unknown_reference";
  for (const customer of await customersOfFingerprints(tx, accountId, fingerprintsOf(details))) {
    const cards = await lockCards(tx, customer);
    const known = recognised(cards, accountId, details);
    if (!known || known.status === "removed") continue;
    if (await renewCard(tx, ctx, cards, known, details)) outcome = "applied";
    else if (outcome === "unknown_reference") outcome = "repeated";
  }
  const { brand, expiryMonth, expiryYear } = details;
  recordNotification(tx, {
    ...reportedBy,
    reference: null,
    fact: { about, kind, occurredAt, gatewayWord, brand, expiryMonth, expiryYear },
    outcome,
    problem: outcome === "unknown_reference" ? "no saved card has this number" : null,
    receivedAt: ctx.now,
  });
}
