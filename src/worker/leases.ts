import type { Database } from "../platform/database.ts";
import { LEASE_SECONDS, renewLeases, type Work } from "../platform/due-work.ts";
import type { Log } from "../platform/log.ts";

/** Twice more before a lease runs out, should the database be away for a moment. */
const RENEW_MS = (LEASE_SECONDS * 1000) / 3;

/** Leases of one token that are being kept. */
export interface KeptLeases {
  add(work: Work): void;
  remove(work: Work): void;
  stop(): void;
}

/** Renews the leases of work under way, for as long as it takes. */
export function keepLeases(db: Pick<Database, "sql">, log: Log, token: string): KeptLeases {
  const leased = new Set<Work>();
  const timer = setInterval(() => {
    if (leased.size === 0) return;
    renewLeases(db, token, [...leased]).catch((error: unknown) => log.warn({ err: error }, "leases not renewed"));
  }, RENEW_MS);
  return {
    add: (work) => void leased.add(work),
    remove: (work) => void leased.delete(work),
    stop: () => clearInterval(timer),
  };
}
