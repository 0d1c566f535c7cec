import { addDays, type BusinessDay, firstOfNextMonth, type Instant, startOfDay } from "../../kernel/time.ts";
import type { Card, CardFace } from "./types.ts";

/** Interface 2.9: from so many days before its end an active card is expiring. */
const EXPIRING_DAYS = 30;

type Expiry = Pick<CardFace, "expiryMonth" | "expiryYear">;

/** What a gateway tells of an expiry, where it is one: a month of a year of four digits. */
export function knownExpiry({ expiryMonth, expiryYear }: Expiry): Expiry {
  const known = expiryMonth !== null && expiryYear !== null;
  const possible = known && expiryMonth >= 1 && expiryMonth <= 12 && expiryYear >= 2000 && expiryYear <= 9998;
  return possible ? { expiryMonth, expiryYear } : { expiryMonth: null, expiryYear: null };
}

/** The day after the last of the card's month, South African time; null when its expiry is not known. */
function endDay({ expiryMonth, expiryYear }: Expiry): BusinessDay | null {
  return expiryMonth === null || expiryYear === null ? null : firstOfNextMonth(expiryYear, expiryMonth);
}

/** From when on the card has expired; null: it never does. */
export function endsAt(card: Expiry): Instant | null {
  const end = endDay(card);
  return end && startOfDay(end);
}

/** From when on the card is expiring; null: it never is. */
export function expiringFrom(card: Expiry): Instant | null {
  const end = endDay(card);
  return end && startOfDay(addDays(end, -EXPIRING_DAYS));
}

/** The card as it stands at `now`: past its month it is expired, also while the work that records it is still to be done. */
export function asOf<Known extends Card>(card: Known, now: Instant): Known {
  const end = endsAt(card);
  return card.status === "active" && end !== null && end <= now ? { ...card, status: "expired" } : card;
}

/** Active, and expiring within 30 days (interface 2.9). */
export function isExpiring(card: Card, now: Instant): boolean {
  const from = expiringFrom(card);
  return asOf(card, now).status === "active" && from !== null && from <= now;
}

/** Can be charged and preferred, as far as the card itself goes. */
export const isUsable = (card: Card, now: Instant): boolean => asOf(card, now).status === "active";

/** The card that takes the place of a removed default one: the newest other usable card (interface 3.6). Null: there is none. */
export function promotedAfter(removed: Pick<Card, "id">, cards: readonly Card[], now: Instant): Card | null {
  const others = cards.filter((card) => card.id !== removed.id && isUsable(card, now));
  return others.toSorted((one, other) => (one.id < other.id ? 1 : -1))[0] ?? null;
}

/** As lists show them: the default card first, then the newest (interface 4.11). */
export const inListOrder = (cards: readonly Card[]): Card[] =>
  cards.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault) || (one.id < other.id ? 1 : -1));
