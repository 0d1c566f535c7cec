import { assert } from "../../../../kernel/assert.ts";
import { type BusinessDay, daysBetween } from "../../../../kernel/time.ts";
import { billDue, isUsedUp, renew } from "./due.ts";
import { lastPeriodEnd, withoutBills } from "./outcomes.ts";
import { billPeriod } from "./period-bill.ts";
import { anchorDayOf, daysOfFullPeriod, periodFrom } from "./periods.ts";
import { startingOn } from "./start.ts";
import { isBeforeFirstBill } from "./terms.ts";
import type { Outcome, Period, Subscription } from "./types.ts";
import { ALL_HELD, type Held, isGivenBack } from "./worth.ts";

const earlier = (one: BusinessDay, other: BusinessDay): BusinessDay => (one < other ? one : other);

/** The period with another end. Added days are free, and removed days are not credited. */
function endingOn(period: Period, next: BusinessDay): Period {
  assert(next > period.start, `a period from ${period.start} cannot end before ${next}`);
  return { ...period, next, paid: period.paid && { ...period.paid, until: earlier(period.paid.until, next) } };
}

/** The subscription with its anchor on a day, unless an anchor day was given. */
const anchoredOn = (sub: Subscription, day: BusinessDay): Subscription =>
  sub.anchor.given ? sub : { ...sub, anchor: { day: anchorDayOf(day), given: false } };

/**
 * Moves the next billing date to a day after the period's start; for a subscription that has not started, moves its start. The new date becomes
 * the anchor, unless an anchor day was given (interface 16.5, 16.18).
 */
export function moveNextBilling(sub: Subscription, next: BusinessDay): Subscription {
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
 * The subscription with its last billed period as the last one, ready for a new period on a day. A period that follows without a gap keeps the
 * anchor.
 */
function beginningAnew(sub: Subscription, day: BusinessDay): Subscription {
  const last = { ...sub, period: sub.awaiting ?? sub.period, awaiting: null };
  return last.period?.next === day ? last : anchoredOn(last, day);
}

/**
 * Resumes a paused subscription (interface 16.17): before the period's end nothing changes; on that day it is renewed as usual; after it a new
 * period begins today.
 */
export function resume(sub: Subscription, today: BusinessDay): Outcome {
  const end = lastPeriodEnd(sub);
  if (end === null) return billDue(sub.startsOn < today ? startingOn(sub, today) : sub, today);
  return end < today ? renew(beginningAnew(sub, today), today) : billDue(sub, today);
}

/** Remembers that nothing but what was paid elsewhere was charged, before a period follows that is not charged. */
const withPaidElsewhere = (sub: Subscription): Subscription =>
  sub.cyclesBilled === 0 && !isBeforeFirstBill(sub) ? { ...sub, paidElsewhere: true } : sub;

/** Body of `POST /{id}/reactivate` (interface 4.8). */
export interface Reactivation {
  readonly nextBillingAt: BusinessDay | null;
  /** Null: at once, unless `nextBillingAt` is given. */
  readonly chargeNow: boolean | null;
}

/**
 * Whether the last period of a subscription that has ended still runs as a paid one: not when nothing is paid or owed any more for its days.
 */
function runsPaid({ period, awaiting, cyclesBilled }: Subscription, today: BusinessDay, held: Held): boolean {
  const last = awaiting ?? period;
  if (last === null || today >= last.next) return false;
  return last.paid === null || !isGivenBack(last.paid, cyclesBilled, today, held);
}

/**
 * Reactivates a cancelled or expired subscription, or undoes a scheduled cancellation. While the paid period runs, nothing is billed; after it a
 * new period begins today, until `nextBillingAt` when that is given. For an expired one the cycles may be counted from the start again. `held`:
 * what is still paid or owed of the subscription's bills.
 */
export function reactivate(
  sub: Subscription,
  { nextBillingAt, chargeNow }: Reactivation,
  today: BusinessDay,
  held: Held = ALL_HELD,
): Outcome {
  const end = lastPeriodEnd(sub);
  const active = { ...sub, cancelAtPeriodEnd: false };
  if (end === null) return resume(nextBillingAt === null ? active : startingOn(active, nextBillingAt), today);
  if (today < end && (sub.cancelAtPeriodEnd || runsPaid(sub, today, held)))
    return withoutBills(nextBillingAt === null ? active : moveNextBilling(active, nextBillingAt));
  const ended = { ...active, cyclesBefore: isUsedUp(sub) ? sub.cyclesBilled : sub.cyclesBefore };
  const again = withPaidElsewhere(beginningAnew(ended, today));
  const { price } = again.terms;
  if (nextBillingAt === null && chargeNow !== false) return renew(again, today);
  const next = nextBillingAt ?? periodFrom(today, again.anchor.day, price.frequency).next;
  const moved = nextBillingAt === null ? again : anchoredOn(again, next);
  if (chargeNow !== true) return withoutBills({ ...moved, period: { start: today, next, paid: null } });
  const days = { billed: daysBetween(today, next), of: daysOfFullPeriod(next, moved.anchor.day, price.frequency) };
  return billPeriod(moved, isBeforeFirstBill(moved) ? "first" : "cycle", { start: today, next, ...days }, []);
}
