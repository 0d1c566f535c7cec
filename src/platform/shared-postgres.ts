import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";

/** The embedded PostgreSQL, for as long as this process needs it. */
export interface PostgresInUse {
  /** URL of the database `tefo`, for the role that owns it. Contains the password. */
  readonly url: string;
  /** Ends this use, and stops PostgreSQL when no other process uses it. Safe to call twice. */
  release(): Promise<void>;
}

interface Options {
  /** DATA_DIR. */
  readonly dataDir: string;
  log(message: string): void;
  /** PostgreSQL came back under another port: connections to `url` will never succeed again. */
  lost(): void;
}

const ATTEMPTS = 5;
const AGAIN_MS = 1_000;
const KEY = "hashtext('tefo embedded postgres in use')";

interface Connection {
  readonly server: EmbeddedPostgres;
  /** Its session holds a shared advisory lock while PostgreSQL is in use; when it is closed, PostgreSQL has ended. */
  readonly client: pg.Client;
}

/**
 * Starts the PostgreSQL of `dataDir`, or uses the one that runs; starts it again when it ends during use. Any number of
 * processes may share it: each holds a shared advisory lock in it, and the last one stops it (decisions.md#last-user-stops-postgresql).
 */
export async function useEmbeddedPostgres(options: Options): Promise<PostgresInUse> {
  let connection = await connect(options);
  let released = false;
  let restoring: Promise<void> | null = null;

  const restore = async () => {
    options.log("PostgreSQL has gone; starting it again");
    while (!released) {
      try {
        const next = await connect(options);
        if (next.server.url !== connection.server.url) options.lost();
        connection = next;
        watch();
        options.log("PostgreSQL is back");
        return;
      } catch (error) {
        options.log(`PostgreSQL does not come back: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(AGAIN_MS);
      }
    }
  };
  const watch = () => {
    connection.client.once("end", () => {
      if (!released) restoring = restore();
    });
  };
  watch();

  return {
    url: connection.server.url,
    async release() {
      released = true;
      await restoring;
      await disconnect(connection);
    },
  };
}

async function connect(options: Options): Promise<Connection> {
  for (let attempt = 1; ; attempt++) {
    const server = await startEmbeddedPostgres(options);
    const client = new pg.Client({ connectionString: server.url, application_name: "tefo keeper" });
    // The `end` event that follows is handled.
    client.on("error", () => {});
    try {
      await client.connect();
      // Waits for a process that is about to stop the server; its stop then ends this attempt.
      await client.query(`select pg_advisory_lock_shared(${KEY})`);
      return { server, client };
    } catch (error) {
      await client.end().catch(() => {});
      if (attempt >= ATTEMPTS) throw error;
    }
  }
}

async function disconnect({ server, client }: Connection): Promise<void> {
  if (await isLastUser(client)) await server.stop();
  await client.end().catch(() => {});
}

/**
 * True when no other process uses it; then the session holds an exclusive lock, so new users wait until the stop. False
 * also when PostgreSQL has ended.
 */
async function isLastUser(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`select pg_advisory_unlock_shared(${KEY})`);
    const { rows } = await client.query<{ alone: boolean }>(`select pg_try_advisory_lock(${KEY}) as alone`);
    return rows[0]?.alone === true;
  } catch {
    return false;
  }
}
