import { type Unit, unitOf } from "../../../../kernel/currency.ts";
import { type Cents, cents, roundFraction, subtract, sum } from "../../../../kernel/money.ts";
import { addDays, type CalendarDay, daysBetween } from "../../../../kernel/time.ts";
import { taxedOn } from "../../../../kernel/vat-rates.ts";
import type { Charge, Price, Span, Terms } from "./types.ts";

/*
 * Which rate of VAT a charge has when the rate changes on a day (interface 16.11, decisions.md#vat-rates-are-read-by-day). The time of
 * supply decides (VAT Act, sections 9 and 67A): a day that is billed in advance has the rate of the day of its bill, and a day that was
 * supplied before its bill the rate of that day itself.
 */

const earlier = (one: CalendarDay, other: CalendarDay): CalendarDay => (one < other ? one : other);

/** The terms with the rate of a day. */
export function termsOn(terms: Terms, day: CalendarDay): Terms {
  const price = taxedOn(terms.price, day);
  return price === terms.price ? terms : { ...terms, price };
}

/** A charge, or the part of one for some of its days, and its price with the rate of these days. */
export interface RatedCharge {
  readonly charge: Charge;
  readonly price: Price;
}

/** The days of a span that have the same rate, when it is billed on a day. */
function spansByRate({ start, next }: Span, { datedRates }: Price, billedOn: CalendarDay): readonly Span[] {
  const last = earlier(billedOn, addDays(next, -1));
  const days = (datedRates ?? []).flatMap(({ from }) => (from !== null && from > start && from <= last ? [from] : []));
  return [start, ...days].map((from, place) => ({ start: from, next: days[place] ?? next }));
}

/** Divides an amount over spans of together `of` days; the parts add up to it. */
function partsOf(amount: Cents, spans: readonly Span[], of: number, unit: Unit): readonly Cents[] {
  let days = 0;
  let before = cents(0);
  return spans.map(({ start, next }) => {
    days += daysBetween(start, next);
    const until = amount < 0 ? cents(-share(cents(-amount), days, of, unit)) : share(amount, days, of, unit);
    const part = subtract(until, before);
    before = until;
    return part;
  });
}

const share = (amount: Cents, days: number, of: number, unit: Unit): Cents =>
  roundFraction(BigInt(amount) * BigInt(days), BigInt(of), unit);

/** A charge that is billed on a day with its rate; when its days have several, its parts by days with theirs. */
export function byRate(charge: Charge, price: Price, billedOn: CalendarDay): readonly RatedCharge[] {
  const spans = spansByRate(charge, price, billedOn);
  const priceOf = ({ start }: Span): Price => taxedOn(price, earlier(start, billedOn));
  const whole = [{ charge, price: priceOf(charge) }];
  if (spans.length === 1) return whole;
  const of = daysBetween(charge.start, charge.next);
  const { reason } = charge;
  const unit = unitOf(price.currency);
  const full = partsOf(reason.full, spans, of, unit);
  const less = reason.less.map(({ amount }) => partsOf(amount, spans, of, unit));
  const parts = spans.map((span, place) => {
    const reductions = reason.less.map((one, index) => ({ ...one, amount: less[index]?.[place] ?? cents(0) }));
    const days = { billed: daysBetween(span.start, span.next), of: reason.days?.of ?? of };
    const amount = subtract(full[place] ?? cents(0), sum(reductions.map((one) => one.amount)));
    const part = { ...span, amount, reason: { ...reason, days, full: full[place] ?? cents(0), less: reductions } };
    return { charge: part as Charge, price: priceOf(span) };
  });
  // A cent of rounding may leave a part of almost nothing below zero.
  return parts.some(({ charge: { amount } }) => amount < 0) ? whole : parts;
}
