import { addDays, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { CHARGE_DUE_INVOICES } from "../../modules/card-charges/declarations.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import type { SettingsChange } from "../organisations/settings.ts";

/** When the daily work on due invoices runs next: at 00:00 of the next South African day. */
export const nextDay = ({ now }: Pick<Ctx, "now">): Instant => startOfDay(addDays(calendarDay(now), 1));

/**
 * Begins the daily work on due invoices with the next day when the setting `chargeDefaultCardWhenDue` was turned on,
 * and ends it when it was turned off. The caller has locked the settings.
 */
export function scheduleDueInvoices(tx: Tx, ctx: Ctx, { before, after }: SettingsChange): void {
  if (before.chargeDefaultCardWhenDue === after.chargeDefaultCardWhenDue) return;
  if (after.chargeDefaultCardWhenDue) enqueue(tx, CHARGE_DUE_INVOICES, ctx.organisation.id, nextDay(ctx));
  else cancelWork(tx, CHARGE_DUE_INVOICES, ctx.organisation.id);
}
