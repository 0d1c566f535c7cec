import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { USE_YOUR_OWN } from "../../src/platform/embedded-postgres/binaries.ts";
import { findEmbeddedPostgres, startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { migrate } from "../../src/platform/migrations.ts";
import { CACHE } from "./cache.ts";
import { ROOT } from "./source.ts";
import { TEMPORARY } from "./temporary.ts";

/** Set by the runner for every test file: the URL of the one server of the run, whose template is ready. */
export const SERVER_VARIABLE = "TEST_POSTGRES_URL";
const TEMPLATE = "tefo_template";
const FOLDER_PREFIX = "tefo-test-postgres-";
const KEPT_PREFIX = "postgres-";
const UNUSED_DAYS = 3;

/** Test data need not survive a crash, so commits do not wait for the disk. */
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_wal_size: "512MB" };

/** Password of the superuser of a test server, which exists only during the tests; in the product it has none. */
const SUPERUSER_PASSWORD = "tests";

/** A PostgreSQL for tests. */
export interface TestServer {
  /** URL for its superuser. */
  readonly url: string;
  /** Stops it and removes its files; safe to call twice. */
  stop(): Promise<void>;
}

/** The URL of a PostgreSQL, for a role that is a superuser there, on which the tests run in place of a server of their own. */
const GIVEN_VARIABLE = "TEST_DATABASE_URL";

/**
 * Starts a server of its own in the temporary folder, with the migrated template that `createClone` copies. The files of a server like it
 * are kept for the next one that has the same migrations. With TEST_DATABASE_URL it uses that server. Throws with one line that says what
 * is missing.
 */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env[GIVEN_VARIABLE];
  if (given) return useGiven(given);
  try {
    return await startPrepared();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // The tests create databases and roles, so they take no server but their own.
    throw new Error(`No PostgreSQL for the tests: ${message.replace(USE_YOUR_OWN, "").trim().replaceAll("\n", " ")}`, {
      cause,
    });
  }
}

/** Makes the template on a server that was given, in place of one that an earlier run has left there. */
async function useGiven(url: string): Promise<TestServer> {
  const drop = () => execute(url, `drop database if exists ${TEMPLATE} with (force)`);
  await drop();
  await createTemplate(url);
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= drop();
    return stopping;
  };
  return { url, stop };
}

async function startPrepared(): Promise<TestServer> {
  await sweepAbandoned();
  const kept = join(CACHE, keptName());
  if (!existsSync(kept)) await keepPrepared(kept);
  const now = new Date();
  await utimes(kept, now, now);
  const dataDir = newFolder();
  await copyFolder(kept, dataDir);
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: SETTINGS });
  const url = asSuperuser(server.url, SUPERUSER_PASSWORD);
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= server.stop().then(() => rm(dataDir, { recursive: true, force: true }));
    return stopping;
  };
  return { url, stop };
}

const newFolder = (): string => join(TEMPORARY, `${FOLDER_PREFIX}${process.pid}-${randomBytes(4).toString("hex")}`);

/** Name of the kept files, by user, PostgreSQL version, migrations, and day: the template has partitions of the next weeks only. */
function keptName(): string {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const day = new Date().toISOString().slice(0, 10);
  const hash = createHash("sha256").update(`${process.getuid?.()} ${dependencies["embedded-postgres"]} ${day}`);
  for (const path of [
    "test/support/postgres.ts",
    ...globSync("{migrations/**/*.sql,src/platform/embedded-postgres*,src/platform/embedded-postgres/*}", {
      cwd: ROOT,
    }).sort(),
  ])
    if (statSync(join(ROOT, path)).isFile()) hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)));
  return `${KEPT_PREFIX}${hash.digest("hex").slice(0, 16)}`;
}

/** Creates a server with its template, stops it, and renames its files to `kept`. When several do so at once, the first wins. */
async function keepPrepared(kept: string): Promise<void> {
  const dataDir = newFolder();
  const superuserPassword = SUPERUSER_PASSWORD;
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: SETTINGS, superuserPassword });
  try {
    await createTemplate(asSuperuser(server.url, superuserPassword)).finally(server.stop);
    await mkdir(CACHE, { recursive: true });
    const partial = `${kept}.${process.pid}`;
    await copyFolder(dataDir, partial);
    await rename(partial, kept).catch(async (error: unknown) => {
      await rm(partial, { recursive: true, force: true });
      if (!existsSync(kept)) throw error;
    });
    await dropUnused();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Removes kept files that were not used for `UNUSED_DAYS`; another run may be copying newer ones. */
async function dropUnused(): Promise<void> {
  const limit = Date.now() - UNUSED_DAYS * 24 * 3600 * 1000;
  for (const name of readdirSync(CACHE).filter((one) => one.startsWith(KEPT_PREFIX))) {
    const { mtimeMs } = await stat(join(CACHE, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (mtimeMs < limit) await rm(join(CACHE, name), { recursive: true, force: true });
  }
}

/** Copies owners and permissions too, which PostgreSQL checks. */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)("cp", ["-a", from, to]);
}

/** Stops and removes the servers of test runs that were killed before they could. */
async function sweepAbandoned(): Promise<void> {
  for (const name of readdirSync(TEMPORARY)) {
    const pid = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const dataDir = join(TEMPORARY, name);
    if (await findEmbeddedPostgres(dataDir)) {
      const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
      await server.stop();
    }
    if (existsSync(dataDir)) await rm(dataDir, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The URL for the superuser: the product's role sees no rows without an organisation, and tests read all rows. */
export function asSuperuser(loginUrl: string, password: string): string {
  const url = new URL(loginUrl);
  url.username = "postgres";
  url.password = password;
  return url.href;
}

/** Migrates one database that every test database is a copy of. */
async function createTemplate(serverUrl: string): Promise<void> {
  await execute(serverUrl, `create database ${TEMPLATE}`);
  const url = databaseUrl(serverUrl, TEMPLATE);
  await becomeOneNode(url);
  await migrate(url);
  // Citus keeps a session in each of its databases, and what has a session cannot be copied.
  await execute(serverUrl, `alter database ${TEMPLATE} allow_connections false`);
  await execute(serverUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${TEMPLATE}'`);
}

/** Where databases of the server have the extension `citus`: makes the server the one node of this database, with all shards. */
async function becomeOneNode(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await execute(
    url,
    `do $$ begin
       if exists (select from pg_extension where extname = 'citus') then
         perform citus_set_coordinator_host('${hostname}', ${port || 5432});
         perform citus_set_node_property('${hostname}', ${port || 5432}, 'shouldhaveshards', true);
       end if;
     end $$`,
  );
}

/** A copy of the template under a new name. Answers its URL, of the superuser. */
export async function createClone(serverUrl: string, template: string = TEMPLATE): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await execute(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  return databaseUrl(serverUrl, name);
}

/** Ends connections to the copy and drops it. */
export async function dropClone(serverUrl: string, url: string): Promise<void> {
  await execute(serverUrl, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "tefo test" });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
