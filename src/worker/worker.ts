import { foldDaySums } from "../modules/overview/store.ts";
import { endLongWaits, ofBackground } from "../platform/due-work.ts";
import { machineNow } from "../platform/machine-clock.ts";
import { repeatedly } from "../platform/repeatedly.ts";
import { upkeep } from "../platform/upkeep.ts";
import { createHandlers, type WorkerParts } from "./job.ts";
import { startLoop } from "./loop.ts";

const UPKEEP_MS = 3_600_000;
/** How often the worker looks for work that is due by real time although its organisation's clock is set. */
const LONG_WAITS_MS = 10_000;

/** The running background part of the service. */
export interface Worker {
  /** Starts no new work; resolves when the running work has ended. */
  stop(): Promise<void>;
}

/**
 * Runs the due work of all organisations and the database's upkeep until stopped. Any number of processes may do so on
 * one database.
 */
export function startWorker(parts: WorkerParts): Worker {
  const { db, log } = parts.services;
  const loop = startLoop(
    parts.services,
    createHandlers({ ...parts, services: { ...parts.services, db: ofBackground(db) } }),
  );
  const kept = [
    repeatedly(UPKEEP_MS, log, "upkeep failed", () => upkeep(db, machineNow())),
    repeatedly(UPKEEP_MS, log, "sums of days were not brought together", () => foldDaySums(db)),
    repeatedly(LONG_WAITS_MS, log, "work that is due by real time was not looked for", () => endLongWaits(db)),
  ];
  return {
    async stop() {
      await Promise.all([loop.stop(), ...kept.map((end) => end())]);
    },
  };
}
