import { randomInt } from "node:crypto";
import { once } from "node:events";
import { access, constants, type FileHandle, open, readFile, realpath } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { type Binaries, type Launcher, run, runInto } from "./embedded-postgres/binaries.ts";
import {
  advised,
  allowBackups,
  findPrograms,
  lastLines,
  loginUrl,
  prepare,
  removeSuperuserRights,
} from "./embedded-postgres/data-directory.ts";
import { withFileLock } from "./embedded-postgres/file-lock.ts";
import {
  type Cluster,
  clearForeignPid,
  clusterIn,
  findPostmaster,
  killOrphanedProcesses,
  lastPort,
} from "./embedded-postgres/postmaster.ts";
import { makePrivateFolder } from "./private-folder.ts";

/** A PostgreSQL that accepts connections. */
export type EmbeddedPostgres = {
  /** URL of the database `tefo` for the role that owns it, which is not a superuser; 127.0.0.1 only. Contains the password. */
  readonly url: string;
  /** False when the server was running already. */
  readonly started: boolean;
  /** Fast shutdown, whoever started it: open connections are cut, committed work is kept. Resolves when it is gone. */
  stop(): Promise<void>;
};

type Options = {
  /** DATA_DIR; made when missing. Holds the data (`postgres/`), the password and the log. */
  readonly dataDir: string;
  log(message: string): void;
  /** PostgreSQL settings over the defaults here; not applied to a server that is running already. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Password of the superuser `postgres`, set when the data directory is created: for tests and the bench. Without it,
   * the superuser cannot sign in.
   */
  readonly superuserPassword?: string;
};

/** Sized for a small machine: about 30 MB at rest. Durability settings are PostgreSQL's defaults: an acknowledged commit is on disk. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "128MB",
  effective_cache_size: "512MB",
  random_page_cost: "1.1",
  fsync: "on",
  synchronous_commit: "on",
  // Statements are short and clients are many, so parallel and compiled plans would cost more than they save.
  jit: "off",
  io_method: "sync",
  max_logical_replication_workers: "0",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  // The caller gets statements' errors; in this file they would take space and could contain personal data.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
};

const POLL_MS = 20;
/** Enough to replay the write-ahead log after a crash. A slower server goes on replaying after this time. */
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_S = 60;
const LEFTOVERS_GRACE_MS = 3_000;
const LOG_BYTES_MAX = 1024 * 1024;
const CANNOT_CONNECT_NOW = "57P03";
const TOO_MANY_CONNECTIONS = "53300";
/** Below the range that systems use for outgoing connections, so that the last port is usually still free. */
const PORTS = { from: 20_000, to: 32_000 };
const PORTS_TRIED = 500;

/**
 * Starts the PostgreSQL of `dataDir`, or adopts the one that runs there (decisions.md#real-embedded-postgresql); resolves when it accepts
 * connections. It outlives this process until `stop`. Callers in any number of processes may call at once: one starts it. Throws with the
 * end of its log when it does not start, and naming DATABASE_URL when this machine cannot run it.
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(options.dataDir);
  const running = await withFileLock(cluster.lockFile, START_TIMEOUT_MS, () => startOrAdopt(cluster, options));
  const stop = () => withFileLock(cluster.lockFile, STOP_TIMEOUT_S * 1000, () => stopCluster(cluster));
  return { ...running, stop };
}

/** The URL of the PostgreSQL that runs in `dataDir` and accepts connections, or null. Starts nothing. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const home = await realpath(dataDir).catch(() => null);
  if (home === null) return null;
  const cluster = clusterIn(home);
  const postmaster = await findPostmaster(cluster);
  if (!postmaster?.ready) return null;
  const url = await loginUrl(cluster, postmaster.port);
  return (await refusal(url)) === null ? url : null;
}

async function openCluster(dataDir: string): Promise<Cluster> {
  await makePrivateFolder(dataDir);
  const home = await realpath(dataDir);
  await access(home, constants.R_OK | constants.W_OK | constants.X_OK).catch((cause) => {
    throw new Error(
      `DATA_DIR ${home} is not writable for this user. Give it to this user, or set DATA_DIR to another folder.`,
      {
        cause,
      },
    );
  });
  return clusterIn(home);
}

type Running = Pick<EmbeddedPostgres, "url" | "started">;

/** Caller holds the lock. */
async function startOrAdopt(cluster: Cluster, options: Options): Promise<Running> {
  const { log } = options;
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  const running = await adopt(cluster, giveUpAt, log);
  if (running) return { url: running, started: false };

  const programs = await prepare(cluster, options);
  const leftoversUntil = Date.now() + LEFTOVERS_GRACE_MS;
  let port = await freePort(await lastPort(cluster));
  for (;;) {
    await clearForeignPid(cluster);
    const failure =
      (await removeSuperuserRights(cluster, programs)) ??
      (await allowBackups(cluster, programs)) ??
      (await attemptStart(cluster, programs, port, options));
    if (failure === null)
      return { url: await waitForConnection(await loginUrl(cluster, port), giveUpAt), started: true };
    if (Date.now() > giveUpAt) throw new Error(failure);

    if (/could not create any TCP\/IP sockets/.test(failure)) port = await freePort(null);
    else if (/pre-existing shared memory block|lock file "postmaster.pid" already/.test(failure)) {
      // These are processes of a server that crashed, or of one whose starter was killed before it could record it.
      const killed = Date.now() > leftoversUntil ? await killOrphanedProcesses(cluster) : 0;
      if (killed > 0) log(`Killed ${killed} processes that a crashed PostgreSQL had left behind`);
      await sleep(POLL_MS * 10);
      const late = await adopt(cluster, giveUpAt, log);
      if (late) return { url: late, started: false };
    } else throw new Error(failure);
  }
}

/** Waits until a connection is accepted; answers the URL. */
async function waitForConnection(url: string, giveUpAt: number): Promise<string> {
  for (;;) {
    const reason = await refusal(url);
    if (reason === null) return url;
    if (Date.now() > giveUpAt) throw new Error(`PostgreSQL does not accept connections: ${reason}`);
    await sleep(POLL_MS);
  }
}

/** The URL of a running server once it answers; null when none runs (a server that is stopping is waited out). */
async function adopt(cluster: Cluster, giveUpAt: number, log: Options["log"]): Promise<string | null> {
  let noticeAt = Date.now() + 2_000;
  for (;;) {
    const postmaster = await findPostmaster(cluster);
    if (!postmaster) return null;
    const url = await loginUrl(cluster, postmaster.port);
    const reason = postmaster.ready ? await refusal(url) : "it is starting or stopping";
    if (reason === null) return url;
    const who = `PostgreSQL (process ${postmaster.pid})`;
    if (Date.now() > giveUpAt) throw new Error(`${who} runs but does not accept connections: ${reason}`);
    if (Date.now() > noticeAt) {
      log(`Waiting for ${who}: ${reason}`);
      noticeAt = giveUpAt;
    }
    await sleep(POLL_MS);
  }
}

/**
 * Starts the server by `pg_ctl`, which waits until it is ready or has ended. Null on success, else the reason with the
 * lines that PostgreSQL logged.
 */
async function attemptStart(
  cluster: Cluster,
  { binaries, launcher }: { binaries: Binaries; launcher: Launcher },
  port: number,
  { settings }: Options,
): Promise<string | null> {
  const allSettings = { ...SETTINGS, ...settings, cluster_name: cluster.marker };
  const given = Object.entries(allSettings).map(([name, value]) => `-c '${name}=${value}'`);
  const { log, size } = await openLog(cluster);
  const args = ["start", "--silent", "--wait", "--timeout", String(START_TIMEOUT_MS / 1000), "-D", cluster.directory];
  const code = await runInto(log, launcher, binaries.pg_ctl, [...args, "-o", `-p ${port} ${given.join(" ")}`]);
  if (code === 0) return null;
  const written = (await readFile(cluster.logFile)).subarray(size).toString();
  return advised(cluster, `PostgreSQL did not start. The end of ${cluster.logFile}:\n${lastLines(written)}`);
}

/** Caller holds the lock. */
async function stopCluster(cluster: Cluster): Promise<void> {
  const postmaster = await findPostmaster(cluster);
  if (!postmaster) return;
  const { binaries, launcher } = await findPrograms(cluster);
  const args = ["stop", "--silent", "--mode", "fast", "--timeout", String(STOP_TIMEOUT_S), "-D", cluster.directory];
  const { code, output } = await run(launcher, binaries.pg_ctl, args);
  // It may have ended by itself, or another process stopped it first.
  if (code !== 0 && (await findPostmaster(cluster)))
    throw new Error(`PostgreSQL (process ${postmaster.pid}) does not stop: ${lastLines(output)}`);
}

/** Why the server accepts no connection yet; null when it does. Throws when the server rejects our user. */
async function refusal(url: string): Promise<string | null> {
  const client = new Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return null;
  } catch (error) {
    if (!(error instanceof DatabaseError)) return error instanceof Error ? error.message : String(error);
    if (error.code === TOO_MANY_CONNECTIONS) return null;
    if (error.code === CANNOT_CONNECT_NOW) return error.message;
    throw new Error(`The embedded PostgreSQL refuses its own user: ${error.message}`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A free port on 127.0.0.1: `preferred` when it is free. Throws after `PORTS_TRIED` others. */
async function freePort(preferred: number | null): Promise<number> {
  const randomPort = () => randomInt(PORTS.from, PORTS.to);
  for (const port of [preferred ?? randomPort(), ...Array.from({ length: PORTS_TRIED }, randomPort)]) {
    const server = createServer();
    const free = await new Promise((answer) => {
      server.once("error", () => answer(false));
      server.listen(port, "127.0.0.1", () => answer(true));
    });
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
  throw new Error(
    `PostgreSQL finds no free port between ${PORTS.from} and ${PORTS.to} on 127.0.0.1. Stop what listens there, or set DATABASE_URL.`,
  );
}

/** Opens the log for appending; `size` is its length in bytes. Empties it first when it is larger than `LOG_BYTES_MAX`. */
async function openLog(cluster: Cluster): Promise<{ log: FileHandle; size: number }> {
  const log = await open(cluster.logFile, "a", 0o600);
  const { size } = await log.stat();
  if (size <= LOG_BYTES_MAX) return { log, size };
  await log.truncate();
  return { log, size: 0 };
}
