import assert from "node:assert/strict";
import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { freePort } from "../../src/app/listen.ts";
import {
  type Binaries,
  chooseLauncher,
  embeddedBinaries,
  type Launcher,
  launch,
  run,
} from "../../src/platform/embedded-postgres/binaries.ts";

import { openDisk } from "./disk.ts";

/*
 * A primary and its synchronous standby. The standby is a copy of the primary's files that PostgreSQL's own functions of backups make
 * consistent, so that the programs of the embedded PostgreSQL suffice; `bin` names those of another version.
 */

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "64MB",
  wal_keep_size: "1GB",
  jit: "off",
  log_line_prefix: "%m [%p] ",
};
const POLL_MS = 50;
const PATIENCE_MS = 120_000;

/** One PostgreSQL that runs as a child of this process. */
interface Server {
  readonly port: number;
  readonly directory: string;
  readonly args: readonly string[];
  process: ChildProcess | null;
}

export interface Cluster {
  /** Null between the loss of a primary and the promotion of its standby. */
  primaryPort(): number | null;
  /** Null while there is no standby. */
  standbyPort(): number | null;
  /** Runs statements as superuser on the primary. */
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs statements as superuser on the standby. */
  queryStandby<Row extends object>(sql: string): Promise<Row[]>;
  /** kill -9 of every process of the primary, which is started again. */
  crashPrimary(): Promise<void>;
  /** kill -9 of the standby, which is started again after so many milliseconds: commits wait for it. */
  crashStandby(awayMs: number): Promise<void>;
  /** Ends the primary for good, by kill -9 or in order, promotes the standby, and makes a new standby of it. */
  failOver(planned: boolean): Promise<void>;
  /**
   * Leaves both servers without space for so many milliseconds: what they can write no more ends them, and they are started
   * again. Nothing happens where no file system can be mounted (`openDisk`).
   */
  fillDisk(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both below `folder`. `bin` is the folder of PostgreSQL's programs; null: those of the embedded one. */
export async function openCluster(folder: string, bin: string | null): Promise<Cluster> {
  const programs = bin === null ? await embeddedBinaries() : programsIn(bin);
  const disk = await openDisk(folder);
  const launcher = await chooseLauncher(programs.postgres, folder, null);
  const place = { folder: disk?.folder ?? folder, programs, launcher };
  let primary = await createPrimary(place);
  let [lost, following] = [false, true];
  await query(primary.port, "create role tefo login createrole");
  await query(primary.port, "create database tefo owner tefo");
  let standby = await createStandby(place, primary);
  await makeSynchronous(primary);
  return {
    primaryPort: () => (lost ? null : primary.port),
    standbyPort: () => (following ? standby.port : null),
    query: (sql, values) => query(primary.port, sql, values, "tefo"),
    queryStandby: (sql) => query(standby.port, sql, [], "tefo"),
    async crashPrimary() {
      await ended(primary, "SIGKILL");
      await started(place, primary);
    },
    async crashStandby(awayMs) {
      await ended(standby, "SIGKILL");
      await sleep(awayMs);
      await started(place, standby);
      await makeSynchronous(primary);
    },
    async failOver(planned) {
      const old = primary;
      [lost, following] = [true, false];
      await ended(old, planned ? "SIGINT" : "SIGKILL");
      await promote(standby);
      primary = standby;
      lost = false;
      await rm(old.directory, { recursive: true });
      standby = await createStandby(place, primary);
      following = true;
      await makeSynchronous(primary);
    },
    async fillDisk(ms) {
      if (!disk) return;
      await disk.fill();
      await sleep(ms);
      await disk.empty();
      for (const server of [primary, standby]) await started(place, server);
      await makeSynchronous(primary);
    },
    async stop() {
      for (const server of [primary, standby]) await ended(server, "SIGKILL");
      await disk?.remove();
    },
  };
}

/** Where servers are made, and by which programs. */
interface Place {
  readonly folder: string;
  readonly programs: Binaries;
  readonly launcher: Launcher;
}

const programsIn = (bin: string): Binaries => ({
  initdb: join(bin, "initdb"),
  postgres: join(bin, "postgres"),
  pg_ctl: join(bin, "pg_ctl"),
});

async function createPrimary(place: Place): Promise<Server> {
  const directory = await newFolder(place);
  const args = [
    "--pgdata",
    directory,
    "--username",
    "postgres",
    "--auth",
    "trust",
    "--encoding",
    "UTF8",
    "--no-locale",
  ];
  const { code, output } = await run(place.launcher, place.programs.initdb, args);
  assert.equal(code, 0, output);
  return start(place, directory, []);
}

/** Copies the primary while it runs, and starts the copy as its standby. */
async function createStandby(place: Place, primary: Server): Promise<Server> {
  const directory = await newFolder(place);
  const client = await connected(primary.port);
  try {
    await client.query("select pg_backup_start('marathon', true)");
    // Files that PostgreSQL removes meanwhile are of no use to the copy.
    await promisify(execFile)("cp", ["-a", `${primary.directory}/.`, directory]).catch(() => {});
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    for (const name of ["postmaster.pid", "postmaster.opts"]) await rm(join(directory, name), { force: true });
    // What the copy needs of the log it asks the primary for.
    await promisify(execFile)("find", [join(directory, "pg_wal"), "-type", "f", "-delete"]);
    await give(place, join(directory, "backup_label"), rows[0]?.labelfile ?? "");
    for (const name of ["standby.signal", "postgresql.auto.conf"]) await give(place, join(directory, name), "");
  } finally {
    await client.end();
  }
  const follows = `primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
  return start(place, directory, ["-c", follows]);
}

/** A new folder that PostgreSQL's user owns. */
async function newFolder({ folder, launcher: { user } }: Place): Promise<string> {
  const directory = await mkdtemp(join(folder, "postgres-"));
  if (user) await chown(directory, user.uid, user.gid);
  return directory;
}

async function give({ launcher: { user } }: Place, path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  if (user) await chown(path, user.uid, user.gid);
}

async function start(place: Place, directory: string, args: readonly string[]): Promise<Server> {
  const server: Server = { directory, port: await freePort("127.0.0.1"), args, process: null };
  await started(place, server);
  return server;
}

/** Starts it, again while processes of its last life remain, until it accepts connections. */
async function started({ launcher, programs }: Place, server: Server): Promise<void> {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const args = ["-D", server.directory, "-p", String(server.port), ...settings, ...server.args];
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    if (!isAlive(server)) {
      const log = openSync(`${server.directory}.log`, "a");
      server.process = launch(launcher, programs.postgres, args, { stdio: ["ignore", log, log] });
      closeSync(log);
    }
    const client = await connected(server.port).catch(() => null);
    if (client) return client.end();
    assert.ok(performance.now() < until, `PostgreSQL does not start; see ${server.directory}.log`);
    await sleep(POLL_MS);
  }
}

const isAlive = ({ process }: Server): boolean => process?.exitCode === null && process.signalCode === null;

/** Ends it by a signal, and waits for its end. */
async function ended(server: Server, signal: NodeJS.Signals): Promise<void> {
  if (!server.process || !isAlive(server)) return;
  const exit = once(server.process, "exit");
  server.process.kill(signal);
  await exit;
}

async function promote({ port }: Server): Promise<void> {
  const [row] = await query<{ done: boolean }>(port, "select pg_promote(true, 60) as done");
  assert.equal(row?.done, true, "the standby is promoted");
}

/** Waits until the standby follows; from then on no commit is answered before the standby has it. */
async function makeSynchronous({ port }: Server): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while ((await query(port, "select from pg_stat_replication where state = 'streaming'")).length === 0) {
    assert.ok(performance.now() < until, "the standby does not follow");
    await sleep(POLL_MS);
  }
  await query(port, "alter system set synchronous_standby_names = '*'");
  await query(port, "select pg_reload_conf()");
}

async function connected(port: number, database = "postgres"): Promise<Client> {
  const client = new Client({ host: "127.0.0.1", port, user: "postgres", database, application_name: "marathon" });
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function query<Row extends object>(
  port: number,
  sql: string,
  values: readonly unknown[] = [],
  database = "postgres",
): Promise<Row[]> {
  const client = await connected(port, database);
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
