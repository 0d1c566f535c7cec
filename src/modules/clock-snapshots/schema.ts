import { z } from "zod";
import type { Id } from "../../kernel/ids.ts";
import { type Instant, toTimestamp } from "../../kernel/time.ts";
import { optional, pageQuery, text, timestamp } from "../../platform/schema.ts";

export type ClockSnapshotId = Id<"snap">;

/** A snapshot of a sandbox organisation, to which its clock can be rewound (interface 13.8). */
export interface ClockSnapshot {
  readonly id: ClockSnapshotId;
  readonly name: string | null;
  /** Where the organisation's clock stood. */
  readonly clockAt: Instant;
  /** The beginning of the organisation's sealed values, which names the key that opens them. */
  readonly sealedUnder: string;
  /** By the machine's clock: the organisation's own is `clockAt`. */
  readonly createdAt: Instant;
}

/** Body of `POST /test-clock/snapshots`. */
export const SnapshotCreate = z.object({ name: optional(text(1, 100)) }).prefault({});
export type SnapshotCreateBody = z.output<typeof SnapshotCreate>;

/** Query of `GET /test-clock/snapshots`. */
export const SnapshotQuery = pageQuery(["snap"], {});

/** Interface 13.8. */
export const SnapshotObject = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    now: timestamp().describe("Where the clock stood, and stands again after a rewind."),
    createdAt: timestamp().describe("When it was made, by real time."),
  })
  .meta({ id: "TestClockSnapshot" });

/** A snapshot as both APIs show it (interface 13.8). */
export const snapshotView = (snapshot: ClockSnapshot) => ({
  id: snapshot.id,
  name: snapshot.name,
  now: toTimestamp(snapshot.clockAt),
  createdAt: toTimestamp(snapshot.createdAt),
});
