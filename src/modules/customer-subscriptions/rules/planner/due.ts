import { addDays, type CalendarDay } from "../../../../kernel/time.ts";
import { billOf } from "./bills.ts";
import { chargesAtEnd } from "./charges.ts";
import { joined, withoutBills } from "./outcomes.ts";
import { billPeriod, isUsage, usageSoFar } from "./period-bill.ts";
import { periodFrom } from "./periods.ts";
import { isBeforeFirstBill, pendingTerms, withTerms } from "./terms.ts";
import type { Bill, Ending, Item, Outcome, Subscription } from "./types.ts";
import { chargedUntil, isMetered, withoutUsage } from "./usage.ts";

/**
 * Ends the subscription on a day: usage, which was recorded under a plan, and everything that waits for the next bill
 * is billed now, since there is no next one, with coupon and discounts as that would have them. Paid days are not
 * credited.
 */
export function end(sub: Subscription, on: CalendarDay, why: Ending["why"], planId = sub.terms.price.planId): Outcome {
  const usage = [...sub.carried.filter(isUsage), ...usageSoFar(sub, null, planId)];
  const charges = [...chargesAtEnd(sub, usage), ...sub.carried.filter((charge) => !isUsage(charge))];
  const span = sub.period ?? { start: on, next: on };
  const { bill, credits } = billOf(
    { kind: "proration", cycle: sub.cyclesBilled, date: on, start: span.start, next: span.next },
    sub.terms.price,
    charges,
    sub.credits,
  );
  const { onResume: _gone, ...ended } = sub;
  const after: Subscription = {
    ...ended,
    terms: { ...sub.terms, items: itemsAfterEnd(sub) },
    credits,
    discounts: usage.length > 0 ? [] : sub.discounts,
    carried: [],
    pendingChange: null,
    cancelAtPeriodEnd: false,
  };
  const bills = charges.length === 0 ? [] : [bill];
  return { ...withoutBills(after), bills, afterEach: bills.map(() => after), ends: { on, why }, nextDue: null };
}

/** The items without usage, and the minimum of the last period is not due again if the subscription goes on in it. */
const itemsAfterEnd = ({ terms, period }: Subscription): readonly Item[] =>
  withoutUsage(terms.items).map((item) => (period && isMetered(item) ? chargedUntil(item, period.next) : item));

/** As `end`, of one whose first charge was never paid: nothing is billed. */
export const endUnbilled = (sub: Subscription, on: CalendarDay, why: Ending["why"]): Outcome => ({
  ...withoutBills({ ...sub, pendingChange: null, cancelAtPeriodEnd: false }),
  ends: { on, why },
  nextDue: null,
});

/** Whether all cycles of the price are billed. */
export const isUsedUp = ({ terms, cyclesBilled, cyclesBefore }: Subscription): boolean =>
  terms.price.cycles !== null && cyclesBilled - cyclesBefore >= terms.price.cycles;

/**
 * Whether it ends with its last period that is billed, unless something changes until then: it is cancelled by then, or
 * all cycles are billed.
 */
export const endsWithPeriod = (sub: Subscription): boolean =>
  sub.cancelAtPeriodEnd || isUsedUp({ ...sub, terms: sub.pendingChange ?? sub.terms });

/** The subscription with the change that waits for its next period, which begins on a day. */
export const withPendingChange = (sub: Subscription, day: CalendarDay): ReturnType<typeof withTerms> =>
  sub.pendingChange === null ? { sub, restated: [] } : withTerms(sub, pendingTerms(sub.pendingChange, sub.terms), day);

/** The new period that begins on a day, with the pending change, and its bill; or the end of the subscription. */
export function renew(sub: Subscription, day: CalendarDay): Outcome {
  if (sub.cancelAtPeriodEnd) return end(sub, day, "cancelled");
  const { sub: changed, restated } = withPendingChange(sub, day);
  const { planId } = sub.terms.price;
  if (isUsedUp(changed)) return { ...end(changed, day, "expired", planId), creditsRestated: restated };
  const kind = isBeforeFirstBill(changed) ? "first" : "cycle";
  const span = periodFrom(day, changed.anchor.day, changed.terms.price.frequency);
  const billed = billPeriod(changed, kind, span, usageSoFar(changed, day, planId));
  return { ...billed, creditsRestated: [...restated, ...billed.creditsRestated] };
}

/** Starts the subscription on its start day: with its trial, else with its first bill. */
function begin(sub: Subscription): Outcome {
  if (sub.trialDays === 0) return renew(sub, sub.startsOn);
  const period = { start: sub.startsOn, next: addDays(sub.startsOn, sub.trialDays), paid: null };
  return withoutBills({ ...sub, period });
}

/** What falls due on a day: the start, a renewal or the end. */
export const step = (sub: Subscription, day: CalendarDay): Outcome =>
  sub.period === null ? begin(sub) : renew(sub, day);

/**
 * Everything that is due up to and including `today`: start, end of a trial, renewals, the end. Missed periods are
 * billed oldest first, each with its own dates (interface 16.19).
 */
export function billDue(sub: Subscription, today: CalendarDay): Outcome {
  let outcome = withoutBills(sub);
  while (outcome.nextDue !== null && outcome.nextDue <= today)
    outcome = joined(outcome, step(outcome.after, outcome.nextDue));
  return outcome;
}

/** The bill of an `awaiting` period is paid: the period moves (interface 16.13, `manual`). */
export const withPaidPeriod = (sub: Subscription): Subscription =>
  sub.awaiting === null ? sub : { ...sub, period: sub.awaiting, awaiting: null };

/** As `withPaidPeriod`, and bills everything that is due by then. */
export const billPaid = (sub: Subscription, today: CalendarDay): Outcome => billDue(withPaidPeriod(sub), today);

/** The next bill, if nothing changes until then; null when there is none. Computed by the same steps as the bill itself. */
export function nextBill(sub: Subscription): Bill | null {
  let outcome = withoutBills(withPaidPeriod(sub));
  while (outcome.bills.length === 0 && outcome.nextDue !== null) outcome = step(outcome.after, outcome.nextDue);
  return outcome.bills[0] ?? null;
}
