import { assert } from "../../../kernel/assert.ts";
import { type Decimal, toDecimal } from "../../../kernel/decimal.ts";
import { type BusinessDay, parseBusinessDay } from "../../../kernel/time.ts";
import { rateOn, ratesFor, type VatTimeline } from "../../../kernel/vat-rates.ts";
import type { Settings } from "../schema.ts";

type Rates = Settings["vatRates"];
type Vat = Pick<Settings, "vatRegistered" | "vatRegisteredFrom" | "vatRates">;

/** The rate that is in force on a day; before all of them it is the first. */
const inForce = (rates: Rates, day: string) => rates.findLast(({ from }) => from <= day) ?? rates[0];

/**
 * The rates after a PATCH: from the first given day on they are those that were given, and `vatRate` is that of the
 * rate in force today.
 */
export function ratesAfter(
  before: Rates,
  { vatRate, vatRates }: { readonly vatRate?: number | undefined; readonly vatRates?: Rates | undefined },
  today: BusinessDay,
): Rates {
  const [first] = vatRates ?? [];
  const dated = first && vatRates ? [...before.filter(({ from }) => from < first.from), ...vatRates] : before;
  if (vatRate === undefined) return dated;
  const corrected = inForce(dated, today);
  return dated.map((one) => (one === corrected ? { ...one, rate: vatRate } : one));
}

/** A day of the settings, which were checked when they were changed. */
function dayOf(text: string): BusinessDay {
  const day = parseBusinessDay(text);
  assert(day, `no day: ${text}`);
  return day;
}

/** The standard rate and the registration from each day on. */
export function vatTimeline({ vatRegistered, vatRegisteredFrom, vatRates }: Vat): VatTimeline {
  const rate = (day: string | null): Decimal => toDecimal((day ? inForce(vatRates, day) : vatRates[0])?.rate ?? 0);
  if (!vatRegistered) return [{ from: null, rate: rate(null), registered: false }];
  const days = vatRates.slice(1).map(({ from }) => dayOf(from));
  if (vatRegisteredFrom === null) return [null, ...days].map((from) => ({ from, rate: rate(from), registered: true }));
  const registered = dayOf(vatRegisteredFrom);
  const all = [...new Set([...days, registered])].toSorted();
  return [null, ...all].map((from) => ({
    from,
    rate: rate(from),
    registered: from !== null && from >= registered,
  }));
}

/** The organisation's rate of VAT on a day, in percent: the standard rate, zero while it is not registered. */
export const vatRateOn = (settings: Vat, day: BusinessDay): Decimal =>
  rateOn(ratesFor(vatTimeline(settings), null), day);
