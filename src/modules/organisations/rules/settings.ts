import type { BusinessDay } from "../../../kernel/time.ts";
import type { Settings, SettingsPatchBody } from "../schema.ts";
import { ratesAfter } from "./vat.ts";

type Changes<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/**
 * The settings after a PATCH on `today`: a field that is not given stays, null restores the default, nested objects are
 * changed field by field, and VAT rates from the first given day on.
 */
export function patchedSettings(
  before: Settings,
  defaults: Settings,
  patch: SettingsPatchBody,
  today: BusinessDay,
): Settings {
  const { debitOrders, dunning, invoiceReminders, portal, branding, retention, vatRate, vatRates, ...flat } = patch;
  return {
    ...changed(before, defaults, flat),
    vatRates: ratesAfter(
      before.vatRates,
      { vatRate, vatRates: vatRates === null ? defaults.vatRates : vatRates },
      today,
    ),
    debitOrders: changed(before.debitOrders, defaults.debitOrders, debitOrders),
    dunning: changed(before.dunning, defaults.dunning, dunning),
    invoiceReminders: changed(before.invoiceReminders, defaults.invoiceReminders, invoiceReminders),
    portal: changed(before.portal, defaults.portal, portal),
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
