import { addDays, type BusinessDay, firstOfNextMonth, type Instant, startOfDay } from "../../kernel/time.ts";
import type { Card, CardFace } from "./types.ts";

/** Interface 2.9: from this many days before its end an active card is expiring. */
const EXPIRING_DAYS = 30;

type Expiry = Pick<CardFace, "expiryMonth" | "expiryYear">;

/** The expiry that a gateway reports, when it is a valid month and a year of four digits; else null for both. */
export function knownExpiry({ expiryMonth, expiryYear }: Expiry): Expiry {
  const known = expiryMonth !== null && expiryYear !== null;
  const possible = known && expiryMonth >= 1 && expiryMonth <= 12 && expiryYear >= 2000 && expiryYear <= 9998;
  return possible ? { expiryMonth, expiryYear } : { expiryMonth: null, expiryYear: null };
}

/** The day after the last of the card's month, South African time; null when its expiry is not known. */
function endDay({ expiryMonth, expiryYear }: Expiry): BusinessDay | null {
  return expiryMonth === null || expiryYear === null ? null : firstOfNextMonth(expiryYear, expiryMonth);
}

/** When the card expires; null when its expiry is not known. */
export function endsAt(card: Expiry): Instant | null {
  const end = endDay(card);
  return end && startOfDay(end);
}

/** From when the card counts as expiring; null when its expiry is not known. */
export function expiringFrom(card: Expiry): Instant | null {
  const end = endDay(card);
  return end && startOfDay(addDays(end, -EXPIRING_DAYS));
}

/** The card with its status at `now`: expired from the end of its month, even when the work that stores this has not run yet. */
export function asOf<Known extends Card>(card: Known, now: Instant): Known {
  const end = endsAt(card);
  return card.status === "active" && end !== null && end <= now ? { ...card, status: "expired" } : card;
}

/** Whether the card is active and expires within 30 days (interface 2.9). */
export function isExpiring(card: Card, now: Instant): boolean {
  const from = expiringFrom(card);
  return asOf(card, now).status === "active" && from !== null && from <= now;
}

/** Whether the card itself can be charged and be the default. */
export const isUsable = (card: Card, now: Instant): boolean => asOf(card, now).status === "active";

/** The card that becomes the default after the default was removed: the newest other usable card (interface 3.6). Null when there is none. */
export function promotedAfter(removed: Pick<Card, "id">, cards: readonly Card[], now: Instant): Card | null {
  const others = cards.filter((card) => card.id !== removed.id && isUsable(card, now));
  return others.toSorted((one, other) => (one.id < other.id ? 1 : -1))[0] ?? null;
}

/** The cards in the order of lists: the default first, then the newest (interface 4.11). */
export const inListOrder = (cards: readonly Card[]): Card[] =>
  cards.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault) || (one.id < other.id ? 1 : -1));
