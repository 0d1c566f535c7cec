import type { Instant } from "../kernel/time.ts";
import { type Database, openDatabase } from "./database.ts";

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

/** What a read replica says of itself, compared with its primary. */
export interface ReplicaFacts {
  /** False of a server that takes writes itself, such as one that was promoted. */
  readonly follows: boolean;
  /** Whether both began as one cluster. */
  readonly isCopy: boolean;
  /** Bytes of the write-ahead log that it has not replayed yet. */
  readonly behindBytes: number;
}

/** Asks a replica, and then the primary, for operators. Throws when the replica cannot be reached. */
export async function readReplicaFacts(primary: Pick<Database, "sql">, url: string): Promise<ReplicaFacts> {
  const db = openDatabase(url, { connections: 1 });
  try {
    const [replica] = await db.sql<{ follows: boolean; at: string | null; cluster: string }>`
      select pg_is_in_recovery() as follows, pg_last_wal_replay_lsn()::text as at,
             (select system_identifier::text from pg_control_system()) as cluster`;
    if (!replica) throw new Error("PostgreSQL does not say its state.");
    const [compared] = await primary.sql<{ copy: boolean; bytes: number }>`
      select (select system_identifier::text from pg_control_system()) = ${replica.cluster} as copy,
             coalesce(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), ${replica.at}::pg_lsn), 0)::bigint as bytes`;
    return {
      follows: replica.follows,
      isCopy: compared?.copy === true,
      behindBytes: Math.max(0, compared?.bytes ?? 0),
    };
  } finally {
    await db.close();
  }
}
