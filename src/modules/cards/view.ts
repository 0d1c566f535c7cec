import { type Instant, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { asOf, isExpiring } from "./rules.ts";
import type { Card } from "./types.ts";

/** Interface 2.9, as it stands at `now` and as events carry it: without `chargeable`, which changes without the card. */
export function cardView(stored: Card, now: Instant) {
  const card = asOf(stored, now);
  return {
    object: "card" as const,
    id: card.id,
    customerId: card.customerId,
    brand: card.brand,
    last4: card.last4,
    expiryMonth: card.expiryMonth,
    expiryYear: card.expiryYear,
    holderName: card.holderName,
    isDefault: card.isDefault,
    status: card.status,
    expiring: isExpiring(card, now),
    source: card.source,
    createdAt: toTimestamp(card.createdAt),
    lastUsedAt: toTimestampOrNull(card.lastUsedAt),
  };
}
