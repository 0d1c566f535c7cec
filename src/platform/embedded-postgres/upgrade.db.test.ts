import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { makeExaminedOrganisation } from "../../../test/support/examined-organisation.ts";
import { openServices } from "../../../test/support/paid-organisation.ts";
import { serve, tefo } from "../../../test/support/processes.ts";
import { TEMPORARY } from "../../../test/support/temporary.ts";
import { freePort } from "../../app/listen.ts";
import { startEmbeddedPostgres } from "../embedded-postgres.ts";
import { migrate } from "../migrations.ts";
import { generateMasterKey } from "../secrets.ts";
import { chooseLauncher, embeddedBinaries, run } from "./binaries.ts";
import { clusterIn } from "./postmaster.ts";
import { missingSpace, upgradeEmbeddedPostgres } from "./upgrade.ts";

const SECRET_KEY = generateMasterKey();
const MODULE = join(import.meta.dirname, "upgrade.ts");
const homes: string[] = [];

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(TEMPORARY, "tefo-upgrade-"));
  await chmod(home, 0o711);
  homes.push(home);
  return home;
}

after(async () => {
  for (const home of homes) await rm(home, { recursive: true, force: true, maxRetries: 20 });
});

const own = await embeddedBinaries();
const OWN = Number(/\d+/.exec(spawnSync(own.postgres, ["--version"], { encoding: "utf8" }).stdout)?.[0]);
const OWN_FOLDER = dirname(dirname(own.postgres));

/** Folders with programs of another major version of PostgreSQL that is at least 15, where distributions install them. */
function otherPrograms(): { folder: string; major: number } | null {
  for (const postgres of globSync(["/usr/lib/postgresql/*/bin/postgres", "/usr/pgsql-*/bin/postgres"])) {
    const major = Number(/\) (\d+)/.exec(spawnSync(postgres, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1]);
    if (major >= 15 && major < OWN) return { folder: dirname(dirname(postgres)), major };
  }
  return null;
}

/** A shop with records of every kind, and partitions that no migration of today makes. */
async function fill(url: string): Promise<void> {
  await migrate(url);
  const services = openServices(url, SECRET_KEY);
  try {
    await makeExaminedOrganisation(services);
    await services.db.sql`select maintain_partitions(clock_timestamp() - interval '5 months')`;
  } finally {
    await services.db.close();
  }
}

/** A DATA_DIR as the release before would have left it, with the programs of `folder`. */
async function makeOld(folder: string): Promise<string> {
  const home = await newHome();
  const cluster = clusterIn(home);
  const [initdb, postgres, pgCtl] = ["initdb", "postgres", "pg_ctl"].map((name) => join(folder, "bin", name)) as [
    string,
    string,
    string,
  ];
  const launcher = await chooseLauncher(postgres, home, null);
  const work = join(home, "making");
  await mkdir(work);
  if (launcher.user) await chown(work, launcher.user.uid, launcher.user.gid);
  const data = join(work, "data");
  const options = [
    "--username",
    "postgres",
    "--auth-host",
    "scram-sha-256",
    "--auth-local",
    "reject",
    "--encoding",
    "UTF8",
    "--locale",
    "C",
  ];
  const made = await run(launcher, initdb, ["--pgdata", data, ...options]);
  assert.equal(made.code, 0, made.output);
  const password = "0123456789abcdef".repeat(3);
  await writeFile(cluster.passwordFile, password, { mode: 0o600 });
  await run(
    launcher,
    postgres,
    ["--single", "-D", data, "postgres"],
    `create role tefo login createrole replication password '${password}'\ncreate database tefo owner tefo\n`,
  );
  for (const name of ["tefo.owner", "tefo.backup"]) await writeFile(join(data, name), "");
  await rename(data, cluster.directory);
  await rm(work, { recursive: true });
  const port = await freePort("127.0.0.1");
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`;
  const started = await run(launcher, pgCtl, [
    "start",
    "--wait",
    "-D",
    cluster.directory,
    "-l",
    join(cluster.directory, "log"),
    "-o",
    settings,
  ]);
  assert.equal(started.code, 0, started.output);
  await fill(`postgres://tefo:${password}@127.0.0.1:${port}/tefo`).finally(() =>
    run(launcher, pgCtl, ["stop", "--mode", "fast", "-D", cluster.directory]),
  );
  return home;
}

/** The service starts on the folder, answers with what was there before, and `verify` finds no fault. */
async function assertWorks(t: TestContext, home: string): Promise<void> {
  const env = { DATA_DIR: home, SECRET_KEY, DEMO: "0" };
  const verified = await tefo(env, "verify", "--json");
  assert.equal(verified.code, 0, verified.out + verified.err);
  assert.ok(verified.json<{ checked: number }>().checked > 500, verified.out);
  const { key } = (await tefo(env, "key", "create", "--org", "paid", "--json")).json<{ key: string }>();
  const PORT = String(await freePort("127.0.0.1"));
  const service = serve(t, { ...env, PORT });
  await service.says(/"msg":"ready"/);
  for (const path of ["invoices", "transactions", "events"]) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = (await answer.json()) as { data: unknown[] };
    assert.ok(answer.ok && data.length > 2, `${path}: ${answer.status} ${data?.length}`);
  }
  service.child.kill("SIGTERM");
  assert.equal(await service.ended(), 0, service.output());
}

const other = otherPrograms();

describe("from another major version", () => {
  const LEFT_OUT = `left out: this machine has no PostgreSQL between 15 and ${OWN - 1}`;

  test("a start says what to do and changes nothing; the command copies, compares and puts the new one in place", async (t) => {
    if (!other) return t.diagnostic(LEFT_OUT);
    const home = await makeOld(other.folder);
    const env = { DATA_DIR: home, SECRET_KEY, DEMO: "0" };
    const control = await readFile(join(home, "postgres/global/pg_control"));
    for (const refused of [await tefo(env, "verify"), await tefo(env, "jobs")]) {
      assert.equal(refused.code, 1);
      assert.match(
        refused.err,
        new RegExp(
          `is of PostgreSQL ${other.major}, and this release has PostgreSQL ${OWN}\\. Nothing was changed\\. .*tefo database upgrade --old-binaries DIR`,
        ),
      );
    }
    assert.deepEqual(await readFile(join(home, "postgres/global/pg_control")), control);

    const wrong = await tefo(env, "database", "upgrade", "--old-binaries", OWN_FOLDER);
    assert.match(wrong.err, new RegExp(`is PostgreSQL ${OWN}, and the database is of PostgreSQL ${other.major}`));
    const none = await tefo(env, "database", "upgrade", "--old-binaries", home);
    assert.match(none.err, /has no bin\/postgres\. Give the folder/);

    const upgraded = await tefo(env, "database", "upgrade", "--old-binaries", other.folder, "--json");
    assert.equal(upgraded.code, 0, upgraded.err);
    const { seconds: _, tables, rows, ...facts } = upgraded.json<Record<string, unknown>>();
    assert.deepEqual(facts, { dataDir: home, from: other.major, to: OWN, kept: join(home, `postgres-${other.major}`) });
    assert.ok(Number(tables) > 100 && Number(rows) > 1000, upgraded.out);
    assert.equal(await readFile(join(home, "postgres/PG_VERSION"), "utf8"), `${OWN}\n`);
    assert.deepEqual(
      (await readdir(home)).toSorted().filter((name) => name.startsWith("postgres")),
      ["postgres", `postgres-${other.major}`, "postgres.lock", "postgres.password"],
    );
    const again = await tefo(env, "database", "upgrade", "--old-binaries", other.folder);
    assert.match(again.err, /there is nothing to upgrade/);
    await assertWorks(t, home);
  });
});

describe("step by step, from this version to itself", () => {
  let home = "";
  before(async () => {
    home = await newHome();
    const server = await startEmbeddedPostgres({ dataDir: home, log() {}, settings: { fsync: "off" } });
    await fill(server.url).finally(() => server.stop());
  });
  const given = (dataDir: string) => ({ dataDir, oldBinaries: OWN_FOLDER, log() {}, allowSame: true });

  /** Runs it in a process that is killed at the step; answers the steps that it came to. */
  async function killedAt(step: string): Promise<string[]> {
    const script = `
      const { upgradeEmbeddedPostgres } = await import(${JSON.stringify(MODULE)});
      await upgradeEmbeddedPostgres({
        ...${JSON.stringify(given(home))}, log() {},
        at: (step) => {
          console.log(step);
          if (step === ${JSON.stringify(step)}) process.kill(process.pid, "SIGKILL");
        },
      });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [out, [, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    assert.equal(signal, "SIGKILL", out);
    return out.trim().split("\n");
  }

  /** What the service of the release before would find in place, which starts and stops on it. */
  async function counted(dataDir: string): Promise<Record<string, unknown>> {
    const server = await startEmbeddedPostgres({ dataDir, log() {} });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(
      "select count(*)::int as n, string_agg(scope, ' ') filter (where scope = 'late') as late from rate_windows",
    );
    await client.end();
    await server.stop();
    return rows[0];
  }

  const folders = async (dataDir: string) =>
    (await readdir(dataDir)).filter((name) => /^postgres(-|$)/.test(name)).toSorted();

  test("it is refused while the service runs, of the same version, without a database, and beside an earlier one", async () => {
    await assert.rejects(upgradeEmbeddedPostgres({ ...given(home), allowSame: false }), /there is nothing to upgrade/);
    await assert.rejects(upgradeEmbeddedPostgres(given(await newHome())), /has no database/);
    await assert.rejects(upgradeEmbeddedPostgres(given(join(home, "none"))), /has no database/);
    const server = await startEmbeddedPostgres({ dataDir: home, log() {} });
    await assert.rejects(
      upgradeEmbeddedPostgres(given(home)),
      /The service is running on this database .* Stop it first/,
    );
    await server.stop();
    await mkdir(join(home, `postgres-${OWN}`));
    await assert.rejects(upgradeEmbeddedPostgres(given(home)), /is of an earlier upgrade\. Move it away/);
    await rm(join(home, `postgres-${OWN}`), { recursive: true });
    const foreign = await tefo(
      { DATABASE_URL: "postgres://a@127.0.0.1:1/b", SECRET_KEY },
      "database",
      "upgrade",
      "--old-binaries",
      "/",
    );
    assert.match(foreign.err, /unset DATABASE_URL/);
    assert.deepEqual(await folders(home), ["postgres"]);
  });

  test("one that fails leaves the database as it was, and nothing else", async () => {
    const at = (step: string) => {
      if (step === "schema made") throw new Error("could not write: No space left on device");
    };
    await assert.rejects(
      upgradeEmbeddedPostgres({ ...given(home), at }),
      new RegExp(`There is no space left on the disk .* still that of PostgreSQL ${OWN}`),
    );
    assert.deepEqual(await folders(home), ["postgres"]);
  });

  test("killed at any step, the old database or the new one is in place, and it can be run again", async (t) => {
    const made = `postgres-${OWN}.new`;
    for (const step of ["new one started", "copied public.invoices", "on the disk"]) {
      assert.equal((await killedAt(step)).at(-1), step);
      assert.deepEqual(await folders(home), ["postgres", made], step);
    }
    const before = await counted(home);
    assert.equal(before["late"], null);

    // The old one is used again after the new one was ready: the copy is not of what it holds now.
    await killedAt("ready");
    const server = await startEmbeddedPostgres({ dataDir: home, log() {} });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query("insert into rate_windows values ('late', 1, 7)");
    await client.end();
    await server.stop();
    assert.ok((await killedAt("ready")).includes("copied"), "it begins again");
    assert.deepEqual(await killedAt("between the renames"), ["ready", "between the renames"], "it goes on");
    assert.deepEqual(await folders(home), [`postgres-${OWN}`, made]);

    const [byCommand, lost] = [await newHome(), await newHome()];
    for (const to of [byCommand, lost]) await promisify(execFile)("cp", ["-a", `${home}/.`, to]);
    const { from, to, tables, rows, kept } = await upgradeEmbeddedPostgres(given(byCommand));
    assert.deepEqual([from, to, kept], [OWN, OWN, join(byCommand, `postgres-${OWN}`)]);
    assert.ok(tables > 100 && rows > 1000);
    await rm(join(lost, made), { recursive: true });
    await assert.rejects(
      startEmbeddedPostgres({ dataDir: lost, log() {} }),
      /has no folder postgres, but postgres-\d+, which an upgrade/,
    );

    // The next start finishes it too.
    for (const dataDir of [home, byCommand]) {
      const { late, n } = await counted(dataDir);
      assert.deepEqual([late, n], ["late", Number(before["n"]) + 1]);
      assert.deepEqual(await folders(dataDir), ["postgres", `postgres-${OWN}`]);
    }
    if (!other) await assertWorks(t, home);
  });
});

test("what is missing on the disk is named", () => {
  assert.equal(missingSpace(5e9, 5e9), null);
  assert.equal(missingSpace(5e9, 3.5e9), "has 3500 MB free, and the copy needs 5000 MB: free 1500 MB first.");
});
