import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";

/* Databases of version 0.1.0, which the baseline adopts. */

/** SHA-256 of the names and checksums of the migrations of version 0.1.0, a line each, in order. */
const MIGRATIONS_OF_0_1_0 = "26fef18d72b94c095961fbaa87f42f25bc43a2378345bc341d55074019a554ee";
const FROM_0_1_0 = join(import.meta.dirname, "../../migrations/from-0.1.0.sql");

/** By name, the checksums of the migrations that a database has. */
type Applied = ReadonlyMap<string, string>;

/** Whether the database was made before version 1.0. */
export const isEarlier = (applied: Applied): boolean => applied.has("0001-foundation");

/**
 * In the caller's transaction: makes of a database of version 0.1.0 what the baseline makes, and removes its migrations
 * from the list. Throws unless exactly the migrations of that version were applied.
 */
export async function adopt(client: pg.Client, applied: Applied): Promise<void> {
  const lines = [...applied]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, checksum]) => `${name} ${checksum}\n`);
  if (createHash("sha256").update(lines.join("")).digest("hex") !== MIGRATIONS_OF_0_1_0)
    throw new Error(
      "this database is from before version 1.0, and not as version 0.1.0 leaves it. Start it once with version 0.1.0, then with this one.",
    );
  await client.query(readFileSync(FROM_0_1_0, "utf8"));
  await client.query("delete from migrations");
}
