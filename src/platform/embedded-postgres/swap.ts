import { createHash } from "node:crypto";
import { open, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cluster } from "./postmaster.ts";

/*
 * A new data directory takes the place of the old one. Two renames do it, and a crash between them leaves none: the new one is then put in
 * place by the next start, or by the command.
 */

/** What is known of a new data directory that is a whole copy of the old one. */
export interface Ready {
  /** Major versions of PostgreSQL. */
  readonly from: number;
  readonly to: number;
  readonly tables: number;
  readonly rows: number;
  /** Of the old directory's control file, which each start of PostgreSQL there changes. */
  readonly control: string;
}

/** A file in the new directory; it exists when the copy is whole, has been compared and is on the disk. */
const READY_FILE = "tefo.copied";

/** Where a new data directory is made. */
export const newDirectory = ({ home }: Cluster, major: number): string => join(home, `postgres-${major}.new`);

/** Where the old data directory stays. */
export const keptDirectory = ({ home }: Cluster, major: number): string => join(home, `postgres-${major}`);

/** The major version of PostgreSQL that a data directory is of. */
export const majorIn = async (directory: string): Promise<number> =>
  Number.parseInt(await readFile(join(directory, "PG_VERSION"), "utf8"), 10);

/** Says that the new directory is ready. PostgreSQL is stopped in both, and the new one is on the disk. */
export async function setReady(cluster: Cluster, facts: Omit<Ready, "control">): Promise<Ready> {
  const ready = { ...facts, control: await controlOf(cluster.directory) };
  const directory = newDirectory(cluster, facts.to);
  await writeFile(join(directory, READY_FILE), JSON.stringify(ready), { flush: true });
  await sync(directory);
  return ready;
}

/** The new directory's facts when it is a copy of what `old` holds now; null when there is none, or the old one was started since. */
export async function readReady(cluster: Cluster, major: number, old: string): Promise<Ready | null> {
  const text = await readFile(join(newDirectory(cluster, major), READY_FILE), "utf8").catch(() => null);
  if (text === null) return null;
  const ready: Ready = JSON.parse(text);
  return ready.control === (await controlOf(old)) ? ready : null;
}

/** Puts the new directory in place of the old one, which stays beside it. */
export async function swap(cluster: Cluster, { from, to }: Ready, between: () => unknown): Promise<void> {
  await rename(cluster.directory, keptDirectory(cluster, from));
  await between();
  await rename(newDirectory(cluster, to), cluster.directory);
  await sync(cluster.home);
}

/**
 * Where there is no data directory: puts the new one of version `major` in place when a swap was interrupted, and
 * answers its facts; null when there never was one. Throws when an old one is left and no new one: an empty database
 * would hide it.
 */
export async function finishSwap(cluster: Cluster, major: number): Promise<Ready | null> {
  const kept = (await readdir(cluster.home)).filter((name) => /^postgres-\d+$/.test(name));
  for (const name of kept) {
    const ready = await readReady(cluster, major, join(cluster.home, name));
    if (ready === null) continue;
    await rename(newDirectory(cluster, major), cluster.directory);
    await sync(cluster.home);
    return ready;
  }
  if (kept.length > 0)
    throw new Error(
      `${cluster.home} has no folder postgres, but ${kept.join(", ")}, which an upgrade of the database has left. ` +
        "Rename it to postgres to use it, or move it away to begin with an empty database.",
    );
  return null;
}

async function controlOf(directory: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(join(directory, "global", "pg_control")))
    .digest("hex");
}

/** Brings the names in a folder to the disk. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/** Bytes of all files below a folder. */
export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
