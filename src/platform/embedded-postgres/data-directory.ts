import { randomBytes } from "node:crypto";
import { access, lchown, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Binaries, chooseLauncher, embeddedBinaries, type Launcher, run, type SystemUser } from "./binaries.ts";
import type { Cluster } from "./postmaster.ts";

/** The programs, and whom they run as. */
export type PostgresPrograms = { readonly binaries: Binaries; readonly launcher: Launcher };

type Options = { log(message: string): void; readonly superuserPassword?: string };

/** Its presence in the data directory says that the login role is no superuser. */
const OWNER_FILE = "tefo.owner";
const LOG_TAIL_LINES = 20;

/** Of the database `tefo`, as the role that owns it. Throws when the password cannot be read. */
export async function loginUrl(cluster: Cluster, port: number): Promise<string> {
  const password = await readFile(cluster.passwordFile, "utf8").catch((cause) => {
    throw new Error(`The password of the database in ${cluster.directory} cannot be read`, { cause });
  });
  return `postgres://tefo:${password}@127.0.0.1:${port}/tefo`;
}

/** The programs, as whoever owns the data directory. */
export async function findPrograms(cluster: Cluster): Promise<PostgresPrograms> {
  const binaries = await embeddedBinaries();
  const data = await stat(cluster.directory).catch(() => null);
  const owner = data && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : null;
  return { binaries, launcher: await chooseLauncher(binaries.postgres, cluster.home, owner) };
}

/** Everything before the start itself: the programs, whom they run as, and a data directory that is this user's. */
export async function prepare(cluster: Cluster, options: Options): Promise<PostgresPrograms> {
  const { binaries, launcher } = await findPrograms(cluster);
  const data = await stat(cluster.directory).catch(() => null);
  if (!data) await initialise(cluster, { binaries, launcher }, options);
  else if (launcher.user && data.uid === 0) await changeOwner(cluster.directory, launcher.user);
  return { binaries, launcher };
}

/** Makes the data directory beside its place and moves it there whole: an interruption leaves nothing half made. */
async function initialise(cluster: Cluster, { binaries, launcher }: PostgresPrograms, options: Options): Promise<void> {
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
      // Compares by code point, whatever the system's locales, and knows letters beyond ASCII.
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
        `create role tefo login createrole password '${await makePassword(cluster)}'`,
        "create database tefo owner tefo",
        ...(superuser === undefined ? [] : [`alter role postgres password '${superuser}'`]),
      ],
    );
    if (failure !== null) throw new Error(advised(cluster, `PostgreSQL could not create its database:\n${failure}`));
    await writeFile(join(data, OWNER_FILE), "");
    await rename(data, cluster.directory);
    const home = await open(cluster.home, "r");
    await home.sync().finally(() => home.close());
  } finally {
    await removeTree(temporary);
  }
}

/**
 * For a data directory of an earlier version, whose login role `tefo` is the superuser: that one becomes `postgres`, which
 * cannot sign in, and a new `tefo` owns the database and what is in it. All or nothing, before the start. Null when it is
 * done, also long ago; else what PostgreSQL said.
 */
export async function removeSuperuserRights(
  cluster: Cluster,
  { binaries, launcher }: PostgresPrograms,
): Promise<string | null> {
  const done = join(cluster.directory, OWNER_FILE);
  if (
    await access(done).then(
      () => true,
      () => false,
    )
  )
    return null;
  const password = await readFile(cluster.passwordFile, "utf8");
  const args = ["-D", cluster.directory, "-c", `cluster_name=${cluster.marker}`, "tefo"];
  const failure = await asSuperuser({ binaries, launcher }, args, [oneLine(NEW_OWNER.replace("<password>", password))]);
  if (failure === null) await writeFile(done, "");
  return failure;
}

/** Nobody may rename the role of the session, so another superuser does it, for as long as this statement runs. */
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

/** PostgreSQL in single-user mode takes a statement a line. */
const oneLine = (statement: string): string => statement.trim().replaceAll(/\s*\n\s*/g, " ");

/** While the server is down, in single-user mode: there is no connection that could be held open or guessed at. Null, or what went wrong. */
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
  // A statement that fails does not end it, and is not repeated here: it may hold a password.
  return code === 0 && !/^.*(ERROR|FATAL|PANIC): /m.test(output) ? null : lastLines(output);
}

/** A password that is there already is of an interrupted first start, and serves as well as a new one. */
async function makePassword(cluster: Cluster): Promise<string> {
  const existing = await readFile(cluster.passwordFile, "utf8").catch(() => "");
  if (existing !== "") return existing;
  const password = randomBytes(24).toString("hex");
  const partial = `${cluster.passwordFile}.new`;
  await writeFile(partial, password, { mode: 0o600, flush: true });
  await rename(partial, cluster.passwordFile);
  return password;
}

/** The failure in one line that says what to do, where that is known; else as it is. */
export const advised = ({ home }: Cluster, failure: string): string =>
  /No space left on device/.test(failure)
    ? `There is no space left on the disk of DATA_DIR ${home}. Free some, or set DATA_DIR to a folder on another disk.`
    : failure;

/** What a person needs of a program's output. */
export const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n");

/** The root goes last, so that an interrupted walk is seen to be unfinished. */
async function changeOwner(path: string, { uid, gid }: SystemUser): Promise<void> {
  const entries = await readdir(path, { recursive: true });
  for (const entry of entries) await lchown(join(path, entry), uid, gid);
  await lchown(path, uid, gid);
}

/** Tries again while a program that was killed is still writing there. */
const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 10 });
