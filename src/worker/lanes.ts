import { type ClaimLimits, type DueWork, laneKey, type Work } from "../platform/due-work.ts";
import type { Outcome } from "./job.ts";

/** For an endpoint that let the last attempt's whole time pass: enough to see that it is back, too few to be felt. */
const SILENT_TOGETHER = 2;
/** Leased by one claim at most. */
const CLAIM_MAX = 256;
/** Endpoints remembered as silent; past it all are forgotten, and found out again. */
const SILENT_MAX = 10_000;

/** Keeps count of what is under way, so that a claim asks for no more than can be begun at once: nothing waits in this process. */
export interface Lanes {
  limits(): ClaimLimits;
  begin(work: Work): void;
  end(work: Work, outcome: Outcome): void;
}

/** Nothing under way; work of the kinds given is asked for. */
export function createLanes(kinds: readonly DueWork[]): Lanes {
  const declared = new Map(kinds.map((work) => [work.kind, work]));
  const ofKind = new Map<string, number>();
  const ofLane = new Map<string, { kind: string; count: number }>();
  const silent = new Set<string>();
  const left = (kind: string) => Math.max(0, (declared.get(kind)?.perProcess ?? 0) - (ofKind.get(kind) ?? 0));
  const together = (kind: string) => declared.get(kind)?.together ?? 0;
  const add = (work: Work, change: number) => {
    const key = laneKey(work);
    const count = (ofLane.get(key)?.count ?? 0) + change;
    if (count === 0) ofLane.delete(key);
    else ofLane.set(key, { kind: work.kind, count });
    ofKind.set(work.kind, (ofKind.get(work.kind) ?? 0) + change);
  };

  return {
    limits() {
      const laneLimits: Record<string, number> = {};
      const ofKinds: Record<string, number> = {};
      // Of a lane that is none of these: lanes of their own have room for the least of their kinds.
      let laneLimit = Number.POSITIVE_INFINITY;
      for (const { kind, ownLanes } of kinds) {
        ofKinds[kind] = left(kind);
        const free = Math.min(together(kind), left(kind));
        if (ownLanes) laneLimit = Math.min(laneLimit, free);
        else laneLimits[kind] = free;
      }
      if (laneLimit === Number.POSITIVE_INFINITY) laneLimit = 0;
      for (const key of silent) laneLimits[key] = Math.min(laneLimit, SILENT_TOGETHER);
      for (const [key, { kind, count }] of ofLane) {
        const bound = silent.has(key) ? SILENT_TOGETHER : together(kind);
        laneLimits[key] = Math.max(0, Math.min(left(kind), bound - count));
      }
      return { limit: CLAIM_MAX, laneLimit, laneLimits, kinds: ofKinds };
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
