import { access, realpath, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseLauncher, type Launcher, restoreSymlinks, run } from "./binaries.ts";
import {
  advised,
  changeOwner,
  findPrograms,
  initialise,
  lastLines,
  majorOf,
  OWNER_FILE,
  type PostgresPrograms,
  PROGRAMS,
  removeTree,
} from "./data-directory.ts";
import { withFileLock } from "./file-lock.ts";
import {
  type Cluster,
  clearForeignPid,
  clusterIn,
  findPostmaster,
  killOrphanedProcesses,
  lastPort,
} from "./postmaster.ts";
import { type PrivateServer, startPrivateServer } from "./private-server.ts";
import { type Copied, copyAll, makeSchema, requireSameRows } from "./same-database.ts";
import {
  bytesIn,
  finishSwap,
  keptDirectory,
  majorIn,
  newDirectory,
  type Ready,
  readReady,
  setReady,
  swap,
} from "./swap.ts";

/** What an upgrade has done. */
export interface Upgraded extends Copied {
  /** Major versions of PostgreSQL. */
  readonly from: number;
  readonly to: number;
  /** The old data directory, which stays until it is deleted. */
  readonly kept: string;
}

interface Options {
  /** DATA_DIR. */
  readonly dataDir: string;
  /** A folder with `bin/postgres` of the version that the data directory is of, and what that needs. */
  readonly oldBinaries: string;
  log(message: string): void;
  /** For tests: what else an upgrade does at a step, and whether it may be one from a version to itself. */
  readonly at?: (step: string) => unknown;
  readonly allowSame?: boolean;
}

const LOCK_MS = 5_000;
/** A server whose command was killed ends by itself. */
const LEFTOVERS_MS = 60_000;
const POLL_MS = 50;
/** What a new cluster needs besides the rows: itself, and the write-ahead log of the copy. */
const SPARE_BYTES = 512 * 1024 ** 2;
/** The copy is thrown away after a crash, and brought to the disk as a whole at its end. */
const LOADING = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "256MB",
  maintenance_work_mem: "128MB",
  io_method: "sync",
};

/**
 * Copies the database of DATA_DIR, made by an earlier major version of PostgreSQL, into a new data directory of this
 * release's, compares the two, and puts the new one in place of the old one, which stays beside it. Both servers run on
 * sockets of this process alone. Whatever ends it, the old directory or the new one is in place, and the command can be
 * run again. Throws an Error that says what to do.
 */
export async function upgradeEmbeddedPostgres(options: Options): Promise<Upgraded> {
  const home = await realpath(options.dataDir).catch(() => null);
  if (home === null) throw new Error(`DATA_DIR ${options.dataDir} has no database.`);
  const cluster = clusterIn(home);
  return withFileLock(cluster.lockFile, LOCK_MS, () => upgrade(cluster, options));
}

/** Caller holds the lock, so that no service starts. */
async function upgrade(cluster: Cluster, options: Options): Promise<Upgraded> {
  const programs = await findPrograms(cluster);
  const to = await majorOf(programs.launcher, programs.binaries.postgres);
  let ready = await finishIfInterrupted(cluster, to);
  if (ready === null) {
    ready = await readyToSwap(cluster, programs, to, options);
    await options.at?.("ready");
    await swap(cluster, ready, () => options.at?.("between the renames"));
  }
  const { from, tables, rows } = ready;
  return { from, to, tables, rows, kept: keptDirectory(cluster, from) };
}

/** Null when the old directory is in place. */
async function finishIfInterrupted(cluster: Cluster, to: number): Promise<Ready | null> {
  if (await isThere(cluster.directory)) return null;
  const ready = await finishSwap(cluster, to);
  if (ready === null) throw new Error(`DATA_DIR ${cluster.home} has no database.`);
  return ready;
}

/** A new directory that is a whole copy: that of a run that was interrupted after it, else one that is made. */
async function readyToSwap(cluster: Cluster, programs: PostgresPrograms, to: number, options: Options): Promise<Ready> {
  const postmaster = await findPostmaster(cluster);
  if (postmaster)
    throw new Error(
      `The service is running on this database (PostgreSQL is process ${postmaster.pid}). Stop it first.`,
    );
  const from = await majorIn(cluster.directory);
  if (from === to && !options.allowSame)
    throw new Error(`The database is of PostgreSQL ${to}, as this release: there is nothing to upgrade.`);
  if (from > to)
    throw new Error(
      `The database is of PostgreSQL ${from}, which is newer than this release's ${to}. Use the release that has made it.`,
    );
  const kept = keptDirectory(cluster, from);
  if (await isThere(kept)) throw new Error(`${kept} is of an earlier upgrade. Move it away, or delete it.`);
  const old = await oldPrograms(cluster, options.oldBinaries, from);
  const made = { ...cluster, directory: newDirectory(cluster, to), marker: `${cluster.marker}-upgrade` };
  for (const { directory } of [cluster, made]) await waitForEnd({ ...made, directory });
  const ready = await readReady(cluster, to, cluster.directory);
  if (ready) return ready;

  if (!(await isThere(join(cluster.directory, OWNER_FILE))))
    throw new Error(
      "The database is of an early release. Start it once with the release before this one, and stop it.",
    );
  await removeTree(made.directory);
  await requireSpace(cluster);
  try {
    const copied = await copyInto(made, { cluster, programs, old, options });
    return await setReady(cluster, { from, to, ...copied });
  } catch (error) {
    await removeTree(made.directory);
    if (!(error instanceof Error)) throw error;
    const message = advised(cluster, error.message);
    throw new Error(`${message} The database is still that of PostgreSQL ${from}.`, { cause: error });
  }
}

interface OldPrograms {
  readonly postgres: string;
  readonly launcher: Launcher;
}

async function oldPrograms(cluster: Cluster, folder: string, major: number): Promise<OldPrograms> {
  const postgres = join(await realpath(folder).catch(() => folder), "bin", "postgres");
  if (!(await isThere(postgres)))
    throw new Error(
      `--old-binaries ${folder} has no bin/postgres. Give the folder ${PROGRAMS} of the release that has used the database.`,
    );
  await restoreSymlinks(join(postgres, "../../.."));
  const { uid, gid } = await stat(cluster.directory);
  const launcher = await chooseLauncher(postgres, cluster.home, uid === 0 ? null : { uid, gid });
  if (launcher.user && uid === 0) await changeOwner(cluster.directory, launcher.user);
  const found = await majorOf(launcher, postgres);
  if (found !== major)
    throw new Error(`--old-binaries ${folder} is PostgreSQL ${found}, and the database is of PostgreSQL ${major}.`);
  return { postgres, launcher };
}

/** Waits until a server of a run of this command that was killed has ended. */
async function waitForEnd(server: Cluster): Promise<void> {
  for (const giveUpAt = performance.now() + LEFTOVERS_MS; ; await sleep(POLL_MS)) {
    const postmaster = await findPostmaster(server);
    if (!postmaster) return;
    if (performance.now() > giveUpAt)
      throw new Error(
        `PostgreSQL (process ${postmaster.pid}) of an interrupted upgrade is still running. End it first.`,
      );
  }
}

async function requireSpace({ home, directory }: Cluster): Promise<void> {
  const needed = (await bytesIn(directory)) + SPARE_BYTES;
  const { bavail, bsize } = await statfs(home);
  const missing = missingSpace(needed, bavail * bsize);
  if (missing !== null) throw new Error(`The disk of DATA_DIR ${home} ${missing}`);
}

/** What to say when there is not enough space; null when there is. Both in bytes. */
export function missingSpace(needed: number, free: number): string | null {
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  if (free >= needed) return null;
  return `has ${megabytes(free)} free, and the copy needs ${megabytes(needed)}: free ${megabytes(needed - free)} first.`;
}

interface Work {
  /** The old one. */
  readonly cluster: Cluster;
  readonly programs: PostgresPrograms;
  readonly old: OldPrograms;
  readonly options: Options;
}

/** Makes the new directory, equal to the old one, with both servers stopped and everything on the disk. */
async function copyInto(made: Cluster, { cluster, programs, old, options }: Work): Promise<Copied> {
  const { log, at } = options;
  const { binaries, launcher } = programs;
  await clearForeignPid(cluster);
  for (const { marker } of [cluster, made]) await killOrphanedProcesses({ ...cluster, marker });
  const port = (await lastPort(cluster)) ?? 5432;
  const running: PrivateServer[] = [];
  const start = async (of: OldPrograms, directory: string, settings: Readonly<Record<string, string>>) => {
    const given = { ...settings, cluster_name: made.marker };
    const server = await startPrivateServer({ ...of, directory, port, settings: given });
    running.push(server);
    return server;
  };
  const stop = async () => {
    for (const server of running.splice(0)) await server.stop();
  };
  try {
    const from = await start(old, cluster.directory, { default_transaction_read_only: "on" });
    await at?.("old one started");
    await initialise(made, programs, { log });
    const to = await start({ postgres: binaries.postgres, launcher }, made.directory, LOADING);
    await at?.("new one started");
    const copied = await copyBetween(from, to, options);
    await stop();
    await at?.("stopped");
    const { code, output } = await run(launcher, binaries.initdb, ["--sync-only", "--pgdata", made.directory]);
    if (code !== 0) throw new Error(`The copy could not be brought to the disk: ${lastLines(output)}`);
    await at?.("on the disk");
    return copied;
  } finally {
    await stop().catch(() => {});
  }
}

async function copyBetween(old: PrivateServer, made: PrivateServer, { log, at }: Options): Promise<Copied> {
  const from = await old.connect("postgres", "tefo");
  const to = await made.connect("postgres", "tefo");
  const owner = await made.connect("tefo", "tefo");
  await makeSchema({ from, to }, owner);
  await at?.("schema made");
  log("Copying …");
  await copyAll({ from, to }, (table) => at?.(`copied ${table}`));
  await at?.("copied");
  log("Comparing …");
  const copied = await requireSameRows({ from, to });
  await at?.("compared");
  log("Collecting statistics …");
  await to.query("vacuum (freeze, analyze)");
  await Promise.all([from, to, owner].map((client) => client.end()));
  return copied;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
