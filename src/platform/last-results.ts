import type { Instant } from "../kernel/time.ts";
import type { Database } from "./database.ts";

/** Work on the installation as a whole whose last result operators watch. */
export type ResultKind = "verify" | "backup";

/** The last result of a kind of work. */
export interface LastResult {
  readonly kind: ResultKind;
  readonly endedAt: Instant;
  /** That `verify` found; 0 of a backup. */
  readonly faults: number;
}

/** Stores a result in place of the one before. */
export async function recordResult(db: Pick<Database, "sql">, { kind, endedAt, faults }: LastResult): Promise<void> {
  await db.sql`
    insert into last_results (kind, ended_at, faults) values (${kind}, ${endedAt}, ${faults})
    on conflict (kind) do update set ended_at = excluded.ended_at, faults = excluded.faults`;
}

/** The last result of each kind that has one. */
export async function lastResults(db: Pick<Database, "sql">): Promise<LastResult[]> {
  const rows = await db.sql<{ kind: ResultKind; ended_at: Instant; faults: number }>`select * from last_results`;
  return rows.map(({ kind, ended_at, faults }) => ({ kind, endedAt: ended_at, faults }));
}
