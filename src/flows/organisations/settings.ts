import { invalidField } from "../../kernel/errors.ts";
import { logoPath, readLogo } from "../../modules/organisations/rules/logo.ts";
import { patchedSettings } from "../../modules/organisations/rules/settings.ts";
import { type Settings, type SettingsPatchBody, settingsOf } from "../../modules/organisations/schema.ts";
import { lockSettings, readSettings, saveLogo, saveSettings } from "../../modules/organisations/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

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

/** Interface 14.2, PATCH /settings. 400 for a logo that is none; the path it already has changes nothing. */
export async function changeSettings(
  tx: Tx,
  ctx: Ctx,
  patch: SettingsPatchBody,
): Promise<{ before: Settings; after: Settings }> {
  const before = settingsOf(await lockSettings(tx));
  const patched = patchedSettings(before, DEFAULTS, patch);
  const logo = placeLogo(tx, ctx, before.branding.logo, patched.branding.logo);
  const after = { ...patched, branding: { ...patched.branding, logo } };
  saveSettings(tx, after);
  read.delete(tx);
  return { before, after };
}

/** Keeps the bytes of a new logo and answers its path. */
function placeLogo(tx: Tx, ctx: Ctx, before: string | null, given: string | null): string | null {
  if (given === before) return before;
  if (!given) {
    saveLogo(tx, null);
    return null;
  }
  const reading = readLogo(given);
  if (!reading.ok) throw invalidField(["branding", "logo"], reading.message);
  saveLogo(tx, reading.bytes);
  return logoPath(ctx.organisation.slug, reading.bytes, reading.extension);
}
