import { stat } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder } from "../platform/private-folder.ts";
import { generateMasterKey } from "../platform/secrets.ts";
import { readIfThere, writeOnce } from "./private-file.ts";

const FILE = "secret.key";

/** The master key of an embedded installation; null when none was made. */
export const readMasterKey = async (dataDir: string): Promise<string | null> =>
  (await readIfThere(join(dataDir, FILE)))?.trim() ?? null;

/**
 * The master key of an embedded installation, made on the first start and kept in `dataDir`, readable by its owner only
 * (interface 11.1). Processes that start at once get the same key. Throws when there is data but no key: a new key
 * could decrypt nothing.
 */
export async function embeddedMasterKey(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  // Checked before the key is read: a process writes the key before it creates data.
  const hasData = (await stat(join(dataDir, "postgres")).catch(() => null)) !== null;
  const known = await readMasterKey(dataDir);
  if (known !== null) return known;
  if (hasData)
    throw new Error(
      `${path} is missing: what was encrypted with it cannot be read. Put it back, or set SECRET_KEY to what it held.`,
    );
  await makePrivateFolder(dataDir);
  return (await writeOnce(path, `${generateMasterKey()}\n`)).trim();
}
