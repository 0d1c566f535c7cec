import type { Sql, Tx } from "./database.ts";

/**
 * Counts one use of each scope in the window that began at `start` (Unix seconds), for all processes; the counts, in
 * the order given.
 */
export async function countUses(sql: Sql, scopes: readonly string[], start: number): Promise<number[]> {
  const rows = await sql<{ used: number }>`
    select count_request(scope, ${start}) as used from unnest(${scopes}::text[]) with ordinality as wanted(scope, place) order by place`;
  return rows.map(({ used }) => used);
}

/** The highest count of these scopes in the window; counts nothing. */
export async function mostUsed(sql: Sql, scopes: readonly string[], start: number): Promise<number> {
  const [row] = await sql<{ used: number }>`
    select coalesce(max(count), 0)::integer as used from rate_windows where scope = any (${scopes}) and window_start = ${start}`;
  return row?.used ?? 0;
}

/**
 * Locks the counts of a scope until the transaction ends; at least one use was counted before. The caller says what
 * that locks (`locking`).
 */
export async function lockUses(tx: Tx, scope: string): Promise<void> {
  await tx.sql`select from rate_windows where scope = ${scope} order by window_start for update`;
}

/** Takes one use back. */
export async function uncountUse(sql: Sql, scope: string, start: number): Promise<void> {
  await sql`update rate_windows set count = count - 1 where scope = ${scope} and window_start = ${start} and count > 0`;
}

/** Removes all counts of the scope. */
export async function forgetUses(sql: Sql, scope: string): Promise<void> {
  await sql`delete from rate_windows where scope = ${scope}`;
}
