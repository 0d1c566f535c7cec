import type { LineReason } from "../../../../domain/line-reason.ts";
import type { Frequency } from "../../../../kernel/frequency.ts";
import type { Cents } from "../../../../kernel/money.ts";
import { type CalendarDay, daysBetween } from "../../../../kernel/time.ts";
import { couponInForce } from "./coupons.ts";
import { step, withPaidPeriod } from "./due.ts";
import { nextDue } from "./outcomes.ts";
import { anchorDayOf, daysOfFullPeriod } from "./periods.ts";
import type { Bill, Subscription } from "./types.ts";

/** Charges of one amount, a period apart. */
export interface PromisedCharges {
  /** The day of the first of them. */
  readonly on: CalendarDay;
  /** With VAT; zero: nothing is charged. */
  readonly total: Cents;
  /** Null: until it is cancelled. */
  readonly times: number | null;
  readonly frequency: Frequency;
  /** The day of the month of the later ones, when the first one's month was too short for it. */
  readonly day?: number;
}

interface Run extends PromisedCharges {
  /** Whether the next charge comes a full period after the last of these. */
  readonly isWhole: boolean;
}

/** Longer than any subscription is looked ahead for: a coupon or credit of more bills is taken to last. */
const BILLS_MAX = 500;

/**
 * What a payer is going to be charged, in order, if nothing changes: computed by the steps that make the bills, so that
 * what pages and mails say is what is charged. What is used of metered items later is not in it.
 */
export function promisedCharges(sub: Subscription): readonly PromisedCharges[] {
  const runs: Run[] = [];
  let now = withPaidPeriod(sub);
  for (let bills = 0; bills < BILLS_MAX; ) {
    const due = nextDue(now);
    if (due === null) break;
    const before = now;
    const { bills: made, after, ends } = step(now, due);
    const [bill] = made;
    now = withPaidPeriod(after);
    if (bill) {
      bills++;
      const isLast = ends !== null;
      const repeats = !isLast && isSteady(before) && isSteady(now) && isRegular(bill) && !hasLaterRate(now, bill);
      const times = repeats ? timesLeft(now) : 1;
      const { day } = now.anchor;
      const later = day > anchorDayOf(bill.date) && isWhole(now, bill) ? { day } : {};
      add(runs, { on: bill.date, total: bill.total, times, ...later, ...periodOf(now, bill, isLast) });
      if (repeats) break;
    }
    if (ends) break;
  }
  return runs.map(({ isWhole: _isWhole, ...run }) => run);
}

const isWhole = ({ terms, anchor }: Subscription, { start, next }: Bill): boolean =>
  daysBetween(start, next) === daysOfFullPeriod(next, anchor.day, terms.price.frequency);

const periodOf = (sub: Subscription, bill: Bill, isLast: boolean) => ({
  frequency: sub.terms.price.frequency,
  isWhole: !isLast && isWhole(sub, bill),
});

/** Adds charges to those before, when they go on with them. */
function add(runs: Run[], run: Run): void {
  const last = runs.at(-1);
  const goesOn = last?.isWhole && run.isWhole && last.total === run.total && last.frequency === run.frequency;
  if (!goesOn || last.times === null) runs.push(run);
  else runs[runs.length - 1] = { ...last, times: run.times === null ? null : last.times + run.times };
}

/** Whether nothing waits or runs out that changes the amounts of later bills. */
function isSteady(sub: Subscription): boolean {
  const { pendingChange, discounts, credits, carried, terms, cancelAtPeriodEnd, coupon } = sub;
  const lasts = coupon === null || coupon.limit === null || couponInForce(sub) === null;
  const waits = pendingChange !== null || cancelAtPeriodEnd || discounts.length + credits.length + carried.length > 0;
  return lasts && !waits && terms.items.every(({ kind }) => kind !== "one_time");
}

/** Whether the rate of VAT is another one after a bill. */
const hasLaterRate = ({ terms }: Subscription, { date }: Bill): boolean =>
  (terms.price.datedRates ?? []).some(({ from }) => from !== null && from > date);

/** Whether a bill is of a full period, and of what recurs alone. */
const isRegular = ({ kind, lines }: Bill): boolean =>
  kind === "cycle" && lines.every(({ reason }) => isWholePrice(reason) || isWholeMinimum(reason));

const isWholePrice = ({ kind, days }: LineReason): boolean =>
  (kind === "plan" || kind === "addon") && (days === null || days.billed === days.of);

/** Whether a line is the minimum of a full period in which nothing was used. */
const isWholeMinimum = (reason: LineReason): boolean =>
  reason.kind === "usage" && reason.minimum?.days === undefined && reason.unitAmount === reason.minimum?.amount;

/** How many charges this one and those after it are; null: without end. */
const timesLeft = ({ terms, cyclesBilled, cyclesBefore }: Subscription): number | null =>
  terms.price.cycles === null ? null : terms.price.cycles - (cyclesBilled - cyclesBefore) + 1;
