import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const SQLITE_BUSY = 5;
const RETRY_MS = 25;

/**
 * Runs `work` while no other holder of the lock at `path` runs, in this process or any other on this machine.
 * Waits up to `timeoutMs`, then throws. The lock is freed when its holder ends, also by kill -9.
 */
export async function withFileLock<T>(path: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  // Node has no flock. SQLite locks the file through the kernel, which frees it when the process ends; a file that
  // names its holder would remain.
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    const giveUpAt = Date.now() + timeoutMs;
    while (!acquired(lock)) {
      if (Date.now() > giveUpAt) throw new Error(`Another process has held ${path} for ${timeoutMs / 1000} s`);
      await sleep(RETRY_MS);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function acquired(lock: DatabaseSync): boolean {
  try {
    lock.exec("pragma journal_mode = memory; begin exclusive");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
