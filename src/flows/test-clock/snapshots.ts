import { ApiError, notFound } from "../../kernel/errors.ts";
import type { Instant } from "../../kernel/time.ts";
import type { ClockSnapshot, SnapshotCreateBody } from "../../modules/clock-snapshots/schema.ts";
import {
  countSnapshots,
  deleteSnapshot,
  findSnapshot,
  insertSnapshot,
  restoreSnapshot,
} from "../../modules/clock-snapshots/store.ts";
import { findOrganisation, isClockMoving, lockMovingClock, setClock } from "../../modules/organisations/store.ts";
import { dueByClock } from "../../platform/clock-moves.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, clockOf, realTime } from "../context.ts";

/** The largest number of snapshots of an organisation (interface 13.8). */
const SNAPSHOTS_MAX = 20;

/**
 * Makes a snapshot of everything that the organisation has, at its clock's present time (interface 13.8). Takes the
 * clock. Throws 403 for a live organisation; 409 `invalid_state` for the 21st, and while the clock is moved.
 */
export async function createSnapshot(tx: Tx, ctx: Ctx, { name }: SnapshotCreateBody): Promise<ClockSnapshot> {
  const clockAt = await takeStandingClock(tx, ctx);
  if ((await countSnapshots(tx)) >= SNAPSHOTS_MAX)
    throw new ApiError(
      "invalid_state",
      409,
      `An organisation has at most ${SNAPSHOTS_MAX} snapshots. Delete one first, with DELETE /test-clock/snapshots/{id}.`,
    );
  const snapshot: ClockSnapshot = {
    id: newId("snap"),
    name,
    clockAt,
    sealedUnder: ctx.secrets.currentPrefix,
    createdAt: realTime(),
  };
  insertSnapshot(tx, snapshot);
  return snapshot;
}

/**
 * Puts the organisation back as a snapshot has it, its clock and its due work too (interface 13.8); the clock then
 * stands. Takes the clock. Throws 404; 409 `invalid_state` while the clock is moved, and
 * for a snapshot from before an update of the service or of its key.
 */
export async function rewindToSnapshot(tx: Tx, ctx: Ctx, id: string): Promise<ClockSnapshot> {
  await takeStandingClock(tx, ctx);
  const snapshot = await findSnapshot(tx, id);
  if (!snapshot) throw notFound("snapshot");
  const opens = snapshot.sealedUnder === ctx.secrets.currentPrefix;
  if (!opens || !(await restoreSnapshot(tx, snapshot)))
    throw new ApiError(
      "invalid_state",
      409,
      "The service was updated after this snapshot was made, so it cannot be restored. Make a new one.",
    );
  setClock(tx, snapshot.clockAt);
  dueByClock(tx, snapshot.clockAt);
  return snapshot;
}

/** Deletes a snapshot (interface 13.8), and returns it. Throws 404. */
export async function removeSnapshot(tx: Tx, id: string): Promise<ClockSnapshot> {
  const snapshot = await findSnapshot(tx, id);
  if (!snapshot) throw notFound("snapshot");
  deleteSnapshot(tx, snapshot);
  return snapshot;
}

/** Takes the clock of a sandbox organisation that is not being moved, and locks the organisation. Answers where it stands. */
async function takeStandingClock(tx: Tx, ctx: Ctx): Promise<Instant> {
  await lockMovingClock(tx);
  if (await isClockMoving(tx, realTime()))
    throw new ApiError(
      "invalid_state",
      409,
      "The clock is being moved. Wait for that request, or end the move with DELETE /test-clock.",
      { headers: { "retry-after": "1" } },
    );
  // A move may have ended since the request was admitted.
  return clockOf((await findOrganisation(tx)) ?? ctx.organisation);
}
