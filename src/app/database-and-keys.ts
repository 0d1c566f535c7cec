import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "../platform/migrations.ts";
import { createSecrets, type Secrets } from "../platform/secrets.ts";
import { useEmbeddedPostgres } from "../platform/shared-postgres.ts";
import type { Config } from "./config.ts";
import { embeddedMasterKey } from "./master-key.ts";

/** A migrated database and what opens the secrets in it: what every process and every command stands on. */
export interface DatabaseAndKeys {
  readonly databaseUrl: string;
  /** Names of the migrations applied just now. */
  readonly migrated: readonly string[];
  /** Made when it is first asked for: commands that open and seal nothing do without a key. Throws for one of the wrong form. */
  secrets(): Secrets;
  /** When nothing is connected any more; the embedded database stops with its last user. */
  release(): Promise<void>;
}

interface Options {
  /** How long a database of DATABASE_URL that is still starting is waited for. */
  readonly databaseWaitMs: number;
  log(message: string): void;
  /** The embedded database came back elsewhere: this process must end and be started again. */
  lost(): void;
}

const RETRY_MS = 250;
/** Refused, reset, or "the database system is starting up": what a database that starts beside us answers. */
const STARTING = new Set(["ECONNREFUSED", "ECONNRESET", "57P03", "ENOTFOUND", "EAI_AGAIN"]);

/** Throws an Error whose message says what to do: for a person to read, without a stack. */
export async function openDatabaseAndKeys(config: Config, options: Options): Promise<DatabaseAndKeys> {
  const { databaseUrl, dataDir, previousSecretKeys } = config;
  const current = config.secretKey ?? (await embeddedMasterKey(dataDir).catch(unusable(dataDir)));
  const secrets = once(() => createSecrets({ current, previous: previousSecretKeys }));
  if (databaseUrl !== null) {
    const migrated = await migrateWhenReachable(databaseUrl, options.databaseWaitMs);
    return { databaseUrl, migrated, secrets, release: async () => {} };
  }
  const { url, release } = await useEmbeddedPostgres({ dataDir, log: options.log, lost: options.lost }).catch(
    unusable(dataDir),
  );
  try {
    return { databaseUrl: url, migrated: await migrate(url), secrets, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Waits for a database that is starting, as it is when a machine or a set of containers comes up. */
async function migrateWhenReachable(url: string, waitMs: number): Promise<string[]> {
  const { hostname, port, pathname } = new URL(url);
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      return await migrate(url);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (message.startsWith("Migration ")) throw error;
      if (!STARTING.has(code) || performance.now() > giveUpAt)
        throw new Error(
          `The database ${pathname.slice(1)} at ${hostname}:${port || 5432} cannot be used: ${message || code}. Check DATABASE_URL.`,
          { cause: error },
        );
      await sleep(RETRY_MS);
    }
  }
}

/** What the file system refuses, told with the variable that named the place. */
const unusable =
  (dataDir: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw error.path ? new Error(`DATA_DIR ${dataDir} cannot be used: ${error.message}.`, { cause: error }) : error;
  };

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
