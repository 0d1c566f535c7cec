import { billOf } from "./bills.ts";
import { chargesOfPeriod } from "./charges.ts";
import { anchorDayOf, daysOfExternal, daysOfFullPeriod } from "./periods.ts";
import { heldAsPaid } from "./prices.ts";
import { pendingTerms, withTerms } from "./terms.ts";
import type { Bill, Period, Span, Subscription, Terms } from "./types.ts";

/** A period that another platform bills (interface 4.8, mirror mode). */
export interface ExternalSpan extends Span {
  readonly isTrial: boolean;
}

/** The period with its price in force, which was paid elsewhere; for a trial nothing was paid. */
function periodOf({ start, next, isTrial }: ExternalSpan, terms: Terms): Period {
  const of = daysOfFullPeriod(next, anchorDayOf(next), terms.price.frequency);
  return { start, next, paid: isTrial ? null : heldAsPaid(terms, of, next) };
}

/**
 * A new subscription that another platform bills, in the period that the platform reports. The service never bills it.
 */
export const startExternal = (terms: Terms, span: ExternalSpan, cancelAtPeriodEnd: boolean): Subscription => ({
  terms,
  periodMoves: "when_billed",
  startsOn: span.start,
  trialDays: 0,
  anchor: { day: anchorDayOf(span.next), given: false },
  period: periodOf(span, terms),
  awaiting: null,
  cyclesBilled: 0,
  cyclesBefore: 0,
  coupon: null,
  discounts: [],
  credits: [],
  carried: [],
  pendingChange: null,
  cancelAtPeriodEnd,
});

/** The subscription in another reported period. A renewal counts as a cycle and applies a pending change. */
export function withReportedPeriod(sub: Subscription, span: ExternalSpan, isRenewal: boolean): Subscription {
  const { pendingChange } = sub;
  const changed =
    isRenewal && pendingChange !== null ? withTerms(sub, pendingTerms(pendingChange, sub.terms), span.start).sub : sub;
  return {
    ...changed,
    anchor: { day: anchorDayOf(span.next), given: false },
    period: periodOf(span, changed.terms),
    cyclesBilled: sub.cyclesBilled + (isRenewal ? 1 : 0),
  };
}

/**
 * The bill that the service would have made for a period that another platform has billed (shadow billing): the plan
 * and its add-ons, without coupon and credits.
 */
export function comparisonBill(terms: Terms, span: Span): Bill {
  const days = daysOfExternal(span, terms.price.frequency);
  const { charges } = chargesOfPeriod({ terms, coupon: null, discounts: [] }, { ...span, ...days }, []);
  return billOf({ kind: "cycle", cycle: 0, date: span.start, ...span }, terms.price, charges, []).bill;
}
