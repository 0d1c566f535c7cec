import type { ChildProcess } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import {
  access,
  chmod,
  constants,
  type FileHandle,
  lchown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import {
  type Account,
  type Binaries,
  chooseLauncher,
  embeddedBinaries,
  type Launcher,
  launch,
  run,
} from "./embedded-postgres/binaries.ts";
import { withFileLock } from "./embedded-postgres/file-lock.ts";
import {
  type Cluster,
  clusterIn,
  disownForeignPid,
  findPostmaster,
  isRunning,
  killLeftovers,
  lastPort,
  signal,
} from "./embedded-postgres/postmaster.ts";

/** A PostgreSQL that accepts connections. */
export type EmbeddedPostgres = {
  /** Of the database `tefo`, as its superuser; 127.0.0.1 only. Holds the password. */
  readonly url: string;
  /** false: it was running already, left by another process or shared with it. */
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
};

/** Sized for a small machine: about 30 MB at rest. Durability is PostgreSQL's own: an answered commit is on disk. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "128MB",
  effective_cache_size: "512MB",
  random_page_cost: "1.1",
  fsync: "on",
  synchronous_commit: "on",
  // Short statements by many clients: processes and shared memory for parallel plans and compiled ones are lost on them.
  jit: "off",
  io_method: "sync",
  max_logical_replication_workers: "0",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  // Errors of statements reach the caller; here they would only grow the file and write personal data into it.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
};

const POLL_MS = 20;
/** Covers the replay of all the write-ahead log a crash can leave. A server slower than that goes on replaying. */
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 60_000;
const LEFTOVERS_GRACE_MS = 3_000;
const LOG_BYTES_MAX = 1024 * 1024;
const CANNOT_CONNECT_NOW = "57P03";
const TOO_MANY_CONNECTIONS = "53300";
const LOG_TAIL_LINES = 20;
/** Below the range systems give to outgoing connections, so that the port of last time is mostly free again. */
const PORTS = { from: 20_000, to: 32_000 };

/**
 * Starts the PostgreSQL of `dataDir`, or adopts the one that runs there; resolves when it accepts connections.
 * It outlives this process until `stop`. Callers in any number of processes may call at once: one starts it.
 * Throws with the end of its log when it does not start, and naming DATABASE_URL when this machine cannot run it.
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(options.dataDir);
  const { url, child } = await withFileLock(cluster.lockFile, START_TIMEOUT_MS, () => startOrAdopt(cluster, options));
  let stopping = false;
  child?.once("exit", () => {
    if (!stopping) options.log(`PostgreSQL (process ${child.pid}) has ended without being stopped from here`);
  });
  const stop = () => {
    stopping = true;
    return withFileLock(cluster.lockFile, STOP_TIMEOUT_MS, () => stopCluster(cluster));
  };
  return { url, started: child !== null, stop };
}

/** The URL of the PostgreSQL that runs in `dataDir` and accepts connections, or null. Starts nothing. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const home = await realpath(dataDir).catch(() => null);
  if (home === null) return null;
  const cluster = clusterIn(home);
  const postmaster = await findPostmaster(cluster);
  if (!postmaster?.ready) return null;
  const url = await urlOf(cluster, postmaster.port);
  return (await refusal(url)) === null ? url : null;
}

async function openCluster(dataDir: string): Promise<Cluster> {
  const made = await mkdir(resolve(dataDir), { recursive: true });
  // PostgreSQL's own user, when we are root, must get through to its directory inside; it sees nothing else here.
  if (made !== undefined) await chmod(resolve(dataDir), process.getuid?.() === 0 ? 0o711 : 0o700);
  const home = await realpath(dataDir);
  await access(home, constants.R_OK | constants.W_OK | constants.X_OK).catch((cause) => {
    throw new Error(`The data directory ${home} is not writable for this user`, { cause });
  });
  return clusterIn(home);
}

type Running = {
  readonly url: string;
  /** null: adopted. */
  readonly child: ChildProcess | null;
};

/** Caller holds the lock. */
async function startOrAdopt(cluster: Cluster, { log, settings }: Options): Promise<Running> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  const running = await adopt(cluster, giveUpAt, log);
  if (running) return { url: running, child: null };

  const { program, launcher } = await prepare(cluster, log);
  const leftoversUntil = Date.now() + LEFTOVERS_GRACE_MS;
  let port = await freePort(await lastPort(cluster));
  for (;;) {
    await disownForeignPid(cluster);
    const allSettings = { ...SETTINGS, ...settings, cluster_name: cluster.marker };
    const args = ["-D", cluster.directory, "-p", String(port)];
    for (const [name, value] of Object.entries(allSettings)) args.push("-c", `${name}=${value}`);
    const attempt = await attemptStart(cluster, launcher, program, args, await urlOf(cluster, port), giveUpAt);
    if (attempt.child) return attempt;
    if (Date.now() > giveUpAt) throw new Error(attempt.message);

    if (/could not create any TCP\/IP sockets/.test(attempt.written)) port = await freePort(null);
    else if (/pre-existing shared memory block|lock file "postmaster.pid" already/.test(attempt.written)) {
      // Processes of a server that died, or one that its starter, killed at once, never saw.
      const killed = Date.now() > leftoversUntil ? await killLeftovers(cluster) : 0;
      if (killed > 0) log(`Killed ${killed} processes that a crashed PostgreSQL had left behind`);
      await sleep(POLL_MS * 10);
      const late = await adopt(cluster, giveUpAt, log);
      if (late) return { url: late, child: null };
    } else throw new Error(attempt.message);
  }
}

/** The URL of a running server once it answers; null when none runs (a server that is stopping is waited out). */
async function adopt(cluster: Cluster, giveUpAt: number, log: Options["log"]): Promise<string | null> {
  let noticeAt = Date.now() + 2_000;
  for (;;) {
    const postmaster = await findPostmaster(cluster);
    if (!postmaster) return null;
    const url = await urlOf(cluster, postmaster.port);
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

/** Everything before the start itself: the program, whose it runs as, and a data directory that is this user's. */
async function prepare(cluster: Cluster, log: Options["log"]): Promise<{ program: string; launcher: Launcher }> {
  const binaries = await embeddedBinaries();
  const data = await stat(cluster.directory).catch(() => null);
  const owner = data && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : null;
  const launcher = await chooseLauncher(binaries.postgres, cluster.home, owner);
  if (!data) await initialise(cluster, binaries, launcher, log);
  else if (launcher.account && data.uid === 0) await giveTree(cluster.directory, launcher.account);
  return { program: binaries.postgres, launcher };
}

/** Makes the data directory beside its place and moves it there whole: an interruption leaves nothing half made. */
async function initialise(cluster: Cluster, binaries: Binaries, launcher: Launcher, log: Options["log"]) {
  log(`Creating the database in ${cluster.directory}`);
  for (const name of await readdir(cluster.home)) {
    if (name.startsWith("postgres.new-")) await removeTree(join(cluster.home, name));
  }
  const temporary = await mkdtemp(join(cluster.home, "postgres.new-"));
  try {
    const passwordFile = join(temporary, "password");
    await writeFile(passwordFile, await makePassword(cluster), { mode: 0o600 });
    if (launcher.account) await giveTree(temporary, launcher.account);
    const data = join(temporary, "data");
    const { code, output } = await run(launcher, binaries.initdb, [
      ...["--pgdata", data, "--username", "tefo", "--pwfile", passwordFile, "--auth", "scram-sha-256"],
      // Compares by code point, whatever the system's locales, and knows letters beyond ASCII.
      ...["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
      "--no-instructions",
    ]);
    if (code !== 0) throw new Error(`PostgreSQL could not create its data directory:\n${lastLines(output)}`);
    const makeDatabase = ["--single", "-D", data, "postgres"];
    const made = await run(launcher, binaries.postgres, makeDatabase, "create database tefo\n");
    if (made.code !== 0) throw new Error(`PostgreSQL could not create its database:\n${lastLines(made.output)}`);
    await rename(data, cluster.directory);
    const home = await open(cluster.home, "r");
    await home.sync().finally(() => home.close());
  } finally {
    await removeTree(temporary);
  }
}

/** A password that is there already is of an interrupted first start, and serves as well as a new one. */
async function makePassword(cluster: Cluster): Promise<string> {
  const existing = await readFile(cluster.passwordFile, "utf8").catch(() => "");
  if (existing !== "") return existing;
  const password = randomBytes(24).toString("hex");
  const partial = `${cluster.passwordFile}.new`;
  await writeFile(partial, password, { mode: 0o600, flush: true });
  await rename(partial, cluster.passwordFile);
  return password;
}

type Failure = {
  readonly child: null;
  readonly message: string;
  /** What PostgreSQL logged meanwhile. */
  readonly written: string;
};

async function attemptStart(
  cluster: Cluster,
  launcher: Launcher,
  program: string,
  args: readonly string[],
  url: string,
  giveUpAt: number,
): Promise<{ readonly url: string; readonly child: ChildProcess } | Failure> {
  const { log, size } = await openLog(cluster);
  // Its own session: Ctrl-C in the terminal must not reach PostgreSQL before this process has drained.
  const child = launch(launcher, program, args, { stdio: ["ignore", log.fd, log.fd], detached: true });
  child.unref();
  let end: string | null = null;
  child.once("error", (error) => {
    end = error.message;
  });
  child.once("exit", (code, signal) => {
    end = signal ?? `exit code ${code}`;
  });
  await log.close();

  let reason: string | null = "it is starting";
  while (end === null && Date.now() <= giveUpAt) {
    const postmaster = await findPostmaster(cluster);
    try {
      if (postmaster?.ready) reason = await refusal(url);
    } catch (error) {
      child.kill("SIGINT");
      throw error;
    }
    if (reason === null) return { url, child };
    await sleep(POLL_MS);
  }
  const written = (await readFile(cluster.logFile)).subarray(size).toString();
  const message = `PostgreSQL did not start (${end ?? reason}). The end of ${cluster.logFile}:\n${lastLines(written)}`;
  return { child: null, message, written };
}

/** Caller holds the lock. */
async function stopCluster(cluster: Cluster): Promise<void> {
  const postmaster = await findPostmaster(cluster);
  if (!postmaster) return;
  if (!signal(postmaster.pid, "SIGINT")) return;
  const giveUpAt = Date.now() + STOP_TIMEOUT_MS;
  while (await isRunning(cluster, postmaster.pid)) {
    if (Date.now() > giveUpAt) throw new Error(`PostgreSQL (process ${postmaster.pid}) does not stop`);
    await sleep(POLL_MS);
  }
}

async function urlOf(cluster: Cluster, port: number): Promise<string> {
  const password = await readFile(cluster.passwordFile, "utf8").catch((cause) => {
    throw new Error(`The password of the database in ${cluster.directory} cannot be read`, { cause });
  });
  return `postgres://tefo:${password}@127.0.0.1:${port}/tefo`;
}

/** Why no connection can be had yet; null when it can. Throws when the server answers and will not let us in. */
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

async function freePort(preferred: number | null): Promise<number> {
  for (let port = preferred ?? randomInt(PORTS.from, PORTS.to); ; port = randomInt(PORTS.from, PORTS.to)) {
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
}

/** Open for appending, `size` bytes long; begun anew when it has grown large. */
async function openLog(cluster: Cluster): Promise<{ log: FileHandle; size: number }> {
  const log = await open(cluster.logFile, "a", 0o600);
  const { size } = await log.stat();
  if (size <= LOG_BYTES_MAX) return { log, size };
  await log.truncate();
  return { log, size: 0 };
}

const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n");

/** The root goes last, so that an interrupted walk is seen to be unfinished. */
async function giveTree(path: string, { uid, gid }: Account): Promise<void> {
  const entries = await readdir(path, { recursive: true });
  for (const entry of entries) await lchown(join(path, entry), uid, gid);
  await lchown(path, uid, gid);
}

/** Tries again while a program that was killed is still writing there. */
const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 10 });
