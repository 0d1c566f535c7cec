import { type Decimal, decimalOf } from "./decimal.ts";
import type { CalendarDay } from "./time.ts";

/** A rate of VAT in percent from a day on; `from` is null for the first one, which has no day before it. */
export interface DatedRate {
  readonly from: CalendarDay | null;
  readonly rate: Decimal;
}

/** Ascending; the first is the rate of all days before the second. */
export type DatedRates = readonly DatedRate[];

/** The standard rate of an organisation from a day on, and whether it is registered for VAT then. */
export interface VatSpan extends DatedRate {
  readonly registered: boolean;
}

/** Ascending, and never empty: the first span has no beginning. */
export type VatTimeline = readonly VatSpan[];

/** Of vendors whose tax periods are one month (C), or two: the last is an odd month of the year (A) or an even one (B). */
export const VAT_CATEGORIES = ["A", "B", "C"] as const;
export type VatCategory = (typeof VAT_CATEGORIES)[number];

const NO_VAT = "0" as Decimal;

const spanOn = <Of extends DatedRate>(spans: readonly Of[], day: CalendarDay): Of | undefined =>
  spans.findLast(({ from }) => from === null || from <= day);

/** The rate of a day. */
export const rateOn = (rates: DatedRates, day: CalendarDay): Decimal => spanOn(rates, day)?.rate ?? NO_VAT;

/** Whether the organisation is registered for VAT on a day. */
export const isRegisteredOn = (timeline: VatTimeline, day: CalendarDay): boolean =>
  spanOn(timeline, day)?.registered ?? false;

/** The rates of a supply: the standard rate, or its own; zero while the organisation is not registered. Equal neighbours are one. */
export function ratesFor(timeline: VatTimeline, own: Decimal | null): DatedRates {
  const rates: DatedRate[] = [];
  for (const { from, rate: standard, registered } of timeline) {
    const rate = registered ? decimalOf(own ?? standard) : NO_VAT;
    if (rates.at(-1)?.rate !== rate) rates.push({ from, rate });
  }
  return rates;
}

/** VAT of a stored price. */
interface StoredTax {
  /** The rate when it was stored. */
  readonly taxRate: Decimal;
  readonly taxExempt?: boolean | undefined;
  /** Whether it follows the standard rate; else `taxRate` is its own. */
  readonly standardRate: boolean;
}

/** A price that may have other rates on other days. */
export interface Dated {
  /** The rates by day; left out when the rate is `taxRate` on every day. */
  readonly datedRates?: DatedRates;
}

/** The field `datedRates` of a stored price, to be spread into it. */
export function datedRates({ taxRate, taxExempt, standardRate }: StoredTax, timeline: VatTimeline): Dated {
  if (taxExempt) return {};
  const rates = ratesFor(timeline, standardRate ? null : taxRate);
  return rates.every(({ rate }) => rate === taxRate) ? {} : { datedRates: rates };
}

/** The price with the rate of a day as `taxRate`; the same object when it has that rate. */
export function taxedOn<Of extends Dated & { readonly taxRate: Decimal }>(price: Of, day: CalendarDay): Of {
  const rate = price.datedRates ? rateOn(price.datedRates, day) : price.taxRate;
  return rate === price.taxRate ? price : { ...price, taxRate: rate };
}
