import { type ApiError, invalidField } from "../../kernel/errors.ts";
import type { PictureType } from "../../kernel/pictures.ts";
import { LOGO_EXPECTED, logoPath, readLogo } from "../../modules/organisations/rules/logo.ts";
import { patchedSettings } from "../../modules/organisations/rules/settings.ts";
import { type Settings, type SettingsPatchBody, settingsOf } from "../../modules/organisations/schema.ts";
import { lockSettings, readSettings, saveLogo, saveSettings } from "../../modules/organisations/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Renderer } from "../renderer.ts";

const DEFAULTS = settingsOf({});

/** What each transaction has read. */
const read = new WeakMap<Tx, Promise<Settings>>();

/** The organisation's settings in force; read once a transaction, however many ask. */
export function currentSettings(tx: Tx): Promise<Settings> {
  const known = read.get(tx);
  if (known) return known;
  const settings = readSettings(tx).then(settingsOf);
  read.set(tx, settings);
  return settings;
}

/** A logo that was sent, and decoded. */
export interface NewLogo {
  readonly bytes: Buffer;
  readonly extension: PictureType;
  /** As PDFs hold it; empty when it cannot be drawn, and they show the name. */
  readonly decoded: Buffer;
}

/** Kept in place of a logo that cannot be drawn, so that nobody tries again. */
const UNDRAWABLE = Buffer.alloc(0);

const wrongLogo = (message: string): ApiError => invalidField(["branding", "logo"], message);

/** Decodes a logo that is sent as a data: URL, before the transaction. Null when none is. 400 for what is no picture, 503 (`Renderer`). */
export async function readNewLogo(renderer: Renderer, { branding }: SettingsPatchBody): Promise<NewLogo | null> {
  if (!branding?.logo?.startsWith("data:")) return null;
  const reading = readLogo(branding.logo);
  if (!reading.ok) throw wrongLogo(reading.message);
  const { bytes, extension } = reading;
  return { bytes, extension, decoded: (await renderer.decodePicture(bytes)) ?? UNDRAWABLE };
}

/** Interface 14.2, PATCH /settings: changes what `patch` names, with the logo that `readNewLogo` found in it. 400 for a logo that is none; the path it already has changes nothing. */
export async function changeSettings(
  tx: Tx,
  ctx: Ctx,
  patch: SettingsPatchBody,
  newLogo: NewLogo | null = null,
): Promise<{ before: Settings; after: Settings }> {
  const before = settingsOf(await lockSettings(tx));
  const patched = patchedSettings(before, DEFAULTS, patch);
  const logo = placeLogo(tx, ctx, { before: before.branding.logo, given: patched.branding.logo, newLogo });
  const after = { ...patched, branding: { ...patched.branding, logo } };
  saveSettings(tx, after);
  read.delete(tx);
  return { before, after };
}

/** Keeps the bytes of a new logo and answers its path. */
function placeLogo(
  tx: Tx,
  { organisation }: Ctx,
  { before, given, newLogo }: { before: string | null; given: string | null; newLogo: NewLogo | null },
): string | null {
  if (given === before) return before;
  if (given && !newLogo) throw wrongLogo(LOGO_EXPECTED);
  saveLogo(tx, newLogo);
  return newLogo && logoPath(organisation.slug, newLogo.bytes, newLogo.extension);
}
