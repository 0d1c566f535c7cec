import { moveCard } from "../../modules/cards/states.ts";
import { findCardByFingerprint, lockCards, updateCard } from "../../modules/cards/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { scheduleExpiry } from "./card-expiry.ts";

/**
 * A gateway has cancelled the token of a card, known by its fingerprint: the card will never pay again and is failed, as after a hard decline (interface
 * 3.6). Answers what came of it; a removed card stays as it is. Locks the customer's cards.
 */
export async function loseCard(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  fingerprint: string,
): Promise<"unknown" | "repeated" | "applied"> {
  const found = await findCardByFingerprint(tx, accountId, fingerprint);
  const cards = found ? await lockCards(tx, found.customerId) : [];
  const card = cards.find(({ id }) => id === found?.id);
  if (!card) return "unknown";
  const status = moveCard(card.status, "fail");
  if (!status || status === card.status) return "repeated";
  const failed = { ...card, status, updatedAt: ctx.now };
  updateCard(tx, failed);
  scheduleExpiry(tx, failed);
  return "applied";
}
