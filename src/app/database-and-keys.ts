import { setTimeout as sleep } from "node:timers/promises";
import { checkLocks } from "../domain/locks.ts";
import { migrate } from "../platform/migrations.ts";
import { createSecrets, type Secrets } from "../platform/secrets.ts";
import { useEmbeddedPostgres } from "../platform/shared-postgres.ts";
import type { Config } from "./config.ts";
import { embeddedMasterKey } from "./master-key.ts";

/** A migrated database and the keys of its secrets: every process and every command opens these first. */
export interface DatabaseAndKeys {
  readonly databaseUrl: string;
  /** Names of the migrations applied just now. */
  readonly migrated: readonly string[];
  /** Created at the first call, so commands that open and seal nothing need no key. Throws when SECRET_KEY has the wrong form. */
  secrets(): Secrets;
  /** Call it after all connections are closed. Stops the embedded database when no other process uses it. */
  release(): Promise<void>;
}

interface Options {
  /** How long to wait for a database of DATABASE_URL that is starting, in milliseconds. */
  readonly databaseWaitMs: number;
  log(message: string): void;
  /** For developers: reports a fault with which the process can continue. Each is reported once. */
  warn(fault: Error): void;
  /** Called when the embedded database was restarted on another port: this process must end and be started again. */
  lost(): void;
}

const RETRY_MS = 250;
/**
 * Error codes of a database that is starting: refused, reset, unknown host, "the database system is starting up"; and of one that is being
 * replaced: it is shutting down, has crashed, or is a standby that was not promoted yet.
 */
const STARTING = new Set(["ECONNREFUSED", "ECONNRESET", "57P03", "ENOTFOUND", "EAI_AGAIN", "57P01", "57P02", "25006"]);
/** What `pg` says, without a code, of a connection that ended while it was waiting. */
const ENDED = /^(Connection terminated|timeout expired)/;

/** Opens the database of `config`, migrates it and prepares the keys. Throws an Error whose message tells a person what to do. */
export async function openDatabaseAndKeys(config: Config, options: Options): Promise<DatabaseAndKeys> {
  const { databaseUrl, dataDir, previousSecretKeys } = config;
  const current = config.secretKey ?? (await embeddedMasterKey(dataDir).catch(unusable(dataDir)));
  if (config.checkLocks === "fail") checkLocks();
  if (config.checkLocks === "warn") checkLocks(eachOnce(options.warn));
  const secrets = once(() => createSecrets({ current, previous: previousSecretKeys }));
  if (databaseUrl !== null) {
    const migrated = await migrateWhenReachable(databaseUrl, options);
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

/** Migrates; waits up to `databaseWaitMs` for a database that is starting, as when a machine or a set of containers starts. */
async function migrateWhenReachable(url: string, { databaseWaitMs, log }: Options): Promise<string[]> {
  const { hostname, port, pathname } = new URL(url);
  const where = `${pathname.slice(1)} at ${hostname}:${port || 5432}`;
  const giveUpAt = performance.now() + databaseWaitMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrate(url);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (message.startsWith("Migration ")) throw error;
      const starting = STARTING.has(code) || ENDED.test(message);
      if (!starting || performance.now() > giveUpAt) {
        const advice = `Check DATABASE_URL${starting ? ", and that PostgreSQL runs there" : ""}.`;
        throw new Error(`The database ${where} cannot be used: ${message || code}. ${advice}`, { cause: error });
      }
      if (attempt === 1) log(`Waiting for the database ${where}: ${message || code}`);
      await sleep(RETRY_MS);
    }
  }
}

/** Turns an error of the file system into one that names DATA_DIR. */
const unusable =
  (dataDir: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (!error.path) throw error;
    const advice = "Set DATA_DIR to a folder that this user may write to";
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${error.message}. ${advice}.`, { cause: error });
  };

/** Passes on each message once: a repeated message is dropped. */
function eachOnce(report: (fault: Error) => void): (fault: Error) => void {
  const reported = new Set<string>();
  return (fault) => {
    if (reported.has(fault.message)) return;
    reported.add(fault.message);
    report(fault);
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
