import { assert } from "../../../../kernel/assert.ts";
import { addDays, type CalendarDay } from "../../../../kernel/time.ts";
import { billDue } from "./due.ts";
import { withoutBills } from "./outcomes.ts";
import { anchorDayOf, daysOfFullPeriod, periodFrom } from "./periods.ts";
import { heldAsPaid } from "./prices.ts";
import { termsOn } from "./rates.ts";
import type { Coupon, Credit, Outcome, PeriodMoves, Subscription, Terms } from "./types.ts";

/** The facts from which a subscription is created: by the API, by a checkout, by a dry run. */
export interface Creation {
  readonly terms: Terms;
  readonly periodMoves: PeriodMoves;
  /** Today, or later for a scheduled one. */
  readonly startsOn: CalendarDay;
  readonly trialDays: number;
  /** The first renewal of a customer who has paid elsewhere until then; after today, and without a trial. */
  readonly paidThrough: CalendarDay | null;
  /** 1 to 31. */
  readonly billingAnchorDay: number | null;
  readonly coupon: Coupon | null;
  readonly credits: readonly Credit[];
}

/** The subscription with another start day. The anchor is the day of the first charge unless an anchor day was given. */
export const startingOn = (sub: Subscription, startsOn: CalendarDay): Subscription => ({
  ...sub,
  startsOn,
  anchor: sub.anchor.given ? sub.anchor : { day: anchorDayOf(addDays(startsOn, sub.trialDays)), given: false },
});

/** A new subscription, with the bills of the day on which it is created (interface 16.5 to 16.7). */
export function create(creation: Creation, today: CalendarDay): Outcome {
  const terms = termsOn(creation.terms, today);
  const { periodMoves, startsOn, trialDays, paidThrough, billingAnchorDay, coupon, credits } = creation;
  const firstCharge = paidThrough ?? addDays(startsOn, trialDays);
  const anchorDay = billingAnchorDay ?? anchorDayOf(firstCharge);
  const sub: Subscription = {
    terms,
    periodMoves,
    startsOn,
    trialDays,
    anchor: { day: anchorDay, given: billingAnchorDay !== null },
    period: null,
    awaiting: null,
    cyclesBilled: 0,
    cyclesBefore: 0,
    coupon,
    discounts: [],
    credits,
    carried: [],
    pendingChange: null,
    cancelAtPeriodEnd: false,
  };
  if (paidThrough === null) return billDue(sub, today);
  return withoutBills(paidElsewhereUntil(sub, paidThrough));
}

/** The subscription in a period that was paid elsewhere, from its start until the day of its first bill. */
function paidElsewhereUntil(sub: Subscription, next: CalendarDay): Subscription {
  const { terms, anchor, startsOn } = sub;
  const paid = heldAsPaid(terms, daysOfFullPeriod(next, anchor.day, terms.price.frequency), next);
  return { ...sub, period: { start: startsOn, next, paid } };
}

/**
 * The subscription that nothing was billed of, in the period that is paid elsewhere: when its first bill would be due
 * by `today`, it moves to the first later day of the same rhythm.
 */
export function firstBilledAfter(sub: Subscription, today: CalendarDay): Subscription {
  assert(sub.period, "it has begun");
  let { next } = sub.period;
  while (next <= today) ({ next } = periodFrom(next, sub.anchor.day, sub.terms.price.frequency));
  return next === sub.period.next ? sub : paidElsewhereUntil(sub, next);
}
