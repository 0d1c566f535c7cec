import { addDays, type CalendarDay, firstOfNextMonth, type Instant, startOfDay } from "../../kernel/time.ts";
import { moveCard } from "./states.ts";
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
function endDay({ expiryMonth, expiryYear }: Expiry): CalendarDay | null {
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

/**
 * The cards on which a subscription is charged, in the order in which they are tried: its own, then the customer's default
 * (decisions.md#a-card-per-subscription). Removed cards are left out.
 */
export const cardsToCharge = (cards: readonly Card[], own: Card["id"] | undefined): readonly Card[] =>
  [...cards.filter(({ id }) => id === own), ...cards.filter(({ isDefault }) => isDefault)].filter(
    ({ status }) => status !== "removed",
  );

/** Whether the card is active and expires within 30 days (interface 2.9). */
export function isExpiring(card: Card, now: Instant): boolean {
  const from = expiringFrom(card);
  return asOf(card, now).status === "active" && from !== null && from <= now;
}

/** Whether the card itself can be charged and be the default. */
export const isUsable = (card: Card, now: Instant): boolean => asOf(card, now).status === "active";

/** What names a card at its gateway account: its fingerprint, and others under which it may have been saved. */
interface Named {
  readonly fingerprint: string | null;
  readonly otherFingerprints?: readonly string[];
}

/** The fingerprints of a card, its present one first. */
export const fingerprintsOf = ({ fingerprint, otherFingerprints = [] }: Named): string[] =>
  fingerprint === null ? [...otherFingerprints] : [fingerprint, ...otherFingerprints];

/** The card of a customer that the gateway account recognises as this one (interface 3.6); null when there is none. */
export function recognised(cards: readonly Card[], accountId: string, named: Named): Card | null {
  for (const fingerprint of fingerprintsOf(named)) {
    const found = cards.find((card) => card.gatewayAccountId === accountId && card.fingerprint === fingerprint);
    if (found) return found;
  }
  return null;
}

/**
 * The card with what its gateway tells of it now: an expiry that is not before the known one, and the number that has
 * it. The same card when that is nothing new; a removed card stays as it is, and one that has failed is to be saved
 * again. Reports may arrive in any order.
 */
export function renewed(card: Card, told: CardFace & Pick<Named, "fingerprint">): Card {
  const status = moveCard(card.status, "renew");
  const [end, known] = [endDay(knownExpiry(told)), endDay(card)];
  if (!status || end === null || (known !== null && end < known)) return card;
  const { last4, fingerprint, holderName } = told;
  const isLater = end !== known;
  const after = {
    ...card,
    ...knownExpiry(told),
    last4,
    brand: told.brand === "card" ? card.brand : told.brand,
    fingerprint: fingerprint ?? card.fingerprint,
    holderName: holderName ?? card.holderName,
    ...(isLater ? { status, expiringAnnouncedAt: null } : {}),
  };
  const fields = Object.keys(after) as (keyof Card)[];
  return fields.some((field) => after[field] !== card[field]) ? after : card;
}

/**
 * The card that becomes the default after the default was removed: the newest other usable card (interface 3.6). Null
 * when there is none.
 */
export function promotedAfter(removed: Pick<Card, "id">, cards: readonly Card[], now: Instant): Card | null {
  const others = cards.filter((card) => card.id !== removed.id && isUsable(card, now));
  return others.toSorted((one, other) => (one.id < other.id ? 1 : -1))[0] ?? null;
}

/** What a card's place in a list is reckoned from. */
type Placed = Pick<Card, "id" | "isDefault">;

/** The order of lists: the default first, then the newest (interface 4.11). */
const byPlace = (one: Placed, other: Placed): number =>
  Number(other.isDefault) - Number(one.isDefault) || (one.id < other.id ? 1 : -1);

/** The cards in the order of lists. */
export const inListOrder = (cards: readonly Card[]): Card[] => cards.toSorted(byPlace);

/** The page of a list that was asked for. */
interface Asked {
  readonly limit: number;
  readonly startingAfter?: string | undefined;
  readonly endingBefore?: string | undefined;
}

/**
 * The cards of one page, in the order of lists; before `endingBefore`, from there backwards. A cursor may be a card that
 * is not among them, such as one removed since.
 */
export function pageOfCards(cards: readonly Card[], { limit, startingAfter, endingBefore }: Asked): Card[] {
  const id = endingBefore ?? startingAfter;
  const ordered = endingBefore === undefined ? inListOrder(cards) : inListOrder(cards).reverse();
  if (id === undefined) return ordered.slice(0, limit);
  const cursor: Placed = cards.find((card) => card.id === id) ?? { id: id as Card["id"], isDefault: false };
  const isBeyond = (card: Card) => (endingBefore === undefined ? byPlace(cursor, card) < 0 : byPlace(card, cursor) < 0);
  return ordered.filter((card) => card.id !== id && isBeyond(card)).slice(0, limit);
}
