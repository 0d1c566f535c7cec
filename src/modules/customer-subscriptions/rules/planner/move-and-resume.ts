import type { Days } from "../../../../domain/line-reason.ts";
import { assert } from "../../../../kernel/assert.ts";
import { type CalendarDay, daysBetween } from "../../../../kernel/time.ts";
import { costsOnResume } from "./change.ts";
import { billDue, isUsedUp, renew, withPendingChange } from "./due.ts";
import { lastPeriodEnd, withoutBills } from "./outcomes.ts";
import { billPeriod } from "./period-bill.ts";
import { anchorDayOf, daysOfFullPeriod, periodFrom } from "./periods.ts";
import { beginPeriod, outcomeOf, periodOn } from "./proration.ts";
import { startingOn } from "./start.ts";
import { isBeforeFirstBill, ratedOn } from "./terms.ts";
import type { Outcome, Period, Span, Subscription } from "./types.ts";
import { ALL_HELD, type Held, isGivenBack } from "./worth.ts";

const earlier = (one: CalendarDay, other: CalendarDay): CalendarDay => (one < other ? one : other);

/** The period with another end. Added days are free, and removed days are not credited. */
function endingOn(period: Period, next: CalendarDay): Period {
  assert(next > period.start, `a period from ${period.start} cannot end before ${next}`);
  return { ...period, next, paid: period.paid && { ...period.paid, until: earlier(period.paid.until, next) } };
}

/** The subscription with its anchor on a day, unless an anchor day was given. */
const anchoredOn = (sub: Subscription, day: CalendarDay): Subscription =>
  sub.anchor.given ? sub : { ...sub, anchor: { day: anchorDayOf(day), given: false } };

/**
 * Moves the next billing date to a day after the period's start; for a subscription that has not started, moves its
 * start. The new date becomes the anchor, unless an anchor day was given (interface 16.5, 16.18).
 */
export function moveNextBilling(sub: Subscription, next: CalendarDay): Subscription {
  const { period, awaiting } = sub;
  if (period === null) return startingOn(sub, next);
  const moved = anchoredOn(sub, next);
  if (awaiting !== null) return { ...moved, awaiting: endingOn(awaiting, next) };
  return { ...moved, period: endingOn(period, next) };
}

/** Sets the anchor day, 1 to 31. The running period keeps its end; the next one is the bridge to the new day (interface 16.18). */
export const giveAnchorDay = (sub: Subscription, day: number): Subscription => ({
  ...sub,
  anchor: { day, given: true },
});

/**
 * The subscription with its last billed period as the last one, ready for a new period on a day. A period that follows
 * without a gap keeps the anchor.
 */
function beginningAnew(sub: Subscription, day: CalendarDay): Subscription {
  const last = { ...sub, period: sub.awaiting ?? sub.period, awaiting: null };
  return last.period?.next === day ? last : anchoredOn(last, day);
}

/**
 * Resumes a paused subscription (interface 16.17): before the period's end nothing changes, but what a change `now` in
 * the pause costs from today; on that day it is renewed as usual; after it a new period begins today.
 */
export function resume(paused: Subscription, today: CalendarDay, creditId: string, held: Held = ALL_HELD): Outcome {
  const { onResume: _done, ...sub } = paused;
  const end = lastPeriodEnd(sub);
  const costs = end !== null && today < end ? costsOnResume(paused, { creditId, held }, today) : null;
  if (costs !== null) return outcomeOf(costs);
  if (end === null) return billDue(sub.startsOn < today ? startingOn(sub, today) : sub, today);
  return end < today ? renew(beginningAnew(sub, today), today) : billDue(sub, today);
}

/** Remembers that nothing but what was paid elsewhere was charged, before a period follows that is not charged. */
const withPaidElsewhere = (sub: Subscription): Subscription =>
  sub.cyclesBilled === 0 && !isBeforeFirstBill(sub) ? { ...sub, paidElsewhere: true } : sub;

/** How it is reactivated (interface 4.8). */
export interface Reactivation {
  readonly nextBillingAt: CalendarDay | null;
  /** Null: at once, unless `nextBillingAt` is given or a paid period runs. */
  readonly chargeNow: boolean | null;
  /** The id of the credit for unused days that may remain. */
  readonly creditId: string;
}

/** The period from a day until the next billing date that was asked for; by default as long as the price is for. */
function periodUntil(start: CalendarDay, next: CalendarDay | null, { anchor, terms }: Subscription): Span & Days {
  const { frequency } = terms.price;
  if (next === null) return periodFrom(start, anchor.day, frequency);
  return { start, next, billed: daysBetween(start, next), of: daysOfFullPeriod(next, anchor.day, frequency) };
}

/**
 * Whether the last period of a subscription that has ended still runs as a paid one: not when nothing is paid or owed
 * any more for its days.
 */
function runsPaid({ period, awaiting, cyclesBilled }: Subscription, today: CalendarDay, held: Held): boolean {
  const last = awaiting ?? period;
  if (last === null || today >= last.next) return false;
  return last.paid === null || !isGivenBack(last.paid, cyclesBilled, today, held);
}

/**
 * A new period that begins today and is charged today, in place of what is left of the running one: its unused days are
 * credited as by a change with `now`; what is left of a trial, or a start to come, is given up.
 */
function beginToday(
  sub: Subscription,
  { nextBillingAt, creditId }: Reactivation,
  today: CalendarDay,
  held: Held,
): Outcome {
  const { sub: withChange, restated } = withPendingChange(sub, today);
  const { sub: changed, restated: byRates } = ratedOn(withChange, today);
  const creditsRestated = [...restated, ...byRates];
  const anchored = anchoredOn(changed, nextBillingAt ?? today);
  const span = periodUntil(today, nextBillingAt, anchored);
  if (isBeforeFirstBill(sub)) {
    const started = sub.period === null ? { ...anchored, startsOn: today, trialDays: 0 } : anchored;
    return { ...billPeriod(started, "first", span, []), creditsRestated };
  }
  const paid = periodOn(sub, today)?.paid ?? null;
  return { ...outcomeOf(beginPeriod(anchored, paid, { creditId, held }, span)), creditsRestated };
}

/**
 * Reactivates a cancelled or expired subscription, or undoes a scheduled cancellation. While the paid period runs,
 * nothing is billed unless `chargeNow` asks for it; after it a new period begins today, until `nextBillingAt` when that
 * is given. When all cycles were billed they are counted from the start again. `held`: what is still paid or owed of
 * the subscription's bills.
 */
export function reactivate(sub: Subscription, how: Reactivation, today: CalendarDay, held: Held = ALL_HELD): Outcome {
  const { nextBillingAt, chargeNow } = how;
  const end = lastPeriodEnd(sub);
  const active = { ...sub, cancelAtPeriodEnd: false };
  const again = { ...active, cyclesBefore: isUsedUp(sub) ? sub.cyclesBilled : sub.cyclesBefore };
  if (chargeNow === true && (end === null || today < end)) return beginToday(again, how, today, held);
  if (end === null) {
    const starting = nextBillingAt === null ? active : startingOn(active, nextBillingAt);
    return resume(starting, today, how.creditId);
  }
  if (today < end && (sub.cancelAtPeriodEnd || runsPaid(sub, today, held)))
    return withoutBills(nextBillingAt === null ? active : moveNextBilling(active, nextBillingAt));
  const anew = withPaidElsewhere(beginningAnew(again, today));
  if (nextBillingAt === null && chargeNow !== false) return renew(anew, today);
  const moved = nextBillingAt === null ? anew : anchoredOn(anew, nextBillingAt);
  const span = periodUntil(today, nextBillingAt, moved);
  if (chargeNow !== true) return withoutBills({ ...moved, period: { start: today, next: span.next, paid: null } });
  return billPeriod(moved, isBeforeFirstBill(moved) ? "first" : "cycle", span, []);
}
