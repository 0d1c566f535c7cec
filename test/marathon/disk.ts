import { execFile } from "node:child_process";
import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const MEGABYTE = 1024 * 1024;
/** Enough for both servers with their logs of an hour; memory that is not used is not taken. */
const SIZE_MB = 12_000;

/** A folder on a file system of its own, whose size can be changed. */
export interface Disk {
  readonly folder: string;
  /** Leaves nothing of it free. */
  fill(): Promise<void>;
  /** Makes it as large as it was. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

/** Below `folder`; null where this user must not mount file systems, as on any machine without its administrator's rights. */
export async function openDisk(folder: string): Promise<Disk | null> {
  const place = join(folder, "disk");
  await mkdir(place, { mode: 0o711 });
  const resized = (megabytes: number) => run("mount", ["-o", `remount,size=${megabytes}m`, place]);
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MB}m,mode=0711`, "tmpfs", place]);
  } catch {
    return null;
  }
  return {
    folder: place,
    async fill() {
      const { blocks, bfree, bsize } = await statfs(place);
      await resized(Math.ceil(((blocks - bfree) * bsize) / MEGABYTE));
    },
    async empty() {
      await resized(SIZE_MB);
    },
    async remove() {
      await run("umount", ["--lazy", place]);
    },
  };
}
