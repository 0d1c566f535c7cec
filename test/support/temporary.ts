import { statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";

/** The file system in memory that Linux offers to every user. */
const IN_MEMORY = "/dev/shm";
/** A run needs less than a quarter of it. */
const BYTES_MIN = 4 * 1024 ** 3;

/**
 * Where tests keep databases and data folders: in memory where there is room, since each of 300 databases has 1,500
 * files. It survives a process that is killed, as a disk would.
 */
export const TEMPORARY = hasRoom() ? IN_MEMORY : tmpdir();

function hasRoom(): boolean {
  if (process.platform !== "linux" || freemem() < BYTES_MIN) return false;
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= BYTES_MIN;
  } catch {
    return false;
  }
}
