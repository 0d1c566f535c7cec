import type { Decimal } from "../../kernel/decimal.ts";
import { type ApiError, invalidField } from "../../kernel/errors.ts";
import { type StatedVat, statedVat, UNSTATED } from "../../kernel/exemption.ts";
import type { PictureType } from "../../kernel/pictures.ts";
import { calendarDay } from "../../kernel/time.ts";
import { type Dated, datedRates, taxedOn } from "../../kernel/vat-rates.ts";
import { changePrefix } from "../../modules/document-numbers/store.ts";
import {
  type AskedTax,
  LOGO_EXPECTED,
  logoPath,
  patchedSettings,
  rateOfLine,
  readLogo,
  vatRateOn,
  vatTimeline,
} from "../../modules/organisations/rules.ts";
import { type Settings, type SettingsPatchBody, settingsOf } from "../../modules/organisations/schema.ts";
import { lockSettings, readSettings, saveLogo, saveSettings } from "../../modules/organisations/store.ts";
import { findProducts } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import type { Ctx } from "../context.ts";
import type { Renderer } from "../renderer.ts";

/** The settings before and after a change. */
export interface SettingsChange {
  readonly before: Settings;
  readonly after: Settings;
}

/** What follows from a change of the settings, in the same transaction, which has locked them. */
export const SETTINGS_CHANGED = new ExtensionPoint<(tx: Tx, ctx: Ctx, change: SettingsChange) => void>();

const DEFAULTS = settingsOf({});

/** The settings that each transaction has read. */
const read = new WeakMap<Tx, Promise<Settings>>();

/** The organisation's settings with defaults. Read once in each transaction. */
export function currentSettings(tx: Tx): Promise<Settings> {
  const known = read.get(tx);
  if (known) return known;
  const settings = readSettings(tx).then(settingsOf);
  read.set(tx, settings);
  return settings;
}

/**
 * Stores settings that another statement has read, so that `currentSettings` does not read them again; returns them
 * with defaults.
 */
export function knownSettings(tx: Tx, stored: unknown): Settings {
  const settings = settingsOf(stored);
  read.set(tx, Promise.resolve(settings));
  return settings;
}

/** The settings as the API shows them, with today's VAT rate. */
export const settingsObject = ({ now }: Ctx, settings: Settings) => ({
  ...settings,
  vatRate: Number(vatRateOn(settings, calendarDay(now))),
});

/** The VAT of a product or plan in a request body. */
interface PriceTax extends AskedTax {
  readonly standardRate?: boolean | undefined;
  readonly taxInclusive?: boolean | null | undefined;
}

/** The VAT of a stored product or plan. */
interface PriceVat extends Dated {
  readonly taxRate: Decimal;
  readonly taxExempt: boolean;
  readonly standardRate: boolean;
  readonly taxInclusive: boolean;
}

/**
 * The VAT of a new price: today's rate in percent, whether it follows the standard rate, whether it is exempt, and
 * whether the price includes VAT. The settings decide absent fields. Throws 400 for a rate above zero while the
 * organisation is not registered for VAT.
 */
export async function taxOfPrice(tx: Tx, { now }: Ctx, asked: PriceTax): Promise<PriceVat> {
  const settings = await currentSettings(tx);
  const taxExempt = asked.taxExempt ?? false;
  const taxRate = rateOfLine(settings, calendarDay(now), asked, []);
  const standardRate = !taxExempt && (asked.taxRate ?? null) === null && asked.standardRate !== false;
  return {
    taxRate,
    taxExempt,
    standardRate,
    taxInclusive: asked.taxInclusive ?? settings.taxInclusivePrices,
    ...datedRates({ taxRate, taxExempt, standardRate }, vatTimeline(settings)),
  };
}

/**
 * Like `taxOfPrice`, for a change: an absent field does not change. A rate above zero, and the standard rate, remove
 * the exemption.
 */
export async function taxOfChange(tx: Tx, ctx: Ctx, before: PriceVat, asked: PriceTax): Promise<PriceVat> {
  const { taxInclusive = before.taxInclusive } = asked;
  const taxExempt = asked.taxExempt ?? (before.taxExempt && !asked.taxRate && !asked.standardRate);
  const standardRate = asked.standardRate ?? (before.standardRate && !taxExempt && (asked.taxRate ?? null) === null);
  if (asked.taxRate === undefined && standardRate === before.standardRate && taxExempt === before.taxExempt) {
    const { taxRate, datedRates: dated } = before;
    const inclusive = taxInclusive ?? (await currentSettings(tx)).taxInclusivePrices;
    return { taxRate, standardRate, taxExempt, taxInclusive: inclusive, ...(dated && { datedRates: dated }) };
  }
  const taxRate = standardRate || taxExempt ? null : (asked.taxRate ?? Number(taxedToday(ctx, before).taxRate));
  return taxOfPrice(tx, ctx, { taxRate, standardRate, taxExempt, taxInclusive });
}

/**
 * What a body states of the VAT that its amount includes. Throws 400 for a rate above zero while the organisation is not
 * registered for VAT.
 */
export async function vatStatedBy(
  tx: Tx,
  { now }: Ctx,
  asked: { readonly taxRate: number | null; readonly taxExempt: boolean | null },
): Promise<StatedVat> {
  if (asked.taxRate === null && !asked.taxExempt) return UNSTATED;
  rateOfLine(await currentSettings(tx), calendarDay(now), asked, []);
  return statedVat(asked);
}

/** A product or plan with today's VAT rate. */
export const taxedToday = <Of extends Dated & { readonly taxRate: Decimal }>({ now }: Ctx, price: Of): Of =>
  taxedOn(price, calendarDay(now));

/** A new logo, checked and decoded. */
export interface NewLogo {
  readonly bytes: Buffer;
  readonly extension: PictureType;
  /** The decoded form for PDFs; empty when the logo cannot be drawn, and PDFs show the name instead. */
  readonly decoded: Buffer;
}

/** Stored for a logo that cannot be drawn, so that decoding is not retried. */
const UNDRAWABLE = Buffer.alloc(0);

const wrongLogo = (message: string): ApiError => invalidField(["branding", "logo"], message);

/** The picture in a data: URL. Throws 400 for any other text. */
function pictureIn(url: string) {
  const reading = readLogo(url);
  if (!reading.ok) throw wrongLogo(reading.message);
  return reading;
}

/**
 * Checks and decodes a logo that was sent as a data: URL, before the transaction. Null when there is none. Throws 400
 * when it is not a picture, 503 (`Renderer`).
 */
export async function readNewLogo(
  renderer: Renderer,
  { organisation }: Ctx,
  { branding }: SettingsPatchBody,
): Promise<NewLogo | null> {
  if (!branding?.logo?.startsWith("data:")) return null;
  const { bytes, extension } = pictureIn(branding.logo);
  return { bytes, extension, decoded: (await renderer.decodePicture(organisation.id, bytes)) ?? UNDRAWABLE };
}

/**
 * Changes the settings that `patch` names (interface 14.2, PATCH /settings), with the logo that `readNewLogo` has read
 * from it. The present path as `logo` changes nothing. Daily work that depends on them begins or ends
 * (`SETTINGS_CHANGED`), and new documents are numbered by them. Locks the settings and the numbers whose prefix changes.
 * Throws 400 for any other text as `logo`, for an add-on that is no recurring product, and for one prefix of two kinds
 * of documents.
 */
export async function changeSettings(
  tx: Tx,
  ctx: Ctx,
  patch: SettingsPatchBody,
  newLogo: NewLogo | null = null,
): Promise<SettingsChange> {
  const before = settingsOf(await lockSettings(tx));
  const patched = await patchedFrom(tx, ctx, before, patch);
  const logo = storeLogo(tx, ctx, { before: before.branding.logo, given: patched.branding.logo, newLogo });
  const after = { ...patched, branding: { ...patched.branding, logo } };
  saveSettings(tx, after, vatTimeline(after), ctx.now);
  changePrefixes(tx, before, after);
  for (const react of SETTINGS_CHANGED.of(ctx)) react(tx, ctx, { before, after });
  read.delete(tx);
  return { before, after };
}

/**
 * The settings after `patch`: the rest of the transaction reads them as the present ones, and nothing is written
 * (decisions.md#previews-run-the-real-code). A new logo remains the data: URL that was sent. Throws as
 * `changeSettings`.
 */
export async function trySettings(tx: Tx, ctx: Ctx, patch: SettingsPatchBody): Promise<Settings> {
  const before = await currentSettings(tx);
  const tried = await patchedFrom(tx, ctx, before, patch);
  const { logo } = tried.branding;
  if (logo && logo !== before.branding.logo) pictureIn(logo);
  read.set(tx, Promise.resolve(tried));
  return tried;
}

async function patchedFrom(tx: Tx, { now }: Ctx, before: Settings, patch: SettingsPatchBody): Promise<Settings> {
  await requireAddOns(tx, patch.portal?.addOns ?? []);
  const after = patchedSettings(before, DEFAULTS, patch, calendarDay(now));
  requireDifferentPrefixes(after);
  return after;
}

/** Numbers of different documents are told apart by what they begin with. */
function requireDifferentPrefixes({ documentNumbers }: Settings): void {
  const seen = new Set<string>();
  for (const [name, prefix] of Object.entries(documentNumbers)) {
    if (seen.has(prefix)) throw invalidField(["documentNumbers", name], "must differ from those of other documents");
    seen.add(prefix);
  }
}

async function requireAddOns(tx: Tx, ids: readonly string[]): Promise<void> {
  const products = await findProducts(tx, ids);
  for (const [place, id] of ids.entries())
    if (!products.get(id)?.recurring)
      throw invalidField(["portal", "addOns", place], "must be the id of a recurring product");
}

const PREFIX_OF = { invoice: "invoicePrefix", quote: "quotePrefix", credit_note: "creditNotePrefix" } as const;

function changePrefixes(tx: Tx, before: Settings, after: Settings): void {
  // In the order of their locks.
  for (const kind of ["invoice", "quote", "credit_note"] as const) {
    const prefix = after.documentNumbers[PREFIX_OF[kind]];
    if (prefix !== before.documentNumbers[PREFIX_OF[kind]]) changePrefix(tx, kind, prefix);
  }
}

/** Stores a new logo and returns its path. */
function storeLogo(
  tx: Tx,
  { organisation }: Ctx,
  { before, given, newLogo }: { before: string | null; given: string | null; newLogo: NewLogo | null },
): string | null {
  if (given === before) return before;
  if (given && !newLogo) throw wrongLogo(LOGO_EXPECTED);
  saveLogo(tx, newLogo);
  return newLogo && logoPath(organisation.slug, newLogo.bytes, newLogo.extension);
}
