import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type OrganisationRow, organisationFromRow } from "../modules/organisations/store.ts";
import type { Database } from "../platform/database.ts";
import { type Claimed, type ClaimLimits, type Cursor, claimWork, DUE_WORK_CHANNEL } from "../platform/due-work.ts";
import type { Handlers } from "./job.ts";
import { createLanes } from "./lanes.ts";
import { keepLeases } from "./leases.ts";
import { exponentialBackOff, type JobParts, perform } from "./perform.ts";

/** Polling finds work that is due by time; a notification wakes the loop for other work. */
const POLL_MS = 1_000;
/** The pause between two claims, so that a busy loop leases several pieces at once. */
const PAUSE_MS = 5;

/** A running loop of background work. */
export interface Loop {
  /** Starts no new work; resolves when the running work has ended. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Claims in turn over all organisations: each claim begins where the last one ended, and returns whether there may be
 * more work.
 */
function createClaims(
  db: Database,
  holder: string,
): (limits: ClaimLimits) => Promise<{ claimed: Claimed[]; more: boolean }> {
  let cursor: Cursor | null = null;
  return async (limits) => {
    const fromStart = cursor === null;
    const { claimed, reached } = await claimWork(db, holder, cursor, limits);
    cursor = reached;
    return { claimed, more: claimed.length > 0 || !fromStart };
  };
}

/**
 * Leases due work of all organisations in turn and runs it, until stopped: woken by notifications, and polling. Any
 * number of processes may run a loop on one database.
 */
export function startLoop(services: JobParts["services"], handlers: Handlers): Loop {
  const { db, log } = services;
  const ending = new AbortController();
  const lanes = createLanes([...handlers.values()].map(({ work }) => work));
  const leases = keepLeases(db, log);
  const running = new Set<Promise<void>>();
  const by: JobParts = { services, handlers, stopping: ending.signal, backOff: exponentialBackOff, keepsFailed: false };
  const claimNext = createClaims(db, randomUUID());
  let claiming: Promise<void> | null = null;
  let woken = false;

  const begin = ({ work, organisation }: Claimed) => {
    lanes.begin(work);
    leases.add(work);
    const done = perform(by, work, organisationFromRow(organisation as OrganisationRow)).then((outcome) => {
      leases.remove(work);
      lanes.end(work, outcome);
      running.delete(done);
      wake();
    });
    running.add(done);
  };

  async function claimAll(): Promise<void> {
    while (woken && !ending.signal.aborted) {
      woken = false;
      try {
        const { claimed, more } = await claimNext(lanes.limits());
        for (const one of claimed) begin(one);
        if (more) woken = true;
      } catch (error) {
        log.warn({ err: error }, "due work cannot be claimed");
        woken = false;
      }
      await sleep(PAUSE_MS);
    }
  }

  function wake(): void {
    woken = true;
    if (claiming || ending.signal.aborted) return;
    claiming = claimAll().finally(() => {
      claiming = null;
      if (woken) wake();
    });
  }

  const poll = setInterval(wake, POLL_MS);
  const unlisten = db.listen(DUE_WORK_CHANNEL, wake);
  wake();

  let stopped: Promise<void> | null = null;
  async function end(): Promise<void> {
    ending.abort();
    clearInterval(poll);
    await unlisten();
    await claiming;
    while (running.size > 0) await Promise.all(running);
    leases.stop();
  }
  return {
    stop: () => {
      stopped ??= end();
      return stopped;
    },
  };
}
