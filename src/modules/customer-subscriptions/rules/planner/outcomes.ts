import { isDeepStrictEqual } from "node:util";
import type { CalendarDay } from "../../../../kernel/time.ts";
import { undated } from "./prices.ts";
import type { Outcome, PriceInForce, Subscription } from "./types.ts";

/**
 * When the next bill, start or end falls due; null while the period waits for a payment. Not meant for a paused or
 * cancelled subscription.
 */
export function nextDue({ period, awaiting, startsOn }: Subscription): CalendarDay | null {
  if (awaiting !== null) return null;
  return period === null ? startsOn : period.next;
}

/** When a paused subscription ends by itself: at the end of its period when a cancellation is scheduled for it; else null. */
export const dueWhilePaused = ({ period, awaiting, cancelAtPeriodEnd }: Subscription): CalendarDay | null =>
  cancelAtPeriodEnd && awaiting === null && period !== null ? period.next : null;

/** The day on which the last period that was billed ends; null before the start. */
export const lastPeriodEnd = ({ period, awaiting }: Subscription): CalendarDay | null =>
  (awaiting ?? period)?.next ?? null;

/** The outcome in which nothing is billed, and the subscription is `sub`. */
export const withoutBills = (sub: Subscription): Outcome => ({
  bills: [],
  creditsMade: [],
  creditsRestated: [],
  after: sub,
  afterEach: [],
  ends: null,
  nextDue: nextDue(sub),
});

/** Two outcomes, one after the other. */
export const joined = (first: Outcome, then: Outcome): Outcome => ({
  ...then,
  bills: [...first.bills, ...then.bills],
  afterEach: [...first.afterEach, ...then.afterEach],
  creditsMade: [...first.creditsMade, ...then.creditsMade],
  creditsRestated: [...first.creditsRestated, ...then.creditsRestated],
});

/** A period without the bills that charge it: a change that neither bills nor credits divides them among the same days again. */
function uncovered<Of extends { readonly paid: PriceInForce | null }>(period: Of | null): Of | null {
  if (!period?.paid) return period;
  const { covers: _covers, ...paid } = period.paid;
  return { ...period, paid };
}

/** What a change of a subscription can change. */
const compared = (sub: Subscription): Subscription => ({
  ...sub,
  terms: undated(sub.terms),
  pendingChange: sub.pendingChange && undated(sub.pendingChange),
  period: uncovered(sub.period),
  awaiting: uncovered(sub.awaiting),
});

/** Whether an outcome leaves the subscription as it was: nothing is billed, credited or stored, and nobody needs to know of it. */
export const changesNothing = (before: Subscription, { bills, creditsMade, after, ends }: Outcome): boolean =>
  bills.length === 0 &&
  creditsMade.length === 0 &&
  ends === null &&
  isDeepStrictEqual(compared(before), compared(after));
