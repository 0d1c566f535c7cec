import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { TEMPORARY } from "../../test/support/temporary.ts";
import { chooseLauncher, embeddedBinaries, type Launcher, launch, run } from "./embedded-postgres/binaries.ts";
import { findEmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";

const MODULE = join(import.meta.dirname, "embedded-postgres.ts");
const NOBODY = { uid: 65534, gid: 65534 };
const isRoot = process.getuid?.() === 0;
const directories: string[] = [];
const log = () => undefined;

async function newDirectory(mode: number): Promise<string> {
  const path = await mkdtemp(join(TEMPORARY, "tefo-embedded-"));
  await chmod(path, mode);
  directories.push(path);
  return path;
}

after(async () => {
  for (const directory of directories) {
    const pid = await postmasterPid(directory).catch(() => 0);
    if (pid > 0 && pid !== process.pid && (await alive(pid))) process.kill(pid, "SIGQUIT");
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  }
});

const postmasterPid = async (dataDir: string): Promise<number> =>
  Number((await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n")[0]);

async function alive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  return !state.includes(") Z");
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = performance.now() + 240_000; !(await what()); await sleep(10)) {
    assert.ok(performance.now() < giveUpAt, `still not: ${what}`);
  }
}

async function query(url: string, text: string): Promise<string> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<string[]>({ text, rowMode: "array" });
    return rows.map((row) => row.join("|")).join("\n");
  } finally {
    await client.end();
  }
}

/** A process of its own that starts (or adopts), prints `{url, started}` and stays. */
function starter(
  dataDir: string,
  as?: Launcher,
): { child: ChildProcess; answer: Promise<{ url: string; started: boolean }> } {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)});
    const { url, started } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log() {} });
    console.log(JSON.stringify({ url, started }));
    setInterval(() => {}, 1000);`;
  const here: Launcher = { user: null, prefix: [] };
  const child = launch(as ?? here, process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const answer = (async () => {
    let text = "";
    for await (const chunk of child.stdout ?? []) {
      text += chunk;
      if (text.endsWith("\n")) break;
    }
    return JSON.parse(text);
  })();
  return { child, answer };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, "exit");
  // Its whole process group, as a terminal's Ctrl-C does.
  process.kill(-(child.pid ?? assert.fail()), signal);
  await exited;
}

const shared = await newDirectory(0o755);

test("a first start creates a database that is durable, local and readable by its owner only", async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: shared, log, settings: { work_mem: "5MB" } });
  assert.equal(postgres.started, true);
  assert.match(postgres.url, /^postgres:\/\/tefo:\w{48}@127\.0\.0\.1:\d+\/tefo$/);
  const facts = await query(
    postgres.url,
    `select current_user, current_database(), pg_encoding_to_char(encoding), datlocprovider, datlocale,
            current_setting('timezone'), current_setting('listen_addresses'), current_setting('fsync'),
            current_setting('data_checksums'), current_setting('work_mem'), lower('É') collate "default", 'Z' < 'a'
       from pg_database where datname = current_database()`,
  );
  assert.equal(facts, "tefo|tefo|UTF8|b|C.UTF-8|UTC|127.0.0.1|on|on|5MB|é|true");
  assert.equal((await stat(join(shared, "postgres.password"))).mode & 0o777, 0o600);
  assert.equal((await stat(join(shared, "postgres.log"))).mode & 0o777, 0o600);
  await assert.rejects(
    query(postgres.url.replace(/:\w{48}@/, ":wrong@"), "select 1"),
    /password authentication failed/,
  );

  const roles =
    "select string_agg(rolname || ' ' || rolsuper || ' ' || rolcreaterole, ', ' order by rolname) from pg_roles where rolname !~ '^pg_'";
  assert.equal(await query(postgres.url, roles), "postgres true true, tefo false true");
  const asSuperuser = postgres.url.replace("tefo:", "postgres:");
  for (const url of [asSuperuser, asSuperuser.replace(/:\w{48}@/, ":@")])
    await assert.rejects(query(url, "select 1"), /password|authentication/);
  await assert.rejects(query(postgres.url, "create role more superuser"), /permission denied/);

  await query(postgres.url, "create table kept as select 7 as id");
  assert.equal(await findEmbeddedPostgres(shared), postgres.url);
  await postgres.stop();
  await postgres.stop();
  assert.equal(await findEmbeddedPostgres(shared), null);
  await assert.rejects(query(postgres.url, "select 1"), { code: "ECONNREFUSED" });
});

test("a later start keeps the data and the URL; another one adopts it", async () => {
  const first = await startEmbeddedPostgres({ dataDir: shared, log });
  assert.equal(await query(first.url, "select id from kept"), "7");

  const second = await startEmbeddedPostgres({ dataDir: shared, log });
  assert.deepEqual([second.url, second.started], [first.url, false]);
  await second.stop();
  assert.equal(await findEmbeddedPostgres(shared), null);

  const third = await startEmbeddedPostgres({ dataDir: shared, log });
  assert.equal(third.url, first.url);
  await third.stop();
});

test("a start takes another port when its last one is in use", async () => {
  const first = await startEmbeddedPostgres({ dataDir: shared, log });
  const { port } = new URL(first.url);
  await first.stop();
  const squatter = createServer().listen(Number(port), "127.0.0.1");
  await once(squatter, "listening");
  const second = await startEmbeddedPostgres({ dataDir: shared, log });
  assert.notEqual(new URL(second.url).port, port);
  assert.equal(await query(second.url, "select id from kept"), "7");
  await second.stop();
  squatter.close();
});

for (const signal of ["SIGINT", "SIGKILL"] as const) {
  test(`PostgreSQL outlives ${signal} to its starter's process group and is adopted`, async () => {
    const { child, answer } = starter(shared);
    const { url, started } = await answer;
    assert.equal(started, true);
    const pid = await postmasterPid(shared);
    await end(child, signal);
    const adopted = await startEmbeddedPostgres({ dataDir: shared, log });
    assert.deepEqual([adopted.url, adopted.started], [url, false]);
    assert.equal(await postmasterPid(shared), pid);
    await adopted.stop();
    assert.equal(await alive(pid), false);
  });
}

test("after kill -9 of PostgreSQL it starts again, although a backend is still running", async () => {
  const first = await startEmbeddedPostgres({ dataDir: shared, log });
  await query(first.url, "insert into kept values (8)");
  const busy = new Client({ connectionString: first.url });
  busy.on("error", () => undefined);
  await busy.connect();
  const backend = Number((await busy.query("select pg_backend_pid() as pid")).rows[0].pid);
  const lost = assert.rejects(busy.query("select count(*) from generate_series(1, 1e12) n"));
  const active = `select 1 from pg_stat_activity where pid = ${backend} and state = 'active'`;
  await until(async () => (await query(first.url, active)) === "1");
  const postmaster = await postmasterPid(shared);
  process.kill(postmaster, "SIGKILL");
  await until(async () => !(await alive(postmaster)));
  assert.equal(await alive(backend), true, "the backend is left over, as the test needs it to be");

  const second = await startEmbeddedPostgres({ dataDir: shared, log });
  assert.deepEqual([second.url, second.started], [first.url, true]);
  assert.equal(await query(second.url, "select id from kept order by id"), "7\n8");
  await lost;
  assert.equal(await alive(backend), false);
  await second.stop();
});

test("a postmaster.pid that names another program's process does not prevent a start", async () => {
  await startEmbeddedPostgres({ dataDir: shared, log });
  const pidFile = join(shared, "postgres", "postmaster.pid");
  const lines = (await readFile(pidFile, "utf8")).split("\n");
  process.kill(Number(lines[0]), "SIGKILL");
  await until(async () => !(await alive(Number(lines[0]))));
  await writeFile(pidFile, [process.pid, ...lines.slice(1)].join("\n"));

  assert.equal(await findEmbeddedPostgres(shared), null);
  const second = await startEmbeddedPostgres({ dataDir: shared, log });
  assert.equal(second.started, true);
  assert.equal(await query(second.url, "select count(*) from kept"), "2");
  await second.stop();
});

test("a copy of the data directory of a running server is a server of its own", async () => {
  const original = await startEmbeddedPostgres({ dataDir: shared, log });
  const copy = join(await newDirectory(0o755), "data");
  directories.push(copy);
  await cp(shared, copy, { recursive: true });
  assert.equal(await findEmbeddedPostgres(copy), null);
  const second = await startEmbeddedPostgres({ dataDir: copy, log });
  assert.equal(second.started, true);
  await query(second.url, "drop table kept");
  await second.stop();
  assert.equal(await query(original.url, "select count(*) from kept"), "2");
  await original.stop();
});

test("a start that fails tells the end of PostgreSQL's log, and the next one works", async () => {
  await assert.rejects(
    startEmbeddedPostgres({ dataDir: shared, log, settings: { shared_buffers: "much" } }),
    /did not start.*postgres\.log.*invalid value for parameter "shared_buffers": "much"/s,
  );
  await writeFile(join(shared, "postgres.log"), "x".repeat(1024 * 1024 + 1));
  const postgres = await startEmbeddedPostgres({ dataDir: shared, log });
  await postgres.stop();
  assert.ok((await stat(join(shared, "postgres.log"))).size < 10_000, "a log that grew large is begun anew");
});

test("of processes that start at the same moment one starts it and the others adopt it", async () => {
  const dataDir = join(await newDirectory(0o700), "new", "data");
  directories.push(dataDir);
  const others = [starter(dataDir), starter(dataDir)];
  const here = startEmbeddedPostgres({ dataDir, log });
  const answers = [await here, ...(await Promise.all(others.map(({ answer }) => answer)))];
  assert.deepEqual(answers.map(({ started }) => started).sort(), [false, false, true]);
  assert.equal(new Set(answers.map(({ url }) => url)).size, 1);
  for (const { child } of others) await end(child, "SIGKILL");
  await (await here).stop();
});

test("after a first start that was killed, the next one works", async () => {
  const dataDir = await newDirectory(0o755);
  const { child, answer } = starter(dataDir);
  answer.catch(() => undefined);
  await until(async () => (await readdir(dataDir)).some((name) => name.startsWith("postgres.new-")));
  await end(child, "SIGKILL");
  assert.equal((await readdir(dataDir)).includes("postgres"), false);

  const postgres = await startEmbeddedPostgres({ dataDir, log });
  assert.equal(await query(postgres.url, "select current_database()"), "tefo");
  await postgres.stop();
  const names = ["postgres", "postgres.lock", "postgres.log", "postgres.password"];
  assert.deepEqual((await readdir(dataDir)).sort(), names);
});

// These two need root: PostgreSQL refuses to run as root, so it runs as another user.
const asRootTest = isRoot ? test : () => {};

asRootTest("as root: PostgreSQL runs as another user, who gets through to directories closed to it", async () => {
  const closed = await newDirectory(0o700);
  const { postgres } = await embeddedBinaries();
  await cp(dirname(dirname(postgres)), join(closed, "native"), { recursive: true, verbatimSymlinks: true });
  const copied = join(closed, "native", "bin", "postgres");
  await assert.rejects(async () => {
    const { code, output } = await run({ user: NOBODY, prefix: [] }, copied, ["--version"]);
    if (code !== 0) throw new Error(output);
  }, /EACCES/);
  const launcher = await chooseLauncher(copied, closed, NOBODY);
  assert.match((await run(launcher, copied, ["--version"])).output, /^postgres \(PostgreSQL\) \d+/);

  const server = await startEmbeddedPostgres({ dataDir: closed, log });
  const status = await readFile(`/proc/${await postmasterPid(closed)}/status`, "utf8");
  assert.match(status, /^Uid:\t(?!0\t)/m);
  await query(server.url, "create table reached (id int)");
  await server.stop();
});

asRootTest("as an ordinary user, and again as root in that user's data directory", async () => {
  const dataDir = await newDirectory(0o700);
  await chown(dataDir, NOBODY.uid, NOBODY.gid);
  const ordinary = await chooseLauncher(process.execPath, import.meta.dirname, NOBODY);
  const first = starter(dataDir, ordinary);
  const { url } = await first.answer;
  await query(url, "create table kept (id int)");
  await end(first.child, "SIGKILL");

  const asRoot = await startEmbeddedPostgres({ dataDir, log });
  assert.equal(asRoot.started, false);
  await asRoot.stop();
  const again = await startEmbeddedPostgres({ dataDir, log });
  assert.equal(again.started, true);
  await again.stop();

  const last = starter(dataDir, ordinary);
  assert.equal(await query((await last.answer).url, "select count(*) from kept"), "0");
  await end(last.child, "SIGKILL");
});
