import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Test, temporaryFolder } from "../support/processes.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** The release that users upgrade from. Changed with each release. */
export const RELEASE_BEFORE = "e0502b2f";

/**
 * The code of a git revision in a folder, with the packages of this tree; null where the history is not there, as in a copy
 * without it.
 */
export async function openRelease(t: Test, revision: string): Promise<string | null> {
  const folder = await temporaryFolder(t);
  const archive = join(folder, "release.tar");
  try {
    await run("git", ["archive", "--format=tar", `--output=${archive}`, revision], { cwd: ROOT });
  } catch {
    return null;
  }
  const code = join(folder, "release");
  await mkdir(code);
  await run("tar", ["-xf", archive, "-C", code]);
  await symlink(join(ROOT, "node_modules"), join(code, "node_modules"));
  return code;
}
