import { anchorDayOf, daysOfFullPeriod } from "./periods.ts";
import { heldAsPaid } from "./prices.ts";
import { pendingTerms, withTerms } from "./terms.ts";
import type { Period, Span, Subscription, Terms } from "./types.ts";

/** A period that another platform bills (interface 4.8, mirror mode). */
export interface ExternalSpan extends Span {
  readonly isTrial: boolean;
}

/** The period with its price in force, which was paid elsewhere; for a trial nothing was paid. */
function periodOf({ start, next, isTrial }: ExternalSpan, terms: Terms): Period {
  const of = daysOfFullPeriod(next, anchorDayOf(next), terms.price.frequency);
  return { start, next, paid: isTrial ? null : heldAsPaid(terms, of, next) };
}

/** A new subscription that another platform bills, in the period that the platform reports. The service never bills it. */
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
    isRenewal && pendingChange !== null ? withTerms(sub, pendingTerms(pendingChange, sub.terms)).sub : sub;
  return {
    ...changed,
    anchor: { day: anchorDayOf(span.next), given: false },
    period: periodOf(span, changed.terms),
    cyclesBilled: sub.cyclesBilled + (isRenewal ? 1 : 0),
  };
}
