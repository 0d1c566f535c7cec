import type { BusinessDay } from "../../../../kernel/time.ts";
import type { Outcome, Subscription } from "./types.ts";

/** When the next bill, start or end falls due by itself; null while the period waits for a payment. Whoever pauses or cancels a subscription does not ask. */
export function nextDue({ period, awaiting, startsOn }: Subscription): BusinessDay | null {
  if (awaiting !== null) return null;
  return period === null ? startsOn : period.next;
}

/** Nothing is billed, and the subscription is `sub`. */
export const withoutBills = (sub: Subscription): Outcome => ({
  bills: [],
  creditsMade: [],
  creditsRestated: [],
  after: sub,
  ends: null,
  nextDue: nextDue(sub),
});

/** Both, one after the other. */
export const joined = (first: Outcome, then: Outcome): Outcome => ({
  ...then,
  bills: [...first.bills, ...then.bills],
  creditsMade: [...first.creditsMade, ...then.creditsMade],
  creditsRestated: [...first.creditsRestated, ...then.creditsRestated],
});
