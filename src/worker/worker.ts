import { machineNow } from "../kernel/time.ts";
import { ofBackground } from "../platform/due-work.ts";
import { upkeep } from "../platform/upkeep.ts";
import { createHandlers, type WorkerParts } from "./job.ts";
import { startLoop } from "./loop.ts";

const UPKEEP_MS = 3_600_000;

/** The running background part of the service. */
export interface Worker {
  /** Begins no new work; resolves when the running work has ended. */
  stop(): Promise<void>;
}

/** Runs the due work of all organisations and the database's upkeep until stopped. Any number of processes may do so on one database. */
export function startWorker(parts: WorkerParts): Worker {
  const { db, log } = parts.services;
  const loop = startLoop(
    parts.services,
    createHandlers({ ...parts, services: { ...parts.services, db: ofBackground(db) } }),
  );
  let keeping: Promise<void> = Promise.resolve();
  const keep = () => {
    keeping = upkeep(db, machineNow()).catch((error: unknown) => log.error({ err: error }, "upkeep failed"));
  };
  const timer = setInterval(keep, UPKEEP_MS);
  keep();
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all([loop.stop(), keeping]);
    },
  };
}
