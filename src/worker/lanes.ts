import { type DueKind, laneKey, type Wanted, type Work } from "../platform/due-work.ts";
import type { Outcome } from "./job.ts";

/**
 * How much of a kind is under way at once: `together` in a lane of an organisation, `max` in this process. A lane of deliveries is one
 * endpoint; every other lane is the kind within one organisation.
 */
interface Bounds {
  readonly together: number;
  readonly max: number;
}

/** Work in the database, a transaction each. */
const USUAL: Bounds = { together: 8, max: 32 };
/** Deliveries mostly wait for somebody else's server and cost little meanwhile; events of one organisation share a transaction, and so do mails. */
const BOUNDS: Readonly<Partial<Record<DueKind, Bounds>>> = {
  "webhook.deliver": { together: 32, max: 1024 },
  "event.react": { together: 64, max: 256 },
  "mail.compose": { together: 64, max: 256 },
  "mail.send": { together: 4, max: 10 },
  "refund.check": { together: 4, max: 16 },
};
const boundsOf = (kind: DueKind): Bounds => BOUNDS[kind] ?? USUAL;
/** For an endpoint that let the last attempt's whole time pass: enough to see that it is back, too few to be felt. */
const SILENT_TOGETHER = 2;
/** Leased by one claim at most. */
const CLAIM_MAX = 256;
/** Endpoints remembered as silent; past it all are forgotten, and found out again. */
const SILENT_MAX = 10_000;

const DELIVER: DueKind = "webhook.deliver";

/** Keeps count of what is under way, so that a claim asks for no more than can be begun at once: nothing waits in this process. */
export interface Lanes {
  wanted(): Wanted;
  begin(work: Work): void;
  end(work: Work, outcome: Outcome): void;
}

/** Nothing under way; work of the kinds given is asked for. */
export function createLanes(kinds: readonly DueKind[]): Lanes {
  const ofKind = new Map<DueKind, number>();
  const ofLane = new Map<string, { kind: DueKind; count: number }>();
  const silent = new Set<string>();
  const left = (kind: DueKind) => Math.max(0, boundsOf(kind).max - (ofKind.get(kind) ?? 0));
  const add = (work: Work, change: number) => {
    const key = laneKey(work);
    const count = (ofLane.get(key)?.count ?? 0) + change;
    if (count === 0) ofLane.delete(key);
    else ofLane.set(key, { kind: work.kind, count });
    ofKind.set(work.kind, (ofKind.get(work.kind) ?? 0) + change);
  };

  return {
    wanted() {
      const rooms: Record<string, number> = {};
      const ofKinds: Partial<Record<DueKind, number>> = {};
      for (const kind of kinds) {
        ofKinds[kind] = left(kind);
        rooms[kind] = Math.min(boundsOf(kind).together, left(kind));
      }
      const room = rooms[DELIVER] ?? 0;
      for (const key of silent) rooms[key] = Math.min(room, SILENT_TOGETHER);
      for (const [key, { kind, count }] of ofLane) {
        const together = silent.has(key) ? SILENT_TOGETHER : boundsOf(kind).together;
        rooms[key] = Math.max(0, Math.min(left(kind), together - count));
      }
      return { limit: CLAIM_MAX, room, rooms, kinds: ofKinds };
    },
    begin: (work) => add(work, 1),
    end(work, outcome) {
      add(work, -1);
      const key = laneKey(work);
      if (outcome === "done") silent.delete(key);
      else {
        if (silent.size >= SILENT_MAX) silent.clear();
        silent.add(key);
      }
    },
  };
}
