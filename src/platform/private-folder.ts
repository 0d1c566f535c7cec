import { chmod, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Creates the folder, and those above it, when it is missing; only this user can read it then. When we are root, PostgreSQL runs as another
 * user, which must be able to enter its folder inside. Throws the file system's error.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  if (await madeWithParents(resolve(path))) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
}

/** Not by `recursive`, which never ends where a folder is there and nothing can be made in it, as in /proc. */
async function madeWithParents(path: string): Promise<boolean> {
  try {
    return await made(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    await madeWithParents(dirname(path));
    return made(path);
  }
}

/** False when it is there already. */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const isThere = (await stat(path).catch(() => null))?.isDirectory() ?? false;
    if (isThere) return false;
    throw error;
  }
}
