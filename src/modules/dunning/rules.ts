import { addDays, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import type { AttemptCause, Collection } from "./types.ts";

/** The settings of missed collections (interface 16.16). */
export interface Dunning {
  /** Days after the first failure, ascending. */
  readonly retryDays: readonly number[];
  readonly finalAction: "cancel" | "past_due";
}

/** The next automatic step, and its time. `give_up`: the settings' final action. */
export interface NextStep {
  readonly step: "retry" | "give_up";
  readonly at: Instant;
}

/** The collection after a failed attempt, the first or a later one. */
export const missed = (collection: Collection, { isHard, now }: { isHard: boolean; now: Instant }): Collection => ({
  ...collection,
  missedAt: collection.missedAt ?? now,
  isHard,
});

/**
 * The collection after a bank reversed its payment (decisions.md#no-card-charge-after-a-chargeback). A card is not charged again
 * automatically; a debit that was returned is collected with the mandate's next date, unless it was disputed.
 */
export const takenBack = (
  collection: Collection,
  { method, isHard, now }: { method: "gateway" | "debit_order"; isHard: boolean; now: Instant },
): Collection => ({
  ...collection,
  missedAt: now,
  isHard,
  newCardId: null,
  ended: method === "gateway" || isHard ? "taken_back" : null,
});

/**
 * The next automatic step after a missed attempt (interface 16.16): a retry at 00:00 South African time of each of the
 * settings' days, counted from the miss, one after the other, not before the previous attempt has ended
 * (decisions.md#retries-one-after-the-other); then the end. After a hard decline there is no retry, but the payer has
 * until the day of the last one to add a card. Null when there is no step: nothing was missed, or the collection has
 * ended.
 */
export function nextStep(
  { missedAt, retries, isHard, ended }: Pick<Collection, "missedAt" | "retries" | "isHard" | "ended">,
  { retryDays }: Pick<Dunning, "retryDays">,
  now: Instant,
): NextStep | null {
  if (missedAt === null || ended !== null) return null;
  const after = (days: number) => startOfDay(addDays(calendarDay(missedAt), days));
  const notBefore = (at: Instant) => (at > now ? at : now);
  const day = retryDays[retries];
  if (day !== undefined && !isHard) return { step: "retry", at: notBefore(after(day)) };
  const last = retryDays.at(-1);
  return { step: "give_up", at: isHard && last !== undefined ? notBefore(after(last)) : now };
}

/**
 * Like `nextStep`, right after a missed attempt: a retry whose day has passed is made tomorrow at 00:00 South African
 * time, so that the payer who is mailed now can pay first (decisions.md#payers-pay-before-the-next-retry). A new card is
 * tried at once.
 */
export function stepAfterMiss(
  collection: Collection,
  dunning: Pick<Dunning, "retryDays">,
  now: Instant,
): NextStep | null {
  const next = nextStep(collection, dunning, now);
  if (next?.step !== "retry") return next;
  if (collection.newCardId !== null) return { step: "retry", at: now };
  return next.at > now ? next : { step: "retry", at: startOfDay(addDays(calendarDay(now), 1)) };
}

/** Whether the stored card is charged again by itself, now or later. */
export const isRetried = (collection: Collection, dunning: Pick<Dunning, "retryDays">, now: Instant): boolean =>
  collection.newCardId !== null || nextStep(collection, dunning, now)?.step === "retry";

/** The collection with a new default card to be tried. After a hard decline, the retries whose day is in the future remain. */
export function withNewCard(
  collection: Collection,
  newCardId: NonNullable<Collection["newCardId"]>,
  { retryDays }: Pick<Dunning, "retryDays">,
  now: Instant,
): Collection {
  const { missedAt } = collection;
  if (missedAt === null || !collection.isHard) return { ...collection, newCardId };
  const passed = retryDays.filter((day) => addDays(calendarDay(missedAt), day) <= calendarDay(now)).length;
  return { ...collection, newCardId, retries: Math.max(collection.retries, passed) };
}

/** The step for a collection now: an attempt with its cause, the end, or a wait until a time; null: none any more. */
export function dueNow(
  collection: Collection,
  dunning: Pick<Dunning, "retryDays">,
  now: Instant,
): { readonly attempt: AttemptCause } | { readonly giveUp: true } | { readonly again: Instant } | null {
  if (collection.newCardId !== null) return { attempt: "new_card" };
  if (collection.missedAt === null) return collection.ended === null ? { attempt: "renewal" } : null;
  const next = nextStep(collection, dunning, now);
  if (!next) return null;
  if (next.at > now) return { again: next.at };
  return next.step === "retry" ? { attempt: "retry" } : { giveUp: true };
}

/** What becomes of the collection of an open invoice whose subscription is collected in another way from now on. */
export interface HandedOver {
  readonly collection: Collection;
  /** `now`: its step is done at once, `stays`: when it was to be done, `none`: the service does nothing by itself. */
  readonly work: "now" | "stays" | "none";
}

/**
 * Hands an open collection over to another card, to a mandate or to the mailed invoice (interface 4.8,
 * payment-method). What was missed is tried with the new card at once, and by debit order on the mandate's next date,
 * whatever the bank of the old card or account said. A payment that a bank reversed is never charged to a card by
 * itself, and debited only by a mandate that is authorised later.
 */
export function handedOver(
  before: Collection,
  to:
    | { readonly method: "gateway"; readonly card: NonNullable<Collection["newCardId"]> }
    | { readonly method: "debit_order" | "invoice" },
  dunning: Pick<Dunning, "retryDays">,
  now: Instant,
): HandedOver {
  const collection = { ...before, newCardId: null };
  if (before.ended === "taken_back")
    return { collection: { ...collection, isHard: before.isHard || to.method === "debit_order" }, work: "none" };
  switch (to.method) {
    case "invoice":
      return { collection: { ...collection, ended: before.ended ?? "stopped" }, work: "none" };
    case "debit_order":
      return { collection: { ...collection, isHard: false, ended: null }, work: "none" };
    case "gateway": {
      const again = { ...collection, ended: before.ended === "stopped" ? null : before.ended };
      if (before.missedAt !== null) return { collection: withNewCard(again, to.card, dunning, now), work: "now" };
      return { collection: again, work: before.ended === "stopped" ? "now" : "stays" };
    }
  }
}

/** The card of a charge, and what the subscription has by the time of its outcome. */
interface Charged {
  readonly cause: AttemptCause;
  /** The card that was charged. */
  readonly charged: string | null;
  /** The subscription's card now, and whether it can be charged. */
  readonly present: { readonly id: string; readonly isChargeable: boolean } | null;
  readonly newCardId: Collection["newCardId"];
}

/**
 * Whether the subscription was given another card while this charge was under way: then the outcome says nothing about
 * that card, and does not replace it. A charge is made to the subscription's own card when that can be charged, else to
 * the default one; only a new card is tried beside it.
 */
export const wasCardChanged = ({ cause, charged, present, newCardId }: Charged): boolean =>
  present !== null &&
  present.id !== charged &&
  (newCardId === present.id || (cause !== "new_card" && present.isChargeable));
