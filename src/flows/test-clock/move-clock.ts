import { ApiError, invalidField } from "../../kernel/errors.ts";
import { addSeconds, type Instant, instant, toTimestamp } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { endMove, findOrganisation, unsetClock } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { waitForRealTime } from "../../platform/clock-moves.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, clockOf, realTime } from "../context.ts";
import type { Services } from "../services.ts";

/** An organisation's clock; when it was `set` it stands still until it is moved, else it is real time. */
export interface ClockReading {
  readonly now: string;
  readonly set: boolean;
}

/** Years have four digits, also in dates after the clock. */
const CLOCK_MAX = instant("9000-01-01T00:00:00Z");
/** A time up to 10 seconds ago is accepted: it is the caller's "now". */
const TOLERANCE_SECONDS = 10;

/** The clock of a sandbox organisation as in interface 13.1. */
export const readClock = (organisation: Organisation): ClockReading => ({
  now: toTimestamp(clockOf(organisation)),
  set: organisation.clockAt !== null,
});

/**
 * Moves the clock (interface 13.1, POST): returns after all work due up to `until` has run. Throws 400 for a time
 * before the clock's or after the year 8999, 409 while another move runs, and when the move was ended or takes too long
 * for one request: the clock then stands where it has come, and the same request continues from there.
 */
export async function moveClock(
  services: Services,
  ctx: Ctx,
  until: Instant,
): Promise<{ now: string; ran: Record<string, number> }> {
  const { organisation } = ctx;
  const before = readClock(organisation);
  if (until < (organisation.clockAt ?? addSeconds(ctx.now, -TOLERANCE_SECONDS)))
    throw invalidField(["now"], `now must not be before ${before.now}, where the clock stands.`);
  if (until >= CLOCK_MAX) throw invalidField(["now"], "now must be before the year 9000.");
  const ran = await services.runDue(organisation.id, until);
  const after = await services.db.transaction(organisation.id, async (tx) => {
    const reading = readClock((await findOrganisation(tx)) ?? organisation);
    recordAudit(tx, { ...ctx, action: "POST /test-clock", subject: organisation.id, before, after: reading });
    return reading;
  });
  return { now: after.now, ran };
}

/**
 * Ends a running move: the clock stands where it has come. Without one, lets the clock follow real time again
 * (interface 13.1, DELETE); throws 409 `invalid_state` while it is ahead of real time.
 */
export async function resetClock(tx: Tx, ctx: Ctx): Promise<{ before: ClockReading; after: ClockReading }> {
  const before = readClock(ctx.organisation);
  const now = realTime();
  const moving = await endMove(tx, now);
  // A move may have advanced it since the request was admitted.
  const organisation = (await findOrganisation(tx)) ?? ctx.organisation;
  if (moving) return { before, after: readClock(organisation) };
  if (organisation.clockAt && organisation.clockAt > now)
    throw new ApiError(
      "invalid_state",
      409,
      `The clock stands at ${readClock(organisation).now}, ahead of real time. ` +
        "What happened by it cannot be in the future, so it has to wait until then.",
    );
  unsetClock(tx);
  waitForRealTime(tx);
  return { before, after: { now: toTimestamp(now), set: false } };
}
