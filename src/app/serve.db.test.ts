import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cloneDatabase } from "../../test/support/database.ts";
import {
  connectByHand,
  dashboardCaller,
  eventually,
  type Running,
  serve,
  type Test,
  tefo,
  temporaryFolder,
} from "../../test/support/processes.ts";
import { findEmbeddedPostgres } from "../platform/embedded-postgres.ts";
import { generateMasterKey } from "../platform/secrets.ts";
import { freePort } from "./listen.ts";

const READY = /"msg":"ready"/;

interface Shown {
  readonly baseUrl: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly payUrl: string;
  readonly curl: string;
}

/** What the service prints (interface 10.1), as a script reads it. */
async function shownBy(service: Running): Promise<Shown> {
  const find = async (pattern: RegExp) => (await service.says(pattern))[1] ?? "";
  return {
    curl: await find(/^\s*(curl .+)$/m),
    baseUrl: await find(/Base URL +(http\S+)/),
    email: await find(/Sign in +(\S+@\S+)/),
    password: await find(/Password +(\S+)/),
    apiKey: await find(/API key +(tefo_\S+)/),
    payUrl: await find(/Pay page +(http\S+)/),
  };
}

/** Runs the printed curl line, parsed as a shell would. */
async function runCurl(line: string): Promise<Response> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const url = words.find((word) => word.startsWith("http")) ?? "";
  const values = (option: string) => words.filter((_, at) => words[at - 1] === option);
  const headers = values("-H").map((header) => header.split(": ") as [string, string]);
  return fetch(url, { method: "POST", headers, body: values("-d")[0] ?? "" });
}

const status = async (url: string): Promise<number> =>
  fetch(url, { redirect: "manual" }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => 0,
  );

test("the first start shows everything, and what it shows works; later ones show the same", async (t) => {
  const dataDir = await temporaryFolder(t);
  const port = String(await freePort("127.0.0.1"));
  const env = { DATA_DIR: dataDir, PORT: port };
  const first = serve(t, env);
  const shown = await shownBy(first);
  assert.equal(shown.baseUrl, `http://localhost:${port}`);
  await first.says(READY);
  assert.equal(await status(`${shown.baseUrl}/health/ready`), 200);
  assert.equal(await status(shown.payUrl), 200);
  assert.equal(await status(`${shown.baseUrl}/docs`), 200);
  const made = await runCurl(shown.curl);
  const link = (await made.json()) as { url: string; title: string };
  assert.deepEqual([made.status, link.title], [201, "Coffee"]);
  assert.equal(await status(link.url), 200);
  const signIn = await fetch(`${shown.baseUrl}/dashboard/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: shown.email, password: shown.password }),
  });
  assert.equal(signIn.status, 200, await signIn.text());
  const cookie = signIn.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const count = async (path: string) => {
    const response = await fetch(`${shown.baseUrl}/dashboard/api/${path}`, { headers: { cookie } });
    return ((await response.json()) as { data: unknown[] }).data.length;
  };
  const lists = ["gateways", "customers", "products", "packages", "plans", "invoices", "payment-links"];
  // The link of the demo, the invoice's own, and the one just made.
  assert.deepEqual(await Promise.all(lists.map(count)), [2, 2, 1, 1, 2, 1, 3]);
  assert.equal((await stat(join(dataDir, "demo.json"))).mode & 0o777, 0o600);

  assert.doesNotMatch(first.output().replace(/[\s\S]*?\n\nTefo is ready|^curl.*$/gm, ""), /"level":"(error|fatal)"/);
  for (const line of first
    .output()
    .split("\n")
    .filter((one) => one.startsWith("{")))
    for (const secret of [shown.password, shown.apiKey]) assert.ok(!line.includes(secret), "no secret in the log");
  first.child.kill("SIGTERM");
  assert.equal(await first.ended(), 0, first.output());
  assert.equal(await findEmbeddedPostgres(dataDir), null, "the database stopped too");

  const second = serve(t, env);
  assert.deepEqual(await shownBy(second), shown);
  await second.says(READY);
  second.child.kill("SIGINT");
  assert.equal(await second.ended(), 0, second.output());
});

test("after kill -9 of the service or of its PostgreSQL it starts again with its data", async (t) => {
  const dataDir = await temporaryFolder(t);
  const env = { DATA_DIR: dataDir, PORT: String(await freePort("127.0.0.1")) };
  const killed = serve(t, env);
  const shown = await shownBy(killed);
  await killed.says(READY);
  killed.child.kill("SIGKILL");
  await killed.ended();
  const again = serve(t, env);
  await again.says(READY);
  assert.equal(await status(shown.payUrl), 200);

  const [postmaster = ""] = (await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8")).split("\n");
  process.kill(Number(postmaster), "SIGKILL");
  const seen = new Set<number>();
  await eventually("answers again after PostgreSQL was killed", async () => {
    const { status } = await runCurl(shown.curl);
    seen.add(status);
    return status === 201 && again.output().includes("PostgreSQL is back");
  });
  assert.deepEqual(
    [...seen].filter((one) => one !== 201 && one !== 503),
    [],
    "unavailable meanwhile, and nothing else",
  );
  again.child.kill("SIGTERM");
  assert.equal(await again.ended(), 0, again.output());
  assert.equal(await findEmbeddedPostgres(dataDir), null);
});

test("an api and a worker started at once share the embedded database and one demo; the last stops it", async (t) => {
  const dataDir = await temporaryFolder(t);
  const port = String(await freePort("127.0.0.1"));
  const api = serve(t, { DATA_DIR: dataDir, PORT: port, PROCESS: "api" });
  const worker = serve(t, { DATA_DIR: dataDir, PORT: port, PROCESS: "worker" });
  await Promise.all([api.says(READY), worker.says(READY)]);
  const { apiKey, baseUrl } = await shownBy(api);
  const me = await fetch(`${baseUrl}/api/v1/me`, { headers: { authorization: `Bearer ${apiKey}` } });
  assert.equal(((await me.json()) as { organisation: { slug: string } }).organisation.slug, "demo");
  api.child.kill("SIGTERM");
  assert.equal(await api.ended(), 0, api.output());
  assert.notEqual(await findEmbeddedPostgres(dataDir), null, "the worker still uses it");
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended(), 0, worker.output());
  assert.equal(await findEmbeddedPostgres(dataDir), null);
});

describe("over a database of DATABASE_URL", () => {
  const environment = async (t: Test): Promise<Record<string, string>> => ({
    DATABASE_URL: (await cloneDatabase()).url,
    SECRET_KEY: generateMasterKey(),
    PORT: String(await freePort("127.0.0.1")),
    DATA_DIR: await temporaryFolder(t),
  });

  test("the demo is created once, and only the machine with its file can show it again", async (t) => {
    const env = await environment(t);
    const first = serve(t, { ...env, DATA_DIR: "/proc/nothing" });
    const shown = await shownBy(first);
    assert.equal(await status(shown.payUrl), 200);
    first.child.kill("SIGTERM");
    assert.equal(await first.ended(), 0);
    const elsewhere = serve(t, env);
    await elsewhere.says(/Tefo is ready\.[\s\S]*Docs/);
    assert.doesNotMatch(elsewhere.output(), /tefo_|curl/);
    assert.equal(await status(shown.payUrl), 200);

    const stranger = serve(t, { ...env, SECRET_KEY: generateMasterKey(), PORT: "0", LOG_LEVEL: "warn" });
    assert.equal(await stranger.ended(), 1);
    assert.match(stranger.output(), /^Tefo cannot run: SECRET_KEY opens nothing in this database[^\n]*\n$/);
    const changing = { SECRET_KEY: generateMasterKey(), SECRET_KEY_PREVIOUS: String(env["SECRET_KEY"]) };
    await serve(t, { ...env, ...changing, PORT: "0" }).says(READY);
  });

  test("two processes work on one database: what the api asks for, the worker does", async (t) => {
    const env: Record<string, string> = { ...(await environment(t)), DEMO: "0", LOOPBACK_WEBHOOKS: "1" };
    const received: string[] = [];
    const merchant = createHttpServer(async (request, response) => {
      received.push(JSON.parse(await text(request)).type);
      response.end();
    }).listen(0, "127.0.0.1");
    await once(merchant, "listening");
    t.after(() => merchant.close());
    const created = await tefo(
      env,
      "org",
      "create",
      "--name",
      "W",
      "--slug",
      "w",
      "--plan",
      "growth",
      "--sandbox",
      "--json",
    );
    const { owner } = created.json<{ owner: { email: string; password: string } }>();
    const api = serve(t, { ...env, PROCESS: "api" });
    await api.says(READY);
    const call = dashboardCaller(`http://127.0.0.1:${env["PORT"]}`);
    await call("/auth/sign-in/email", owner);
    const url = `http://127.0.0.1:${(merchant.address() as AddressInfo).port}/hooks`;
    const { id } = (await call("/webhook-endpoints", { url })) as { id: string };
    await call(`/webhook-endpoints/${id}/test`, {});
    await sleep(1_500);
    assert.deepEqual(received, [], "an api does no background work");
    const worker = serve(t, { ...env, PROCESS: "worker" });
    await eventually("the webhook was delivered", async () => received.length > 0);
    assert.deepEqual(received, ["endpoint.test"]);
    for (const one of [worker, api]) {
      one.child.kill("SIGTERM");
      assert.equal(await one.ended(), 0, one.output());
    }
  });

  test("a worker serves health and metrics on HEALTH_PORT, and nothing else", async (t) => {
    const healthPort = String(await freePort("127.0.0.1"));
    const more = { PROCESS: "worker", DEMO: "0", HEALTH_PORT: healthPort };
    const env: Record<string, string> = { ...(await environment(t)), ...more };
    const worker = serve(t, env);
    await worker.says(READY);
    const base = `http://127.0.0.1:${healthPort}`;
    assert.deepEqual(
      await Promise.all(
        ["/health/live", "/health/ready", "/metrics", "/api/v1/me", "/docs"].map((path) => status(base + path)),
      ),
      [200, 200, 200, 404, 404],
    );
    assert.equal(await status(`http://127.0.0.1:${env["PORT"]}/health/live`), 0);
  });

  test("a port in use is one clear line, and so is a configuration that cannot be", async (t) => {
    const env: Record<string, string> = { ...(await environment(t)), DEMO: "0", LOG_LEVEL: "warn" };
    const other = createServer().listen(Number(env["PORT"]), "127.0.0.1");
    await once(other, "listening");
    t.after(() => other.close());
    const inUse = serve(t, env);
    assert.equal(await inUse.ended(), 1);
    assert.equal(
      inUse.output(),
      `Tefo cannot run: Port ${env["PORT"]} on 127.0.0.1 is in use by another program. Stop it, or set PORT to a free one.\n`,
    );
    const wrong = serve(t, { ...env, PROCESS: "both" });
    assert.equal(await wrong.ended(), 1);
    assert.equal(wrong.output(), "Tefo cannot run: PROCESS must be one of all, api, worker.\n");
    const { DATABASE_URL: _, SECRET_KEY: key = "", ...embedded } = env;
    for (const dataDir of [import.meta.filename, "/proc/nothing"])
      for (const more of [{}, { SECRET_KEY: key }]) {
        const nowhere = serve(t, { ...embedded, ...more, DATA_DIR: dataDir });
        assert.equal(await nowhere.ended(), 1);
        assert.match(
          nowhere.output(),
          /^Tefo cannot run: DATA_DIR \S+ cannot be used: [^\n]*Set DATA_DIR to [^\n]*\n$/,
        );
      }
    const keyless = serve(t, { ...env, SECRET_KEY: "c2hvcnQ=" });
    assert.equal(await keyless.ended(), 1);
    assert.match(keyless.output(), /^Tefo cannot run: SECRET_KEY must be 32 bytes in base64[^\n]*\n$/);
  });

  test("SIGTERM: running requests finish, new requests on open connections get 503, new connections are refused", async (t) => {
    const env: Record<string, string> = { ...(await environment(t)), LOG_LEVEL: "info" };
    const service = serve(t, env);
    const { apiKey } = await shownBy(service);
    await service.says(READY);
    const port = Number(env["PORT"]);
    const [silent, late, slow] = [await connectByHand(port), await connectByHand(port), await connectByHand(port)];
    const body = JSON.stringify({ title: "Slow", amount: 1 });
    const head = `POST /api/v1/payment-links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n`;
    late.socket.write(head);
    slow.socket.write(`${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
    // Then it has accepted the connections before this one too, and read what was written to them before.
    await slow.reads(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    slow.socket.write(body.slice(0, 5));
    const begun = performance.now();
    service.child.kill("SIGTERM");
    await service.says(/"msg":"stopping"/);
    await eventually("nobody new gets in", async () => (await status(`http://127.0.0.1:${port}/health/live`)) === 0);
    late.socket.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    const refused = await late.reads(/\r\n\r\n\{.*\}$/s);
    assert.match(refused, /^HTTP\/1\.1 503 Service Unavailable/);
    assert.match(refused, /"error":"service_unavailable"/);
    for (const header of [/^retry-after: \d+\r$/im, /^connection: close\r$/im]) assert.match(refused, header);
    assert.equal(service.child.exitCode, null, "it waits for the slow one");
    slow.socket.write(body.slice(5));
    const answer = await slow.reads(/\r\n\r\n\{.*\}$/s);
    assert.match(answer, /^HTTP\/1\.1 201 Created/m);
    assert.match(answer, /^connection: close\r$/im);
    assert.equal(await service.ended(), 0, service.output());
    assert.ok(performance.now() - begun < 120_000, "a connection that never asked does not hold it up");
    assert.ok(silent.ended());
  });

  test("a second, later signal ends it at once", async (t) => {
    const env: Record<string, string> = { ...(await environment(t)), DEMO: "0" };
    const service = serve(t, env);
    await service.says(READY);
    const port = Number(env["PORT"]);
    const held = await connectByHand(port);
    const head = "POST /dashboard/api/auth/sign-in/email HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    held.socket.write(`${head}Expect: 100-continue\r\nContent-Length: 20\r\n\r\n`);
    await held.reads(/100 Continue/);
    service.child.kill("SIGINT");
    service.child.kill("SIGINT");
    await sleep(1_200);
    service.child.kill("SIGINT");
    assert.equal(await service.ended(), 1);
  });
});
