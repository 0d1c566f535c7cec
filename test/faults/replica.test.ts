import assert from "node:assert/strict";
import { chmod } from "node:fs/promises";
import { after, before, test } from "node:test";
import { freePort } from "../../src/app/listen.ts";
import type { OrganisationId } from "../../src/kernel/ids.ts";
import { type Database, openDatabase, type Tx } from "../../src/platform/database.ts";
import { sqlState } from "../../src/platform/faults.ts";
import { migrate } from "../../src/platform/migrations.ts";
import { generateMasterKey } from "../../src/platform/secrets.ts";
import { type Cluster, openCluster } from "../marathon/servers.ts";
import { cloneDatabase } from "../support/database.ts";
import { eventually, serve, type Test, tefo, temporaryFolder } from "../support/processes.ts";
import { openProxy, type TcpProxy } from "../support/tcp-proxy.ts";

/*
 * Reads answered by a standby, with two real servers and streaming replication. A proxy stands before the standby. Tests follow one
 * another: the last one promotes it.
 */

const [ours, theirs] = ["a", "b"].map((letter) => `org_${letter.repeat(26)}` as OrganisationId) as [
  OrganisationId,
  OrganisationId,
];
const undo: (() => unknown)[] = [];
const whole: Test = { after: (run) => void undo.push(run) };
let cluster: Cluster;
let proxy: TcpProxy;
let away = false;
const told: boolean[] = [];
const urlAt = (port: number | null) => `postgres://tefo:none@127.0.0.1:${port}/tefo`;

/** A database with its replica, as a process has one. */
function opened(
  changed: (answers: boolean) => void = () => {},
): Database & { readonly replica: NonNullable<Database["replica"]> } {
  const db = openDatabase(urlAt(cluster.primaryPort()), {
    connections: 4,
    replica: { url: urlAt(proxy.port), changed },
  });
  undo.push(db.close);
  assert.ok(db.replica);
  return { ...db, replica: db.replica };
}
let db: ReturnType<typeof opened>;

before(async () => {
  const folder = await temporaryFolder(whole);
  await chmod(folder, 0o711);
  cluster = await openCluster(folder, null);
  undo.push(cluster.stop);
  await migrate(urlAt(cluster.primaryPort()));
  await cluster.query(`
    create table things (organisation_id text, id integer, primary key (organisation_id, id));
    alter table things enable row level security;
    create policy tenant on things using (organisation_id = app_organisation());
    grant select, insert on things to tefo_app`);
  proxy = await openProxy(() => (away ? null : cluster.standbyPort()));
  undo.push(proxy.close);
  db = opened((answers) => void told.push(answers));
});
after(async () => {
  for (const one of undo.toReversed()) await one();
});

const add = (to: Database, id: number) =>
  to.transaction(
    ours,
    async (tx) => tx.queue`insert into things (organisation_id, id) values (${tx.organisation}, ${id})`,
  );
const has = (id: number) => async (tx: Tx) =>
  (await tx.sql`select from things where organisation_id = ${tx.organisation} and id = ${id}`).length === 1;
/** Which server answers a read. */
const server = async (tx: Tx) => {
  const [row] = await tx.sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`;
  return row?.standby ? "replica" : "primary";
};
const answering = (wanted: "replica" | "primary") =>
  eventually(`the ${wanted} answers`, async () => (await db.replica.read(ours, server)) === wanted);
let next = 1;

test("what was committed before a read is in it, whichever process committed it, and the replica answers", async () => {
  await answering("replica");
  const other = opened();
  const before = db.replica.reads();
  for (let at = 0; at < 300; at++) {
    const id = next++;
    await add(at % 2 === 0 ? other : db, id);
    assert.equal(await db.replica.read(ours, has(id)), true, `${id} is missing`);
  }
  const { replica, primary } = db.replica.reads();
  assert.equal(replica - before.replica + primary - before.primary, 300);
  assert.ok(replica - before.replica > 100, `the replica answered ${replica - before.replica} of 300`);
  assert.equal(db.replica.lagSeconds(), 0);
});

test("many reads at once, while another process writes, each see what was there when they began", async () => {
  const other = opened();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let at = 0; at < 40; at++) {
        const id = next++;
        await add(other, id);
        assert.equal(await db.replica.read(ours, has(id)), true, `${id} is missing`);
      }
    }),
  );
});

test("organisations are kept apart there as on the primary, by the same role, and nothing is written", async () => {
  await answering("replica");
  const [state] = await db.replica.read(
    ours,
    (tx) => tx.sql<Record<string, unknown>>`
      select current_user as role, current_setting('app.organisation_id') as organisation, pg_is_in_recovery() as standby,
             count(*) > 0 as any from things where organisation_id = ${ours}`,
  );
  assert.deepEqual(state, { role: "tefo_app", organisation: ours, standby: true, any: true });
  const seen = await db.replica.read(theirs, (tx) => tx.sql`select from things where organisation_id = ${ours}`);
  assert.deepEqual(seen, []);
  await assert.rejects(
    db.replica.read(ours, (tx) => tx.sql`insert into things values (${ours}, 0)`),
    (error: unknown) =>
      (error as { cause?: unknown }).cause !== undefined && sqlState((error as Error).cause) === "25006",
  );
  await assert.rejects(db.replica.read("org_'; drop table things; --" as OrganisationId, server), /names its organis/);
});

test("a replica that is late is left alone until it has caught up", async () => {
  await answering("replica");
  const since = told.length;
  await cluster.queryStandby("select pg_wal_replay_pause()");
  const id = next++;
  await add(db, id);
  assert.equal(await db.replica.read(ours, has(id)), true);
  assert.equal(await db.replica.read(ours, server), "primary");
  await eventually("its lag is known", async () => (db.replica.lagSeconds() ?? 0) > 0.5);
  const began = performance.now();
  for (let at = 0; at < 100; at++) assert.equal(await db.replica.read(ours, server), "primary");
  assert.ok(performance.now() - began < 5_000, "reads do not wait for it");
  await cluster.queryStandby("select pg_wal_replay_resume()");
  await answering("replica");
  assert.deepEqual(told.slice(since).slice(0, 2), [false, true]);
});

test("a read whose connection breaks is done again by the primary", async () => {
  await answering("replica");
  const runs: string[] = [];
  const found = await db.replica.read(ours, async (tx) => {
    const answers = await server(tx);
    runs.push(answers);
    if (answers === "replica") proxy.drop();
    return has(1)(tx);
  });
  assert.deepEqual([runs, found], [["replica", "primary"], true]);
});

test("a replica that is away costs no read an error, and is used again when it is back", async () => {
  await answering("replica");
  away = true;
  proxy.drop();
  for (let at = 0; at < 20; at++) assert.equal(await db.replica.read(ours, server), "primary");
  await eventually("the lag is not known", async () => db.replica.lagSeconds() === null);
  away = false;
  await answering("replica");
});

test("a replica that is silent, as one without power, delays a read by a second or two", async () => {
  await answering("replica");
  proxy.silence();
  const began = performance.now();
  assert.equal(await db.replica.read(ours, has(1)), true);
  assert.ok(performance.now() - began < 10_000, `${performance.now() - began} ms`);
  await answering("replica");
});

test("the service answers lists, exports and single records from it, with what was just written", async (t) => {
  const env = {
    DATABASE_URL: urlAt(cluster.primaryPort()),
    DATABASE_REPLICA_URL: urlAt(proxy.port),
    SECRET_KEY: generateMasterKey(),
    DEMO: "0",
    PROCESS: "api",
    IP_RATE_LIMIT: "100000000",
    PORT: String(await freePort("127.0.0.1")),
  };
  const created = await tefo(env, "org", "create", "--name", "A", "--slug", "a", "--json");
  const { apiKey } = created.json<{ apiKey: string }>();
  await tefo(env, "org", "update", "a", "--rate-limit", "100000000");
  const service = serve(t, env);
  await service.says(/"msg":"ready"/);
  await service.says(/"msg":"the replica answers reads"/);
  const url = `http://127.0.0.1:${env.PORT}`;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const text = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers });
    const body = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${body}`);
    return body;
  };
  for (let at = 0; at < 20; at++) {
    if (at === 10) proxy.drop();
    const body = JSON.stringify({ firstName: `n${at}`, email: `n${at}@example.co.za` });
    const answer = await fetch(`${url}/api/v1/customers`, { method: "POST", headers, body });
    const { id } = (await answer.json()) as { id: string };
    for (const path of [
      `/customers/${id}`,
      "/customers?limit=1",
      `/search?q=n${at}@example`,
      "/exports/customers.csv",
    ]) {
      const shown = await text(`/api/v1${path}`);
      assert.ok(shown.includes(id) || shown.includes(`n${at}@example.co.za`), `${path} lacks ${at}: ${shown}`);
    }
  }
  const metrics = await text("/metrics");
  const reads = Number(/^tefo_replica_reads_total\{server="replica"\} (\d+)$/m.exec(metrics)?.[1]);
  assert.ok(reads > 30, `${reads} reads`);
  assert.match(metrics, /^tefo_replica_lag_seconds /m);
  const doctor = await tefo(env, "doctor", "--json");
  const findings = doctor.json<{ findings: { check: string; status: string; message: string }[] }>().findings;
  const about = findings.find(({ check }) => check === "replica");
  assert.deepEqual([about?.status, about?.message], ["ok", "the replica is 0 MB of changes behind"]);
});

test("the standby of another server answers nothing, however far that one is", async () => {
  const { url } = await cloneDatabase();
  const foreign = openDatabase(url, { connections: 2, replica: { url: urlAt(proxy.port), changed: () => {} } });
  undo.push(foreign.close);
  for (let at = 0; at < 12; at++) await cluster.query("select pg_switch_wal(), txid_current()");
  await answering("replica");
  const until = performance.now() + 3_000;
  while (performance.now() < until) assert.equal(await foreign.replica?.read(ours, server), "primary");
});

test("a replica that was promoted answers nothing any more", async () => {
  await answering("replica");
  await cluster.query("alter system set synchronous_standby_names = ''");
  await cluster.query("select pg_reload_conf()");
  await cluster.queryStandby("select pg_promote(true, 60)");
  const id = next++;
  await add(db, id);
  assert.equal(await db.replica.read(ours, has(id)), true);
  assert.equal(await db.replica.read(ours, server), "primary");
  await eventually("nothing follows", async () => db.replica.lagSeconds() === null);
});
