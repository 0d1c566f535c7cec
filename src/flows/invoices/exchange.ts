import { isDeepStrictEqual } from "node:util";
import { invalidField } from "../../kernel/errors.ts";
import type { Exchange } from "../../kernel/exchange.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { isRegisteredOn } from "../../kernel/vat-rates.ts";
import { saveAwaitedExchanges } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { exchangeOf, vatTimeline } from "../../modules/organisations/rules.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { alertNoExchange } from "../mail/staff-alerts.ts";
import type { SettingsChange } from "../organisations/settings.ts";

type InRand = Pick<Invoice, "exchange" | "awaitsExchange">;
type Dated = Pick<Invoice, "currency" | "issueDate">;

const isForeign = (currency: string): boolean => currency !== DEFAULT_CURRENCY;

/** Whether the organisation must state the VAT of an invoice of this day in rand. */
const isVendorOn = (settings: Settings, day: CalendarDay): boolean => isRegisteredOn(vatTimeline(settings), day);

/**
 * How an invoice that somebody makes is reckoned in rand: as given, else by the settings' rate (interface 2.5,
 * `exchange`). Throws 400 at `exchange` for one that is given in rand, for a rate of a day to come, and when a VAT
 * vendor's invoice in another currency has none.
 */
export function exchangeAsked(
  { now }: Pick<Ctx, "now">,
  settings: Settings,
  { currency, issueDate }: Dated,
  given: Exchange | null,
): InRand {
  const awaitsExchange = false;
  if (!isForeign(currency)) {
    if (given)
      throw invalidField(
        ["exchange"],
        "must be left out: the invoice is in rand. Send the currency that the rate is of.",
      );
    return { exchange: null, awaitsExchange };
  }
  const latest = [calendarDay(now), issueDate].toSorted().at(-1);
  if (given && latest !== undefined && given.date > latest)
    throw invalidField(["exchange", "date"], `must not be after ${latest}: the rate of a day to come is not known`);
  const exchange = given ?? exchangeOf(settings, currency);
  if (!exchange && isVendorOn(settings, issueDate))
    throw invalidField(
      ["exchange"],
      `exchange is required: a VAT vendor states the VAT of an invoice in ${currency} in rand. ` +
        `Send exchange {rate, date, source}, or give the settings' exchangeRates a rate of ${currency}.`,
    );
  return { exchange, awaitsExchange };
}

/**
 * As `exchangeAsked`, for an invoice that is made without anybody who could be refused: by the settings' rate; a VAT
 * vendor's without one waits for it (decisions.md#invoices-wait-for-a-rate).
 */
export function exchangeKnown(settings: Settings, { currency, issueDate }: Dated): InRand {
  if (!isForeign(currency)) return { exchange: null, awaitsExchange: false };
  const exchange = exchangeOf(settings, currency);
  return { exchange, awaitsExchange: exchange === null && isVendorOn(settings, issueDate) };
}

/** Alerts staff of invoices that wait for a rate, once a day for each currency. */
export async function alertAwaiting(tx: Tx, ctx: Ctx, made: readonly Invoice[]): Promise<void> {
  const waiting = Map.groupBy(
    made.filter(({ awaitsExchange }) => awaitsExchange),
    ({ currency }) => currency,
  );
  for (const [first] of waiting.values()) if (first) await alertNoExchange(tx, ctx, first);
}

/** Gives the invoices that wait for a rate the settings' new ones. */
export function fillExchanges(tx: Tx, { now }: Ctx, { before, after }: SettingsChange): void {
  const rates = after.exchangeRates.filter(
    (rate) => !before.exchangeRates.some((known) => isDeepStrictEqual(known, rate)),
  );
  saveAwaitedExchanges(
    tx,
    rates.flatMap(({ currency }) => {
      const exchange = exchangeOf(after, currency);
      return exchange ? { currency, ...exchange } : [];
    }),
    now,
  );
}
