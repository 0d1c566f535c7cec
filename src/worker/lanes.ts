import { type ClaimLimits, type DueWork, laneKey, type Work } from "../platform/due-work.ts";
import type { Outcome } from "./job.ts";

/**
 * How many attempts run at once to an endpoint whose last attempt timed out: enough to notice that it answers again,
 * few enough to delay no other.
 */
const SILENT_TOGETHER = 2;
/** The largest number of pieces of work that one claim leases. */
const CLAIM_MAX = 256;
/** The largest number of silent endpoints that are remembered; beyond it the set is cleared and built again. */
const SILENT_MAX = 10_000;

/** Counts the running work per lane and kind, so that a claim leases only work that can begin at once. */
export interface Lanes {
  limits(): ClaimLimits;
  begin(work: Work): void;
  end(work: Work, outcome: Outcome): void;
}

/** Lanes without running work, for the given kinds. */
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
      // The limit for a lane that is not listed: the smallest free number of the kinds with lanes of their own.
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
