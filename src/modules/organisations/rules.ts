import { createHash } from "node:crypto";
import { assert } from "../../kernel/assert.ts";
import { type Decimal, toDecimal } from "../../kernel/decimal.ts";
import { invalidField } from "../../kernel/errors.ts";
import type { Exchange } from "../../kernel/exchange.ts";
import { rateAsked } from "../../kernel/exemption.ts";
import { type PictureType, pictureTypeOf } from "../../kernel/pictures.ts";
import { type CalendarDay, parseCalendarDay } from "../../kernel/time.ts";
import { isRegisteredOn, rateOn, ratesFor, type VatTimeline } from "../../kernel/vat-rates.ts";
import type { Settings, SettingsPatchBody } from "./schema.ts";

type Changes<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/**
 * The settings after a PATCH on `today`: a field that is not given stays, null restores the default, nested objects are
 * changed field by field, and VAT rates from the first given day on.
 */
export function patchedSettings(
  before: Settings,
  defaults: Settings,
  patch: SettingsPatchBody,
  today: CalendarDay,
): Settings {
  const {
    debitOrders,
    dunning,
    invoiceReminders,
    messages,
    portal,
    branding,
    mail,
    documentNumbers,
    retention,
    vatRate,
    vatRates,
    exchangeRates,
    ...flat
  } = patch;
  return {
    ...changed(before, defaults, flat),
    vatRates: ratesAfter(
      before.vatRates,
      { vatRate, vatRates: vatRates === null ? defaults.vatRates : vatRates },
      today,
    ),
    exchangeRates:
      exchangeRates === undefined
        ? before.exchangeRates
        : (exchangeRates ?? []).map(({ date = today, ...rate }) => ({ ...rate, date })),
    debitOrders: changed(before.debitOrders, defaults.debitOrders, debitOrders),
    dunning: changed(before.dunning, defaults.dunning, dunning),
    invoiceReminders: changed(before.invoiceReminders, defaults.invoiceReminders, invoiceReminders),
    messages: changed(before.messages, defaults.messages, messages),
    portal: changed(before.portal, defaults.portal, portal),
    mail: changed(before.mail, defaults.mail, mail),
    documentNumbers: changed(before.documentNumbers, defaults.documentNumbers, documentNumbers),
    branding: changed(before.branding, defaults.branding, branding),
    retention: changed(before.retention, defaults.retention, retention),
  };
}

function changed<T extends object>(before: T, defaults: T, changes: Changes<T> | null | undefined): T {
  if (changes === null) return defaults;
  const after = { ...before };
  for (const key of Object.keys(changes ?? {}) as (keyof T)[]) {
    const value = changes?.[key];
    if (value !== undefined) after[key] = value ?? defaults[key];
  }
  return after;
}

type Rates = Settings["vatRates"];
type Vat = Pick<Settings, "vatRegistered" | "vatRegisteredFrom" | "vatRates">;

/** The rate that is in force on a day; before all of them it is the first. */
const inForce = (rates: Rates, day: string) => rates.findLast(({ from }) => from <= day) ?? rates[0];

/**
 * The rates after a PATCH: from the first given day on they are those that were given, and `vatRate` is that of the
 * rate in force today.
 */
function ratesAfter(
  before: Rates,
  { vatRate, vatRates }: { readonly vatRate?: number | undefined; readonly vatRates?: Rates | undefined },
  today: CalendarDay,
): Rates {
  const [first] = vatRates ?? [];
  const dated = first && vatRates ? [...before.filter(({ from }) => from < first.from), ...vatRates] : before;
  if (vatRate === undefined) return dated;
  const corrected = inForce(dated, today);
  return dated.map((one) => (one === corrected ? { ...one, rate: vatRate } : one));
}

/** A day of the settings, which were checked when they were changed. */
function dayOf(text: string): CalendarDay {
  const day = parseCalendarDay(text);
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

/**
 * The organisation's rate of VAT on a day, in percent: the standard rate, or `own` of a supply that has one; zero while
 * it is not registered.
 */
export const vatRateOn = (settings: Vat, day: CalendarDay, own: Decimal | null = null): Decimal =>
  rateOn(ratesFor(vatTimeline(settings), own), day);

/** The VAT of a request body; a field that is absent or null is not given. */
export interface AskedTax {
  readonly taxRate?: number | null | undefined;
  readonly taxExempt?: boolean | null | undefined;
}

/**
 * The rate of a line that is supplied on a day: its own, else the organisation's on that day. Throws 400 at `path` for
 * a rate above zero on a day on which the organisation is not registered for VAT.
 */
export function rateOfLine(
  settings: Settings,
  day: CalendarDay,
  { taxRate = null, taxExempt = null }: AskedTax,
  path: readonly (string | number)[],
): Decimal {
  const own = rateAsked({ taxRate, taxExempt });
  requireRegistered(settings, day, own, path);
  return own === null ? vatRateOn(settings, day) : toDecimal(own);
}

function requireRegistered(
  settings: Settings,
  day: CalendarDay,
  rate: number | null,
  path: readonly (string | number)[],
) {
  if (rate && !isRegisteredOn(vatTimeline(settings), day))
    throw invalidField(
      [...path, "taxRate"],
      `must be 0 or left out: by its settings the organisation is not registered for VAT on ${day}`,
    );
}

/** The rate at which invoices in a currency are reckoned in rand; null when the settings have none. */
export function exchangeOf({ exchangeRates }: Pick<Settings, "exchangeRates">, currency: string): Exchange | null {
  const found = exchangeRates.find((one) => one.currency === currency);
  return found ? { rate: toDecimal(found.rate), date: dayOf(found.date), source: found.source } : null;
}

/** The slug of the demo organisation (interface 13.7). */
export const DEMO_SLUG = "demo";

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Why a text cannot be a slug, which is part of URLs and of mail addresses; null when it can. */
export const slugFault = (slug: string): string | null =>
  SLUG.test(slug)
    ? null
    : "A slug is 1 to 63 lower-case letters, digits and hyphens, and begins and ends with a letter or a digit.";

const MEDIA: Readonly<Record<PictureType, string>> = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" };

/** Bytes of a logo, at most: a page with it has at most 30 kB (interface 15.2). */
const BYTES_MAX = 20_000;

export type LogoReading =
  | { readonly ok: true; readonly bytes: Buffer; readonly extension: PictureType }
  | { readonly ok: false; readonly message: string };

/** The message for a text that is not a logo. */
export const LOGO_EXPECTED = "The logo must be a data: URL of a PNG, JPEG or WebP image, as data:image/png;base64,…";

const refuse = (message: string): LogoReading => ({ ok: false, message });

/** Reads a `data:` URL of a PNG, JPEG or WebP image of at most 20 kB. The bytes decide the type, not the URL. */
export function readLogo(url: string): LogoReading {
  const [, encoded] = /^data:image\/[a-z0-9.+-]+;base64,([A-Za-z0-9+/]*={0,2})$/.exec(url) ?? [];
  if (encoded === undefined) return refuse(LOGO_EXPECTED);
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length > BYTES_MAX) return refuse(`The logo must be at most ${BYTES_MAX / 1000} kB.`);
  const type = pictureTypeOf(bytes);
  return type ? { ok: true, bytes, extension: type } : refuse("The logo must be a PNG, JPEG or WebP image.");
}

/** The path of a logo. It depends on the bytes, so browsers may cache it for ever. */
export const logoPath = (slug: string, bytes: Uint8Array, extension: PictureType): string =>
  `/assets/logo/${slug}/${createHash("sha256").update(bytes).digest("hex").slice(0, 20)}.${extension}`;

/** The media type, by the path's extension. */
export const logoType = (path: string): string =>
  MEDIA[path.split(".").at(-1) as PictureType] ?? "application/octet-stream";
