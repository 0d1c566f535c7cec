import { addDays, addMonths, calendarDay, type Instant, startOfDay, toTimestampOrNull } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { settingsOf } from "../../modules/organisations/schema.ts";
import { lockSettings } from "../../modules/organisations/store.ts";
import { RETENTION, RETENTION_NAMES } from "../../modules/organisations/types.ts";
import { APPLY_RETENTION, ERASE_CLOSED } from "../../modules/personal-data/declarations.ts";
import { KEPT_YEARS, WHY } from "../../modules/personal-data/rules.ts";
import {
  closedCustomers,
  isClosed,
  markRemovalsReported,
  noteErased,
  noteRemoved,
  removedSoFar,
  removeOutdated,
  unfinishedOf,
} from "../../modules/personal-data/store.ts";
import { erasureView } from "../../modules/personal-data/view.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { currentSettings, type SettingsChange } from "../organisations/settings.ts";
import { erasePersonalData } from "./erase-customer.ts";

/** The number of records of a kind that one transaction reads. */
const BATCH = 2_000;
const CUSTOMERS = 200;

/** The start of the day this many months ago: older data are removed. */
const cutOff = (now: Instant, months: number): Instant => startOfDay(addMonths(calendarDay(now), -months));

/** Locks and reads the settings on which `applyRetention` depends; every change of them takes the same lock. */
export const lockForRetention = async (tx: Tx): Promise<{ readonly settings: unknown }> => ({
  settings: await lockSettings(tx),
});

/**
 * `retention.apply`, at 00:00 South African time each day: removes a batch of each kind for which the settings name a
 * time, runs again at once while there is more, and then adds an audit entry with the numbers (interface 18.7).
 * Separate work erases closed customers.
 */
export async function applyRetention(
  tx: Tx,
  ctx: Ctx,
  stored: { readonly settings: unknown },
): Promise<Instant | null> {
  const { retention } = settingsOf(stored.settings);
  const reached = new Map((await removedSoFar(tx)).map(({ what, reached }) => [what, reached]));
  let more = false;
  for (const what of RETENTION_NAMES) {
    const months = retention[what];
    if (months === null) continue;
    const step = { what, after: reached.get(what) ?? "", before: cutOff(ctx.now, months) };
    const done =
      what === "closedCustomers"
        ? await askForErasures(tx, ctx, step)
        : await removeOutdated(tx, { ...step, limit: BATCH });
    noteRemoved(tx, { what, reached: done.reached, removed: done.removed, at: ctx.now });
    more ||= done.more;
  }
  if (more) return ctx.now;
  const told = await markRemovalsReported(tx);
  if (told.length > 0) {
    const after = Object.fromEntries(told.map(({ what, count }) => [what, count]));
    recordAudit(tx, { ...ctx, action: "retention", subject: "settings", before: null, after });
  }
  return RETENTION_NAMES.every((what) => retention[what] === null)
    ? null
    : startOfDay(addDays(calendarDay(ctx.now), 1));
}

/** Reads from the first customer each night, since a customer who had something open may have nothing open now. */
async function askForErasures(
  tx: Tx,
  { now }: Ctx,
  { after, before }: { readonly after: string; readonly before: Instant },
) {
  const found = await closedCustomers(tx, { after, before, limit: CUSTOMERS });
  for (const id of found) enqueue(tx, ERASE_CLOSED, id, now);
  const more = found.length === CUSTOMERS;
  return { reached: (more && found.at(-1)) || "", removed: 0, more };
}

/** The record for `eraseClosed`: only the id, since `erasePersonalData` locks the customer. */
export const lockClosed = async (_tx: Tx, id: string): Promise<{ readonly id: string }> => ({ id });

/**
 * `retention.erase_customer`: erases a customer that has been closed for the time in the settings, unless one of its
 * records is open.
 */
export async function eraseClosed(tx: Tx, ctx: Ctx, { id }: { readonly id: string }): Promise<null> {
  const { closedCustomers: months } = (await currentSettings(tx)).retention;
  if (months === null || !(await isClosed(tx, id, cutOff(ctx.now, months)))) return null;
  if ((await unfinishedOf(tx, id)).length > 0) return null;
  const erasure = await erasePersonalData(tx, ctx, id);
  noteErased(tx, ctx.now);
  recordAudit(tx, { ...ctx, action: "retention", subject: id, before: null, after: erasureView(erasure) });
  return null;
}

/** How long data are kept, by the settings and by law, and how much has been removed (interface 18.7). */
export async function retentionOf(tx: Tx) {
  const { retention } = await currentSettings(tx);
  const soFar = new Map((await removedSoFar(tx)).map((removed) => [removed.what, removed]));
  return {
    object: "retention" as const,
    settings: RETENTION_NAMES.map((what) => ({
      what,
      months: retention[what],
      ...RETENTION[what],
      removed: soFar.get(what)?.removed ?? 0,
      appliedAt: toTimestampOrNull(soFar.get(what)?.appliedAt ?? null),
    })),
    byLaw: Object.entries(WHY).map(([what, why]) => ({ what, years: KEPT_YEARS, why })),
  };
}

/**
 * Begins the nightly removal of outdated data when the settings name a time, on the next South African day, so that a
 * mistake can be corrected; ends it when they name none. The caller has locked the settings.
 */
export function scheduleRetention(tx: Tx, { now, organisation }: Ctx, change: SettingsChange): void {
  const [before, after] = [change.before.retention, change.after.retention];
  if (RETENTION_NAMES.every((what) => before[what] === after[what])) return;
  if (RETENTION_NAMES.every((what) => after[what] === null)) cancelWork(tx, APPLY_RETENTION, organisation.id);
  else enqueue(tx, APPLY_RETENTION, organisation.id, startOfDay(addDays(calendarDay(now), 1)));
}
