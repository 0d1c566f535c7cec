// Writes: allowed_return_urls. Reads nothing else.
import type { Tx } from "../../platform/database.ts";

/** The allowed origins, in canonical form and sorted (interface 5.7). */
export async function listAllowedOrigins(tx: Tx): Promise<string[]> {
  const rows = await tx.sql<{ origin: string }>`
    select origin from allowed_return_urls where organisation_id = ${tx.organisation} order by origin`;
  return rows.map((row) => row.origin);
}

/** Replaces all origins. */
export function replaceAllowedOrigins(tx: Tx, origins: readonly string[]): void {
  tx.queue`delete from allowed_return_urls where organisation_id = ${tx.organisation}`;
  tx.queue`
    insert into allowed_return_urls (organisation_id, origin)
    select distinct ${tx.organisation}, origin from unnest(${origins}::text[]) as o(origin)
    returning origin`;
}
