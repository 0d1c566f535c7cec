import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./service.ts";

/** Commit of the last release, from which users upgrade. Changed with each release. */
export const LAST_RELEASE = "8069d9c";

const run = promisify(execFile);

/** A revision of this repository in a temporary folder, with its dependencies. */
export interface Release {
  readonly root: string;
  remove(): Promise<void>;
}

/** Fetches a git revision and its packages. Answers a sentence when that is not possible here, such as without a git history. */
export async function checkOut(revision: string): Promise<Release | string> {
  const folder = await mkdtemp(join(tmpdir(), "tefo-release-"));
  const archive = join(folder, "release.tar");
  const root = join(folder, "release");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await run("git", ["archive", "--format=tar", "--prefix=release/", `--output=${archive}`, revision], { cwd: ROOT });
    await run("tar", ["-xf", archive, "-C", folder]);
    // Without scripts, which would fetch a Node and prepare a PostgreSQL: those of this version are used.
    const quiet = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--silent"];
    await run("npm", ["ci", ...quiet], { cwd: root });
    return { root, remove };
  } catch (error) {
    await remove();
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return `${revision} cannot be fetched: ${(stderr || message).split("\n", 1)[0]}`;
  }
}
