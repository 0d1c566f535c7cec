import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import product from "../../package.json" with { type: "json" };
import { realTime } from "../flows/context.ts";
import { assert } from "../kernel/assert.ts";
import { addSeconds, DAY_SECONDS, type Instant, instant, toTimestamp } from "../kernel/time.ts";
import { type BackupHead, packBackup, readBackup } from "../platform/backup-file.ts";
import type { BackupPlace } from "../platform/backup-places.ts";
import { baseBackup } from "../platform/base-backup.ts";
import type { Database } from "../platform/database.ts";
import { withFileLock } from "../platform/embedded-postgres/file-lock.ts";
import { recordResult } from "../platform/last-results.ts";
import type { Log } from "../platform/log.ts";
import { makePrivateFolder } from "../platform/private-folder.ts";
import { repeatedly } from "../platform/repeatedly.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { Config } from "./config.ts";
import type { DatabaseAndKeys } from "./database-and-keys.ts";
import { writeOnce } from "./private-file.ts";

/** `tefo-2026-11-29T211500Z.age`; sorted by name they are sorted by time. */
const NAME = /^tefo-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.age$/;
const PURPOSE = "backup";
/** Kept by `prune`: the last one of so many days on which there is one, and of so many months. */
const [DAYS_KEPT, MONTHS_KEPT] = [14, 12];
/** A backup takes minutes; whoever asks for another one waits for it. */
const LOCK_MS = 3_600_000;
const LOOK_MS = 600_000;
const LOOK_AGAIN_MS = 50;

/** A backup that was made. */
export interface MadeBackup {
  /** Its path, or its URL in a bucket. */
  readonly file: string;
  readonly bytes: number;
}

/** An embedded database, and where it is backed up. */
interface Target {
  readonly config: Pick<Config, "databaseUrl" | "dataDir">;
  readonly opened: Pick<DatabaseAndKeys, "databaseUrl" | "secrets">;
  /** Where the result is recorded. */
  readonly db: Pick<Database, "sql">;
  readonly place: BackupPlace;
  readonly signal?: AbortSignal | undefined;
}

/** Backs the embedded database up while it runs, encrypted with a key of SECRET_KEY. Throws for another database. */
export async function backUp(target: Target): Promise<MadeBackup> {
  const made = await alone(target, () => true);
  assert(made, "a backup that is asked for is made");
  return made;
}

/** Makes a backup while no other process does, if it is wanted then. */
async function alone(
  { config, opened, db, place, signal }: Target,
  isWanted: () => Promise<boolean> | boolean,
): Promise<MadeBackup | null> {
  if (config.databaseUrl !== null)
    throw new Error("This backs the embedded database up; a PostgreSQL of your own is backed up by its own means.");
  return withFileLock(join(config.dataDir, "backup.lock"), LOCK_MS, async () => {
    if (!(await isWanted())) return null;
    await place.removePartial((name) => NAME.test(name));
    const createdAt = toTimestamp(realTime());
    const { password } = new URL(opened.databaseUrl);
    const head: BackupHead = { format: 1, createdAt, version: product.version, password };
    const name = `tefo-${createdAt.slice(0, 19).replaceAll(":", "")}Z.age`;
    const data = baseBackup(opened.databaseUrl);
    try {
      const bytes = await place.write(name, await packBackup(head, data, opened.secrets().derive(PURPOSE)), signal);
      await recordResult(db, { kind: "backup", endedAt: realTime(), faults: 0 });
      return { file: place.addressOf(name), bytes };
    } finally {
      data.destroy();
    }
  });
}

/**
 * Unpacks a backup as the database of `dataDir`; a part of it that was left there by an attempt that failed is removed.
 * It recovers at its first start. Throws when `dataDir` has a database.
 */
export async function restoreBackup(
  { place, name }: { readonly place: BackupPlace; readonly name: string },
  dataDir: string,
  secrets: Secrets,
): Promise<BackupHead> {
  const target = join(dataDir, "postgres");
  if ((await stat(target).catch(() => null)) !== null)
    throw new Error(`${dataDir} has a database. Move it away first, or restore into another DATA_DIR.`);
  await makePrivateFolder(dataDir);
  const partial = join(dataDir, "postgres.restored");
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  try {
    const backup = { address: place.addressOf(name), content: await place.read(name) };
    const head = await readBackup(backup, partial, secrets.deriveAll(PURPOSE));
    const password = join(dataDir, "postgres.password");
    // One that is there without a database is of a first start, or of a restore, that was interrupted.
    await rm(password, { force: true });
    await writeOnce(password, head.password);
    await rename(partial, target);
    return head;
  } catch (error) {
    await removeUntilGone(partial);
    throw error;
  }
}

/** Looks without finding it after which a folder stays away. */
const LOOKS = 5;

/** Removes a folder whose last files may still be being written, since unpacking ends at an error without waiting for them. */
async function removeUntilGone(folder: string): Promise<void> {
  for (let away = 0; away < LOOKS; ) {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    await setTimeout(LOOK_AGAIN_MS);
    away = (await stat(folder).catch(() => null)) === null ? away + 1 : 0;
  }
}

/** Of these names of files, those of backups that are kept no longer. Others are never among them. */
export function outdated(names: readonly string[]): string[] {
  const backups = names.filter((name) => NAME.test(name)).sort((a, b) => (a < b ? 1 : -1));
  const lastOfEach = (spanOf: (name: string) => string, kept: number): string[] =>
    backups.filter((name, at) => at === 0 || spanOf(name) !== spanOf(backups[at - 1] ?? "")).slice(0, kept);
  const kept = new Set([
    ...lastOfEach((name) => name.slice(0, "tefo-2026-11-29".length), DAYS_KEPT),
    ...lastOfEach((name) => name.slice(0, "tefo-2026-11".length), MONTHS_KEPT),
  ]);
  return backups.filter((name) => !kept.has(name));
}

/** Removes the backups that are kept no longer; answers their names. */
export async function prune(place: BackupPlace): Promise<string[]> {
  const names = outdated(await place.names());
  for (const name of names) await place.remove(name);
  return names;
}

/** When the newest backup there was made; null when there is none. */
export async function lastBackup(place: BackupPlace): Promise<Instant | null> {
  const newest = (await place.names())
    .filter((name) => NAME.test(name))
    .sort()
    .at(-1);
  const [, day, hours, minutes, seconds] = NAME.exec(newest ?? "") ?? [];
  return day === undefined ? null : instant(`${day}T${hours}:${minutes}:${seconds}Z`);
}

/** Backs up to BACKUP_DIR when a day has passed since the last backup there. The answer ends it, and a backup under way. */
export function keepBackedUp(
  { config, opened, db }: { readonly config: Config; readonly opened: DatabaseAndKeys; readonly db: Database },
  place: BackupPlace,
  log: Log,
): () => Promise<void> {
  const stopping = new AbortController();
  const isDue = async () => {
    const last = await lastBackup(place);
    return last === null || addSeconds(last, DAY_SECONDS) <= realTime();
  };
  const end = repeatedly(LOOK_MS, log, "the backup failed", async () => {
    if (!(await isDue())) return;
    const made = await alone({ config, opened, db, place, signal: stopping.signal }, isDue).catch((error: unknown) => {
      if (stopping.signal.aborted) return null;
      throw error;
    });
    if (made) log.info({ ...made, removed: await prune(place) }, "backed up");
  });
  return async () => {
    stopping.abort();
    await end();
  };
}
