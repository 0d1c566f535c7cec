import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** The files of one embedded PostgreSQL. Paths are absolute, free of symbolic links. */
export type Cluster = {
  /** DATA_DIR. */
  readonly home: string;
  /** PostgreSQL's own data directory, in `home`. */
  readonly directory: string;
  readonly passwordFile: string;
  readonly lockFile: string;
  readonly logFile: string;
  /** Unique to this directory. The command line of each of its processes contains it, so that they are found. */
  readonly marker: string;
};

/** The main process of a running PostgreSQL, as in its postmaster.pid. */
export type Postmaster = { readonly pid: number; readonly port: number; readonly ready: boolean };

/** The cluster whose files are in `home`, an existing directory without symbolic links in its path. */
export function clusterIn(home: string): Cluster {
  const directory = join(home, "postgres");
  return {
    home,
    directory,
    passwordFile: join(home, "postgres.password"),
    lockFile: join(home, "postgres.lock"),
    logFile: join(home, "postgres.log"),
    marker: `tefo-${createHash("sha256").update(directory).digest("hex").slice(0, 16)}`,
  };
}

/** The cluster's main process; null when it is not running, also when a crash left a postmaster.pid. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const lines = (await readIfThere(join(cluster.directory, "postmaster.pid"))).split("\n");
  const pid = Number(lines[0]);
  if (!pid || !isPostmaster(cluster, await commandLine(pid))) return null;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/**
 * Removes another program's process id from postmaster.pid before a start: PostgreSQL treats any live process with that id as a
 * running server, although the id may belong to another program (or the directory was copied).
 */
export async function clearForeignPid(cluster: Cluster): Promise<void> {
  const path = join(cluster.directory, "postmaster.pid");
  const [pid, ...rest] = (await readIfThere(path)).split("\n");
  if (!pid || isPostmaster(cluster, await commandLine(Number(pid)))) return;
  // The file stays: by its later lines PostgreSQL finds processes left by a crash. No process has this id.
  await writeFile(path, [2 ** 31 - 2, ...rest].join("\n"));
}

/** The port of the last start, or null. It is used again when it is free, so that URLs stay valid. */
export async function lastPort(cluster: Cluster): Promise<number | null> {
  const match = /"-p" "(\d+)"/.exec(await readIfThere(join(cluster.directory, "postmaster.opts")));
  return match ? Number(match[1]) : null;
}

/** Kills processes that a crashed main process left running; answers how many. Loses no committed data. */
export async function killOrphanedProcesses(cluster: Cluster): Promise<number> {
  let killed = 0;
  for (const { pid, command } of await processes()) {
    if (!command.startsWith(`postgres: ${cluster.marker}: `) && !isPostmaster(cluster, command)) continue;
    if (kill(pid)) killed += 1;
  }
  return killed;
}

/** Kills a process; false when it does not exist. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

const isPostmaster = (cluster: Cluster, command: string): boolean =>
  command.includes(`cluster_name=${cluster.marker} `);

/** A process's arguments, each followed by a space; empty when the process does not exist or is a zombie. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") return (await readIfThere(`/proc/${pid}/cmdline`)).replaceAll("\0", " ");
  const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return `${stdout.trim()} `;
}

async function processes(): Promise<{ pid: number; command: string }[]> {
  const pids =
    process.platform === "linux"
      ? await readdir("/proc")
      : (await promisify(execFile)("ps", ["-axo", "pid="])).stdout.split("\n");
  const found = [];
  for (const pid of pids.map(Number)) if (pid > 0) found.push({ pid, command: await commandLine(pid) });
  return found;
}

/** The file's text; "" when it does not exist (a process's files may disappear while they are read). */
async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return "";
    throw error;
  }
}
