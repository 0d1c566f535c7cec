import { moveCard } from "../../modules/cards/states.ts";
import { findCardByFingerprint, lockCards, updateCard } from "../../modules/cards/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { scheduleExpiry } from "./schedule-expiry.ts";

/**
 * Fails a card whose token a gateway has cancelled, found by its fingerprint: it will never pay again, as after a hard
 * decline (interface 3.6). Returns the outcome; a removed card does not change. Locks the customer's cards.
 */
export async function failCancelledCard(
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
