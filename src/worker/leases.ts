import type { Database } from "../platform/database.ts";
import { LEASE_SECONDS, renewLeases, type Work } from "../platform/due-work.ts";
import type { Log } from "../platform/log.ts";

/** Three renewals fit in a lease, in case the database is briefly unavailable. */
const RENEW_MS = (LEASE_SECONDS * 1000) / 3;

/** Leases that are renewed. */
export interface KeptLeases {
  add(work: Work): void;
  remove(work: Work): void;
  stop(): void;
}

/** Renews the leases of running work until `stop`. */
export function keepLeases(db: Pick<Database, "sql">, log: Log): KeptLeases {
  const leased = new Set<Work>();
  const timer = setInterval(() => {
    if (leased.size === 0) return;
    renewLeases(db, [...leased]).catch((error: unknown) => log.warn({ err: error }, "leases not renewed"));
  }, RENEW_MS);
  return {
    add: (work) => void leased.add(work),
    remove: (work) => void leased.delete(work),
    stop: () => clearInterval(timer),
  };
}
