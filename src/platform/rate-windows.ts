import type { Sql } from "./database.ts";

/** Counts one use of each scope in the window that began at `start` (Unix seconds), for all processes; the counts, in the order given. */
export async function countUses(sql: Sql, scopes: readonly string[], start: number): Promise<number[]> {
  const rows = await sql<{ used: number }>`
    select count_request(scope, ${start}) as used from unnest(${scopes}::text[]) with ordinality as wanted(scope, place) order by place`;
  return rows.map(({ used }) => used);
}

/** Takes one use back. */
export async function uncountUse(sql: Sql, scope: string, start: number): Promise<void> {
  await sql`update rate_windows set count = count - 1 where scope = ${scope} and window_start = ${start} and count > 0`;
}

/** Removes all counts of the scope. */
export async function forgetUses(sql: Sql, scope: string): Promise<void> {
  await sql`delete from rate_windows where scope = ${scope}`;
}
