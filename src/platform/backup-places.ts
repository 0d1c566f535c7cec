import { createReadStream, createWriteStream } from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { makePrivateFolder } from "./private-folder.ts";

/** Where backups are kept, each under its name. */
export interface BackupPlace {
  /** The folder's path, or the bucket's URL with its prefix. */
  readonly address: string;
  /** The address of what has this name there. */
  addressOf(name: string): string;
  /** Names of all that is there and whole; none where the place was not made yet. */
  names(): Promise<string[]>;
  /**
   * Stores what `content` gives; it has its name once it is whole and safe. Answers its bytes. A failure or an abort leaves nothing that
   * has the name.
   */
  write(name: string, content: Readable, signal?: AbortSignal): Promise<number>;
  /** The content of what has this name. Throws when there is none. */
  read(name: string): Promise<Readable>;
  /** Does nothing when nothing has the name. */
  remove(name: string): Promise<void>;
  /** Removes what a process left that ended while it wrote what `isOurs`. */
  removePartial(isOurs: (name: string) => boolean): Promise<void>;
}

const PARTIAL = ".partial";

/** A folder that this user alone may enter, made at the first write. */
export function folderPlace(folder: string): BackupPlace {
  const addressOf = (name: string) => join(folder, name);
  const entries = () =>
    readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
  return {
    address: folder,
    addressOf,
    names: async () => (await entries()).filter((name) => !name.endsWith(PARTIAL)),
    async write(name, content, signal) {
      await makePrivateFolder(folder);
      const partial = addressOf(name + PARTIAL);
      try {
        const out = createWriteStream(partial, { mode: 0o600, flush: true });
        await pipeline(content, out, { signal });
        await rename(partial, addressOf(name));
        const entry = await open(folder, "r");
        await entry.sync().finally(() => entry.close());
        return out.bytesWritten;
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    async read(name) {
      const file = await open(addressOf(name), "r");
      return createReadStream("", { fd: file });
    },
    remove: (name) => rm(addressOf(name), { force: true }),
    async removePartial(isOurs) {
      for (const name of await entries())
        if (name.endsWith(PARTIAL) && isOurs(name.slice(0, -PARTIAL.length)))
          await rm(addressOf(name), { force: true });
    },
  };
}
