import type { Instant } from "../kernel/time.ts";
import type { Database } from "./database.ts";

/** What a PostgreSQL server says of itself. */
export interface ServerFacts {
  /** Such as 180004. */
  readonly version: number;
  /** Settings on which it rests that what was acknowledged is on disk. */
  readonly durability: Readonly<Record<"fsync" | "full_page_writes" | "synchronous_commit", string>>;
  /** Connections that it accepts, and how many there are. */
  readonly connections: { readonly max: number; readonly used: number };
  /** Whether the role of DATABASE_URL is a superuser. */
  readonly isSuperuser: boolean;
  readonly now: Instant;
}

/** Asks the server, for operators. */
export async function readServerFacts(db: Pick<Database, "sql">): Promise<ServerFacts> {
  const [row] = await db.sql<{
    version: number;
    fsync: string;
    full_page_writes: string;
    synchronous_commit: string;
    max: number;
    used: number;
    superuser: boolean;
    at: Instant;
  }>`
    select current_setting('server_version_num')::integer as version, current_setting('fsync') as fsync,
           current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit,
           current_setting('max_connections')::integer as max, (select count(*)::integer from pg_stat_activity) as used,
           (select rolsuper from pg_roles where rolname = session_user) as superuser, clock_timestamp() as at`;
  if (!row) throw new Error("PostgreSQL does not say its settings.");
  const { version, fsync, full_page_writes, synchronous_commit, max, used, superuser, at } = row;
  return {
    version,
    durability: { fsync, full_page_writes, synchronous_commit },
    connections: { max, used },
    isSuperuser: superuser,
    now: at,
  };
}
