import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { type Merchant, openMerchant } from "../../test/support/merchant.ts";
import { MAIL_SEND } from "../modules/emails/declarations.ts";
import { openDatabase } from "../platform/database.ts";
import { enqueue } from "../platform/due-work.ts";
import { createLog } from "../platform/log.ts";
import { machineNow } from "../platform/machine-clock.ts";
import { createMetrics, GATEWAY_EXCHANGES, type Metrics } from "../platform/metrics.ts";
import { newId } from "../platform/new-id.ts";
import { registerHealth } from "./health.ts";
import { createServer } from "./server.ts";

const TOKEN = "a-token-for-metrics";

describe("health", () => {
  let merchant: Merchant;
  let metrics: Metrics;
  const drain = { draining: false };
  before(async () => {
    merchant = await openMerchant([]);
    const { app, services } = merchant.dashboard;
    metrics = createMetrics(services.db);
    registerHealth(app, { db: services.db, metrics, drain, metricsToken: TOKEN, trustedProxies: 0 });
    app.get("/things/:id", async () => "thing");
    app.get("/broken", async () => {
      throw new Error("broken");
    });
  });
  after(() => merchant.close());

  const get = (url: string, headers: Record<string, string> = {}, remoteAddress = "127.0.0.1") =>
    merchant.dashboard.app.inject({ url, headers, remoteAddress });
  const execute = async (sql: string) => {
    const client = new pg.Client({ connectionString: merchant.dashboard.databaseUrl });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const readiness = async () => {
    const answer = await get("/health/ready");
    return [answer.statusCode, JSON.parse(answer.payload).reasons ?? JSON.parse(answer.payload).status];
  };

  test("live while the process answers", async () => {
    const answer = await get("/health/live");
    assert.deepEqual(
      [answer.statusCode, answer.json(), answer.headers["cache-control"]],
      [200, { status: "ok" }, "no-store"],
    );
    assert.equal((await merchant.dashboard.app.inject({ method: "HEAD", url: "/health/live" })).statusCode, 200);
    const wrong = await merchant.dashboard.app.inject({ method: "POST", url: "/health/live" });
    assert.deepEqual([wrong.statusCode, wrong.json().error], [405, "method_not_allowed"]);
  });

  test("ready while it is not draining and migrations are current", async () => {
    assert.deepEqual(await readiness(), [200, "ok"]);
    drain.draining = true;
    assert.deepEqual(await readiness(), [503, ["draining"]]);
    drain.draining = false;
    await execute("create table kept as select * from migrations; delete from migrations where name like '0001%'");
    assert.deepEqual(await readiness(), [503, ["migrations are not current"]]);
    await execute("insert into migrations select * from kept where name like '0001%'");
    assert.deepEqual(await readiness(), [200, "ok"]);
  });

  test("not ready without a database; the metrics say so", async () => {
    const db = openDatabase("postgres://nobody:x@127.0.0.1:1/none", { connections: 1 });
    const app = createServer(createLog("silent"), "http://localhost:8080");
    registerHealth(app, { db, metrics: createMetrics(db), drain, metricsToken: null, trustedProxies: 0 });
    const answer = await app.inject("/health/ready");
    assert.deepEqual([answer.statusCode, answer.json().error], [503, "service_unavailable"]);
    assert.deepEqual(answer.json().reasons, ["the database does not answer"]);
    assert.match((await app.inject("/metrics")).payload, /^tefo_database_up 0$/m);
    await app.close();
    await db.close();
  });

  test("metrics count requests by route, failures, deliveries and due work", async () => {
    await get("/things/1");
    await get("/things/2");
    await get("/broken");
    await get("/nowhere");
    metrics.observeDelivery({ outcome: "delivered", seconds: 0.2 });
    metrics.observeMail("sent");
    const paid = { gateway: "payfast", type: "once", outcome: "complete", currency: "ZAR", sandbox: false };
    for (const amount of [12.5, 100]) metrics.observePayment({ ...paid, amount });
    GATEWAY_EXCHANGES.publish({ host: "api.example", outcome: "2xx", seconds: 0.2 });
    await merchant.dashboard.services.db.transaction(merchant.organisation.id, async (tx) => {
      enqueue(tx, MAIL_SEND, newId("mail"), machineNow());
      enqueue(tx, MAIL_SEND, newId("mail"), machineNow());
    });
    const { payload, headers, statusCode } = await get("/metrics");
    assert.equal(statusCode, 200);
    assert.match(String(headers["content-type"]), /^text\/plain; version=0\.0\.4/);
    for (const line of [
      'tefo_http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 2',
      'tefo_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1',
      'tefo_http_request_failures_total{method="GET",route="/broken"} 1',
      'tefo_webhook_delivery_duration_seconds_count{outcome="delivered"} 1',
      'tefo_due_work{kind="mail.send",state="waiting"} 2',
      'tefo_due_work{kind="mail.send",state="failed"} 0',
      "tefo_database_up 1",
      'tefo_emails_total{outcome="sent"} 1',
      'tefo_payments_total{gateway="payfast",type="once",outcome="complete",currency="ZAR",sandbox="false"} 2',
      'tefo_payment_amount_total{gateway="payfast",type="once",outcome="complete",currency="ZAR",sandbox="false"} 112.5',
      'tefo_gateway_request_duration_seconds_count{host="api.example",outcome="2xx"} 1',
    ])
      assert.ok(payload.includes(`${line}\n`), line);
    assert.match(payload, /^nodejs_eventloop_lag_p99_seconds /m);
    assert.match(payload, /^process_resident_memory_bytes /m);
    assert.match(payload, /^tefo_due_work_oldest_seconds\{kind="mail\.send"\} \d/m);
  });

  const METRICS: [string, Record<string, string>, string, number][] = [
    ["on this machine", {}, "::1", 200],
    ["on this machine, mapped", {}, "::ffff:127.0.0.1", 200],
    ["from elsewhere", {}, "192.0.2.7", 401],
    ["from elsewhere with the token", { authorization: `Bearer ${TOKEN}` }, "192.0.2.7", 200],
    ["from elsewhere with a wrong token", { authorization: "Bearer wrong" }, "192.0.2.7", 401],
    ["passed on by a proxy on this machine", { "x-forwarded-for": "192.0.2.7" }, "127.0.0.1", 401],
    ["passed on, claiming to be here", { "x-forwarded-for": "127.0.0.1" }, "127.0.0.1", 401],
    ["passed on in the newer header", { forwarded: "for=192.0.2.7" }, "127.0.0.1", 401],
  ];
  for (const [what, headers, from, status] of METRICS)
    test(`metrics asked for ${what}: ${status}`, async () =>
      assert.equal((await get("/metrics", headers, from)).statusCode, status));

  const BEHIND_A_PROXY: [string, Record<string, string>, string, number][] = [
    ["by a client here", { "x-forwarded-for": "192.0.2.7, 127.0.0.1" }, "127.0.0.1", 200],
    ["here, past the proxy", {}, "::ffff:127.0.0.1", 200],
    ["by a client elsewhere", { "x-forwarded-for": "127.0.0.1, 192.0.2.7" }, "127.0.0.1", 401],
    ["by a client that the proxy does not know", { "x-forwarded-for": "unknown" }, "127.0.0.1", 401],
    ["by a client without a name", { "x-forwarded-for": "" }, "127.0.0.1", 401],
    ["by a client named in the newer header alone", { forwarded: "for=192.0.2.7" }, "127.0.0.1", 401],
    ["by a client here, by way of another machine", { "x-forwarded-for": "127.0.0.1" }, "192.0.2.7", 401],
  ];
  test("metrics behind a proxy are for this machine alone, whatever the proxy's entry holds", async () => {
    const { db } = merchant.dashboard.services;
    const app = createServer(createLog("silent"), "http://localhost:8080");
    registerHealth(app, { db, metrics, drain, metricsToken: TOKEN, trustedProxies: 1 });
    for (const [what, headers, remoteAddress, status] of BEHIND_A_PROXY)
      assert.equal((await app.inject({ url: "/metrics", headers, remoteAddress })).statusCode, status, what);
    await app.close();
  });
});
