import { addDays, businessDay, startOfDay } from "../../kernel/time.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { RETENTION_NAMES } from "../../modules/organisations/types.ts";
import { APPLY_RETENTION } from "../../modules/personal-data/declarations.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

type Months = Settings["retention"];

/**
 * Begins the nightly removal of outdated data when the settings name a time, with the next South African day, so that a mistake can be corrected;
 * ends it when they name none. The caller has locked the settings.
 */
export function scheduleRetention(tx: Tx, { now, organisation }: Ctx, change: { before: Months; after: Months }): void {
  const { before, after } = change;
  if (RETENTION_NAMES.every((what) => before[what] === after[what])) return;
  if (RETENTION_NAMES.every((what) => after[what] === null)) cancelWork(tx, APPLY_RETENTION, organisation.id);
  else enqueue(tx, APPLY_RETENTION, organisation.id, startOfDay(addDays(businessDay(now), 1)));
}
