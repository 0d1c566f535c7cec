import { invalidField } from "../kernel/errors.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../kernel/time.ts";
import type { Ctx } from "./context.ts";

/** One year ahead is 366 days (interface 4.2). */
const DAYS_AHEAD_MAX = 366;

/**
 * Checks the end that a client gives. Throws 400 unless it is in the future and at most one year ahead (interface 4.2,
 * 4.9).
 */
export function checkExpiresAt({ now }: Pick<Ctx, "now">, expiresAt: Instant | null): void {
  if (!expiresAt) return;
  if (expiresAt <= now) throw invalidField(["expiresAt"], "expiresAt must be in the future.");
  if (expiresAt > addSeconds(now, DAYS_AHEAD_MAX * DAY_SECONDS))
    throw invalidField(["expiresAt"], "expiresAt must be at most 1 year ahead.");
}
