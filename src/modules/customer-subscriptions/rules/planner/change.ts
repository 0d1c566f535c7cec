import { isDeepStrictEqual } from "node:util";
import { type Cents, formatMoney, ZERO } from "../../../../kernel/money.ts";
import { addDays, type CalendarDay } from "../../../../kernel/time.ts";
import { endsWithPeriod, nextBill } from "./due.ts";
import { lastPeriodEnd, withoutBills } from "./outcomes.ts";
import { anchorDayOf, lastDayOf, periodFrom } from "./periods.ts";
import { beginPeriod, type Proration as Costs, outcomeOf, periodOn, prorate, type Settling } from "./proration.ts";
import { termsOn } from "./rates.ts";
import { isBeforeFirstBill, ratedOn, waitingTerms, withTerms } from "./terms.ts";
import type { Bill, Outcome, Period, Span, Subscription, Terms } from "./types.ts";
import { ALL_HELD, type Held } from "./worth.ts";

/** Interface 4.8, change-plan. */
export type Proration = "none" | "now" | "next_renewal";

/** The requested change, the same for a preview and for the change itself. */
export interface Change extends Settling {
  readonly terms: Terms;
  readonly proration: Proration;
  /** Nothing is charged or credited while it is paused. */
  readonly isPaused?: boolean;
}

/** What a preview shows of a change (interface 2.13, `subscription_change_preview`). */
export interface ChangePreview {
  readonly requestedProration: Proration;
  /** The proration that is applied. */
  readonly proration: Proration;
  /** Why it differs from the requested one, and what else the caller may not expect. */
  readonly note: string | null;
  readonly effectiveAt: CalendarDay;
  readonly current: Terms;
  readonly next: Terms;
  readonly prorationInvoice: ProrationInvoice | null;
  /** The next bill after the change; null when there is none. */
  readonly nextInvoice: Bill | null;
}

/** The cost of a change with proration `now`. */
export interface ProrationInvoice {
  readonly bill: Bill;
  /** With VAT. Zero when it is billed with the next renewal. */
  readonly dueNow: Cents;
  /** With VAT when the price includes it, else without. */
  readonly creditToNextRenewal: Cents;
  readonly resetsPeriod: boolean;
}

/** The outcome of a change, computed once for the change and for its preview, so that they cannot differ. */
export interface ChangeOutcome extends Outcome {
  readonly preview: ChangePreview;
}

interface Applied {
  readonly proration: Proration;
  readonly note: string | null;
  readonly effectiveAt: CalendarDay;
}

/** The proration that is applied: before the first bill there is nothing to prorate. */
function appliedTo(sub: Subscription, proration: Proration, today: CalendarDay): Applied {
  const { period, startsOn } = sub;
  if (period === null)
    return proration === "none"
      ? { proration, note: null, effectiveAt: startsOn }
      : {
          proration: "none",
          note: `The subscription has not started. It starts with the new price on ${startsOn}.`,
          effectiveAt: startsOn,
        };
  const { next } = sub.awaiting ?? period;
  if (proration === "next_renewal") return { proration, note: null, effectiveAt: next };
  if (proration === "now" && isBeforeFirstBill(sub))
    return {
      proration: "none",
      note: `Nothing was charged yet, so there is nothing to prorate. The new price applies from ${period.next}.`,
      effectiveAt: today,
    };
  if (proration === "now" && today >= next)
    return {
      proration: "none",
      note: "No paid period runs. The new price applies from the next one.",
      effectiveAt: today,
    };
  return { proration, note: null, effectiveAt: today };
}

/** Whether the change begins a new period: the frequency differs from that of the charged period. */
const resetsPeriod = (sub: Subscription, { paid }: Period, terms: Terms): boolean =>
  terms.price.frequency !== (paid ?? sub.terms.price).frequency;

/** The cost of a change `now`; null when nothing of the period is left to prorate. */
function costsOf(
  before: Subscription,
  sub: Subscription,
  change: Settling & Pick<Change, "terms"> & { readonly held: Held },
  today: CalendarDay,
): { readonly costs: Costs; readonly resetsPeriod: boolean } | null {
  const period = periodOn(before, today);
  if (period === null) return null;
  if (resetsPeriod(before, period, change.terms)) {
    const anchor = { day: anchorDayOf(today), given: false };
    const span = periodFrom(today, anchor.day, change.terms.price.frequency);
    return { costs: beginPeriod({ ...sub, anchor }, period.paid, change, span), resetsPeriod: true };
  }
  const { paid, next } = period;
  return paid === null ? null : { costs: prorate(sub, { paid, next }, change, today), resetsPeriod: false };
}

/** The days of the period that were given to the payer by a moved date, from a day on; null without such. */
function freeDays(sub: Subscription, today: CalendarDay): Span | null {
  const period = periodOn(sub, today);
  if (!period?.paid || period.paid.until >= period.next || period.next <= today) return null;
  return { start: period.paid.until > today ? period.paid.until : today, next: period.next };
}

/** What is to be known of a change beside its figures: what it leaves alone, and what it replaces. */
function notesOf(sub: Subscription, wanted: Change, { proration, note }: Applied, today: CalendarDay): string | null {
  const { terms, isPaused, invoiceNow } = wanted;
  const period = periodOn(sub, today);
  const isNow = proration === "now";
  const waits = isPaused && (isNow || sub.onResume !== undefined);
  const resets = isNow && period !== null && resetsPeriod(sub, period, terms);
  const free = isNow ? freeDays(sub, today) : null;
  const { pendingChange } = sub;
  const stays =
    pendingChange && proration === "next_renewal" && isDeepStrictEqual(waitingTerms(sub.terms, terms), pendingChange);
  const notes = [
    note,
    waits &&
      "The subscription is paused: nothing is charged or credited until it resumes. " +
        "The days that are then left of its period are prorated on that day.",
    resets &&
      !invoiceNow &&
      "Another frequency begins a new period, which is charged on its first day: invoiceNow does not put that off.",
    free && `The days from ${free.start} to ${lastDayOf(free)} are free: nothing is charged or credited for them.`,
    pendingChange &&
      !stays &&
      `The change to ${pendingChange.price.name} that waited for the renewal${period ? ` on ${lastPeriodEnd(sub)}` : ""} is replaced.`,
  ];
  return notes.filter((one) => one).join(" ") || null;
}

/** What a change `now` while it was paused costs on the day of the resume; null when nothing of the period is left to prorate. */
export function costsOnResume(
  { onResume, ...sub }: Subscription,
  settling: { readonly creditId: string; readonly held: Held },
  today: CalendarDay,
): Costs | null {
  if (onResume === undefined) return null;
  return costsOf(sub, sub, { terms: sub.terms, ...onResume, ...settling }, today)?.costs ?? null;
}

/**
 * Changes plan, quantity or items on `today`, after everything due before is billed (interface 4.8, 16.8, 16.9). It
 * replaces a pending change. `held`: what is still paid or owed of the subscription's bills.
 */
export function change(given: Subscription, asked: Change, today: CalendarDay, held: Held = ALL_HELD): ChangeOutcome {
  const { proration: requestedProration } = asked;
  const applied = appliedTo(given, requestedProration, today);
  const terms = termsOn(asked.terms, applied.effectiveAt);
  const wanted = { ...asked, terms };
  const { sub, restated: byRates } = ratedOn(given, today);
  const note = notesOf(sub, wanted, applied, today);
  const waits = wanted.isPaused === true && applied.proration === "now";
  const proration = waits ? "none" : applied.proration;
  const shown = { requestedProration, ...applied, proration, note, current: sub.terms, next: terms };
  const shownAs = (outcome: Outcome, prorationInvoice: ProrationInvoice | null): ChangeOutcome => ({
    ...outcome,
    preview: { ...shown, prorationInvoice, nextInvoice: nextBill(outcome.after) },
  });
  if (proration === "next_renewal")
    return shownAs(
      {
        ...withoutBills({ ...sub, pendingChange: waitingTerms(termsOn(sub.terms, applied.effectiveAt), terms) }),
        creditsRestated: byRates,
      },
      null,
    );
  const { sub: changed, restated } = withTerms(sub, terms, today);
  const creditsRestated = [...byRates, ...restated];
  if (waits) {
    const waiting = { ...changed, onResume: { invoiceNow: wanted.invoiceNow } };
    return shownAs({ ...withoutBills(waiting), creditsRestated }, null);
  }
  const now = proration === "now" ? costsOf(sub, changed, { ...wanted, held }, today) : null;
  if (now === null) return shownAs({ ...withoutBills(changed), creditsRestated }, null);
  const { bill, made, credit } = now.costs;
  return shownAs(
    { ...outcomeOf(now.costs), creditsRestated },
    {
      bill,
      dueNow: made?.total ?? ZERO,
      creditToNextRenewal: credit?.amount ?? ZERO,
      resetsPeriod: now.resetsPeriod,
    },
  );
}

/**
 * What a change means for a subscription that ends with its period all the same: the day, that a waiting change never
 * takes effect, and where its credit goes; null for one that goes on.
 */
export function endingNote({ after, preview: { proration, prorationInvoice, next } }: ChangeOutcome): string | null {
  const end = lastPeriodEnd(after);
  if (end === null || !endsWithPeriod(after)) return null;
  const last = addDays(end, -1);
  const { name } = (after.pendingChange ?? after.terms).price;
  const why = after.cancelAtPeriodEnd
    ? `The subscription is still cancelled at the end of its period, ${last}.`
    : `The subscription ends with ${last}: all cycles of ${name} are billed by then.`;
  if (proration === "next_renewal" && after.cancelAtPeriodEnd)
    return `${why} The change would come after that, and never takes effect.`;
  const credit = prorationInvoice?.creditToNextRenewal ?? ZERO;
  if (credit === ZERO) return why;
  return (
    `${why} No renewal uses the credit of ${formatMoney(credit, next.price.currency)}: ` +
    "what its last bill leaves of it stays with the subscription, for when it is reactivated, and is not paid out."
  );
}
