import assert from "node:assert/strict";
import { chmod, chown, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { startEmbeddedPostgres } from "../embedded-postgres.ts";
import { migrate } from "../migrations.ts";
import { run } from "./binaries.ts";
import { findPrograms } from "./data-directory.ts";
import { clusterIn } from "./postmaster.ts";

const log = () => undefined;
const PASSWORD = "0123456789abcdef".repeat(3);

async function newHome(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "tefo-directory-"));
  t.after(async () => {
    await (await startEmbeddedPostgres({ dataDir: home, log }).catch(() => null))?.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  });
  return home;
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query<Row>(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** A data directory as earlier versions made it: the login role is the superuser and owns everything. */
async function makeOldDirectory(home: string): Promise<string> {
  const cluster = clusterIn(home);
  const { binaries, launcher } = await findPrograms(cluster);
  const work = join(home, "old");
  await mkdir(work);
  await writeFile(join(work, "password"), PASSWORD);
  await writeFile(cluster.passwordFile, PASSWORD, { mode: 0o600 });
  if (launcher.user) await chown(work, launcher.user.uid, launcher.user.gid);
  if (launcher.user) await chmod(home, 0o711);
  const data = join(work, "data");
  const options = [
    "--pgdata",
    data,
    "--username",
    "tefo",
    "--pwfile",
    join(work, "password"),
    "--auth",
    "scram-sha-256",
  ];
  const locale = ["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"];
  const made = await run(launcher, binaries.initdb, [...options, ...locale]);
  assert.equal(made.code, 0, made.output);
  await run(launcher, binaries.postgres, ["--single", "-D", data, "postgres"], "create database tefo\n");
  await rename(data, cluster.directory);
  await rm(work, { recursive: true });
  return join(cluster.directory, "tefo.owner");
}

/** Every schema, table, view and routine of ours, with its owner. */
const OWNERS = `
  select 'schema' as kind, nspname as name, nspowner::regrole::text as owner from pg_namespace where nspname !~ '^pg_'
  union all
  select 'table', relname, relowner::regrole::text from pg_class
   where relkind in ('r', 'p', 'v', 'm', 'i') and relnamespace in ('public'::regnamespace, 'identity'::regnamespace)
  union all
  select 'routine', oid::regprocedure::text, proowner::regrole::text from pg_proc where pronamespace = 'public'::regnamespace
  order by 1, 2`;
const ROLES = `
  select rolname, rolsuper, rolcreaterole, rolbypassrls, rolcanlogin,
         array(select pg_has_role('tefo', rolname, what) from unnest(array['set', 'member with admin option']) what) as tefo_may
    from pg_roles where rolname !~ '^pg_' order by 1`;

test("in a data directory of an earlier version the login role becomes an owner without superuser rights, and all data stays", async (t) => {
  const [home, other] = [await newHome(t), await newHome(t)];
  const marker = await makeOldDirectory(home);
  await writeFile(marker, "");
  const before = await startEmbeddedPostgres({ dataDir: home, log });
  assert.deepEqual(await query(before.url, "select rolsuper from pg_roles where rolname = current_user"), [
    { rolsuper: true },
  ]);
  await migrate(before.url);
  await query(before.url, "insert into rate_windows values ('kept', 1, 7)");
  await before.stop();
  await rm(marker);

  const after = await startEmbeddedPostgres({ dataDir: home, log });
  assert.equal(after.url, before.url, "its password and its port stay");
  assert.deepEqual(await migrate(after.url), [], "it has what the migrations made");
  assert.deepEqual(await query(after.url, "select count from rate_windows where scope = 'kept'"), [{ count: 7 }]);

  const fresh = await startEmbeddedPostgres({ dataDir: other, log });
  await migrate(fresh.url);
  assert.deepEqual(await query(after.url, OWNERS), await query(fresh.url, OWNERS));
  const roles = await query(after.url, ROLES);
  assert.deepEqual(roles, await query(fresh.url, ROLES));
  assert.deepEqual(
    roles.map(({ rolname, rolsuper, rolcanlogin }) => [rolname, rolsuper, rolcanlogin]),
    [
      ["postgres", true, true],
      ["tefo", false, true],
      ["tefo_app", false, false],
      ["tefo_gate", false, false],
      ["tefo_identity", false, false],
    ],
  );
  await assert.rejects(query(after.url.replace("tefo:", "postgres:"), "select 1"), /password authentication failed/);
  for (const statement of [
    "create table later (id int); alter table later add column more int; grant select on later to tefo_app",
    `create function later_one() returns int language sql as 'select 1';
     grant create on schema public to tefo_gate; alter function later_one owner to tefo_gate; revoke create on schema public from tefo_gate`,
    "alter table customers add column later text",
    "set role tefo_app; select count(*) from customers",
  ])
    await query(after.url, statement);
});

test("an interrupted upgrade of a data directory is done again", async (t) => {
  const home = await newHome(t);
  const marker = await makeOldDirectory(home);
  await (await startEmbeddedPostgres({ dataDir: home, log })).stop();
  await rm(marker);
  const again = await startEmbeddedPostgres({ dataDir: home, log });
  assert.deepEqual(await query(again.url, "select rolname from pg_roles where rolsuper"), [{ rolname: "postgres" }]);
  assert((await stat(marker)).isFile());
});

test("a superuser signs in only where a password was given to it from the start", async (t) => {
  const home = await newHome(t);
  const server = await startEmbeddedPostgres({ dataDir: home, log, superuserPassword: PASSWORD });
  const url = server.url.replace(/tefo:\w+@/, `postgres:${PASSWORD}@`);
  assert.deepEqual(await query(url, "select rolsuper from pg_roles where rolname = current_user"), [
    { rolsuper: true },
  ]);
});
