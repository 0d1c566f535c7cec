import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { findEmbeddedPostgres, startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { migrate } from "../../src/platform/migrations.ts";

/** Set by the runner for every test file: the URL of the one server of the run, whose template is ready. */
export const SERVER_VARIABLE = "TEST_POSTGRES_URL";
const TEMPLATE = "tefo_template";
const FOLDER_PREFIX = "tefo-test-postgres-";

/** Nothing here must survive a crash, so nothing waits for the disk. */
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_wal_size: "2GB" };

/** A PostgreSQL for tests. */
export interface TestServer {
  /** Of its superuser. */
  readonly url: string;
  /** Stops it and removes its files; safe to call twice. */
  stop(): Promise<void>;
}

/** Starts a server of its own in the temporary folder, with the migrated template that `createClone` copies. */
export async function startTestServer(): Promise<TestServer> {
  await sweepAbandoned();
  const dataDir = join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-${randomBytes(4).toString("hex")}`);
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: SETTINGS });
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= server.stop().then(() => rm(dataDir, { recursive: true, force: true }));
    return stopping;
  };
  try {
    await createTemplate(server.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, stop };
}

/** Stops and removes the servers of test runs that were killed before they could. */
async function sweepAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const dataDir = join(tmpdir(), name);
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

/** Migrates one database that every test database is a copy of. */
async function createTemplate(serverUrl: string): Promise<void> {
  await execute(serverUrl, `create database ${TEMPLATE}`);
  await migrate(databaseUrl(serverUrl, TEMPLATE));
}

/** A copy of the template under a new name. Answers its URL, of the superuser. */
export async function createClone(serverUrl: string): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await execute(serverUrl, `create database ${name} template ${TEMPLATE}`);
  return databaseUrl(serverUrl, name);
}

/** Cuts what is still connected to the copy and removes it. */
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
