import { link, readFile, rm, writeFile } from "node:fs/promises";

/**
 * Writes a file that only its owner can read, unless it exists; answers its contents. When several write at once
 * one wins, and nobody reads an incomplete file.
 */
export async function writeOnce(path: string, text: string): Promise<string> {
  const partial = `${path}.${process.pid}.new`;
  await writeFile(partial, text, { mode: 0o600, flush: true });
  try {
    await link(partial, path);
    return text;
  } catch (error) {
    const there = (error as NodeJS.ErrnoException).code === "EEXIST" ? await readIfThere(path) : null;
    if (there === null) throw error;
    return there;
  } finally {
    await rm(partial, { force: true });
  }
}

/** The file's text; null when there is no such file. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
