import { addSeconds, DAY_SECONDS, type Instant, unixSeconds } from "../kernel/time.ts";
import type { Database } from "./database.ts";

/** The longest rate window. */
const WINDOW_SECONDS_MAX = DAY_SECONDS;

/**
 * Creates the partitions of the next weeks, drops those past retention, and deletes old rate windows
 * (decisions.md#partitions-by-id). `now` is machine time. Harmless in several processes at once.
 */
export async function upkeep(db: Pick<Database, "sql">, now: Instant): Promise<void> {
  await db.sql`select maintain_partitions(${now})`;
  const over = unixSeconds(addSeconds(now, -WINDOW_SECONDS_MAX));
  await db.sql`delete from rate_windows where window_start < ${over}`;
}
