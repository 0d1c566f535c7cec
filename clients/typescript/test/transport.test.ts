import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { ClientOptions, RequestOptions } from "../src/options.ts";
import { type Call, createTransport, path, queryText } from "../src/transport.ts";

type Step = (request: Request) => Response | Promise<Response>;

/** A transport whose fetch takes these steps; answers what was sent and how long it would have waited. */
function stepped(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const sent: Request[] = [];
  const waits: number[] = [];
  const given: ClientOptions = {
    apiKey: "tefo_key",
    baseUrl: "http://127.0.0.1:1/",
    fetch: async (url, init) => {
      const request = new Request(url, init);
      sent.push(request.clone());
      const step = steps[sent.length - 1];
      assert.ok(step, "one attempt too many");
      return step(request);
    },
    ...options,
  };
  const transport = createTransport(given, "test", async (ms) => void waits.push(ms));
  return { transport, sent, waits };
}

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
const broken: Step = () => Promise.reject(new TypeError("fetch failed"));
const limited: Step = () => json(429, { error: "rate_limited", message: "Too many." }, { "retry-after": "7" });
const busy: Step = () => json(503, { error: "service_unavailable", message: "Restarting." });
const done: Step = () => json(200, { id: "x" });
const POST: Call = { body: { a: 1 }, keyed: true };

test("a POST is sent again under the same key after 429, 503 and a broken connection", async () => {
  const { transport, sent, waits } = stepped([limited, busy, broken, done]);
  assert.deepEqual(await transport.json("POST", "/things", POST), { id: "x" });
  const keys = new Set(sent.map((request) => request.headers.get("idempotency-key")));
  assert.equal(keys.size, 1);
  assert.match([...keys][0] ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(new Set(await Promise.all(sent.map((request) => request.text()))).size, 1);
  assert.equal(waits[0], 7000, "Retry-After is honoured");
  assert.ok(waits[1]! >= 500 && waits[1]! <= 1000, "the second wait is 1 s less up to half");
  assert.ok(waits[2]! >= 1000 && waits[2]! <= 2000, "and twice as long each time");
});

test("two POSTs have two keys; a key that is given is used", async () => {
  const { transport, sent } = stepped([done, done, done]);
  await transport.json("POST", "/things", POST);
  await transport.json("POST", "/things", POST);
  await transport.json("POST", "/things", { ...POST, options: { idempotencyKey: "order-1042" } });
  const keys = sent.map((request) => request.headers.get("idempotency-key"));
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], "order-1042");
});

for (const { what, call, method, step, attempts } of [
  { what: "a refusal", method: "POST", call: POST, step: () => json(400, { error: "invalid_request" }), attempts: 1 },
  { what: "an error of the service", method: "POST", call: POST, step: () => json(500, {}), attempts: 1 },
  {
    what: "a POST without a stored answer, when the connection broke",
    method: "POST",
    call: {},
    step: broken,
    attempts: 1,
  },
  { what: "a DELETE, when the connection broke", method: "DELETE", call: {}, step: broken, attempts: 1 },
  { what: "a POST without a stored answer, after 503", method: "POST", call: {}, step: busy, attempts: 5 },
  { what: "a GET, when the connection broke", method: "GET", call: {}, step: broken, attempts: 5 },
  { what: "a PATCH, when the connection broke", method: "PATCH", call: {}, step: broken, attempts: 5 },
  {
    what: "a POST under a key in use",
    method: "POST",
    call: POST,
    step: () => json(409, {}, { "retry-after": "1" }),
    attempts: 5,
  },
  { what: "a conflict", method: "POST", call: POST, step: () => json(409, {}), attempts: 1 },
] as const)
  test(`${what} is sent ${attempts === 1 ? "once" : `${attempts} times`}`, async () => {
    const { transport, sent } = stepped(Array.from({ length: attempts }, () => step));
    await assert.rejects(transport.json(method, "/things", call));
    assert.equal(sent.length, attempts);
  });

test("a wait that is longer than allowed is not waited for", async () => {
  const { transport, waits } = stepped([limited], { retryWaitMaxMs: 5000 });
  await assert.rejects(transport.json("GET", "/things", {}), { name: "RateLimited", status: 429, retryAfter: 7 });
  assert.deepEqual(waits, []);
});

test("an attempt has a time-out, and a signal ends everything", async () => {
  const never: Step = (request) =>
    new Promise((_resolve, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
  const slow = stepped([never, done], { timeoutMs: 5 });
  assert.deepEqual(await slow.transport.json("GET", "/things", {}), { id: "x" });
  const late = stepped([never], { timeoutMs: 5, retries: 0 });
  await assert.rejects(late.transport.json("GET", "/things", {}), { name: "TimedOut", status: null });
  const stop = new AbortController();
  const options: RequestOptions = { signal: stop.signal };
  const stopped = stepped([never]);
  const answer = stopped.transport.json("GET", "/things", { options });
  while (stopped.sent.length === 0) await setImmediate();
  stop.abort(new Error("enough"));
  await assert.rejects(answer, { message: "enough" });
  assert.equal(stopped.sent.length, 1);
});

test("errors have classes, and say what the service said", async () => {
  const refusal = {
    error: "invalid_request",
    message: "amount is required",
    code: "x",
    docUrl: "https://docs.example/x",
    requestId: "req-1",
    issues: [{ code: "invalid_type", path: ["amount"], message: "amount is required" }],
  };
  const names: [number, string][] = [
    [400, "InvalidRequest"],
    [401, "Unauthorized"],
    [403, "PermissionRequired"],
    [404, "NotFound"],
    [409, "Conflict"],
    [413, "InvalidRequest"],
    [429, "RateLimited"],
    [500, "ServiceError"],
    [502, "ServiceError"],
  ];
  for (const [status, name] of names) {
    const { transport } = stepped([() => json(status, refusal)], { retries: 0 });
    await assert.rejects(transport.json("GET", "/things", {}), { ...refusal, status, name });
  }
  const { transport } = stepped([() => new Response("<h1>Bad gateway</h1>", { status: 502 })]);
  await assert.rejects(transport.json("GET", "/things", {}), {
    error: "http_502",
    message: "The service answered 502.",
  });
});

test("onAnswer is told of each answer", async () => {
  const told: unknown[] = [];
  const { transport } = stepped(
    [busy, () => json(200, {}, { "x-request-id": "r", "tefo-warnings": 'unknown field "a"' })],
    {
      onAnswer: ({ ms: _ms, ...answer }) => told.push(answer),
    },
  );
  await transport.json("POST", "/things", POST);
  const of = { method: "POST", path: "/things" };
  assert.deepEqual(told, [
    { ...of, status: 503, requestId: null, warnings: null, attempt: 1 },
    { ...of, status: 200, requestId: "r", warnings: 'unknown field "a"', attempt: 2 },
  ]);
});

test("paths and queries are encoded", () => {
  assert.equal(path`/a/${"b/c"}/d`, "/a/b%2Fc/d");
  assert.throws(() => path`/a/${""}/d`, TypeError);
  const metadata = { order: "10 42" };
  assert.equal(
    queryText({ status: "open", limit: 5, q: undefined, metadata }),
    "?status=open&limit=5&metadata%5Border%5D=10+42",
  );
  assert.equal(queryText({ expand: ["customer", "invoice.customer"] }), "?expand=customer&expand=invoice.customer");
  assert.equal(queryText(undefined), "");
});

test("a client says what it lacks", () => {
  assert.throws(() => createTransport({ apiKey: "", baseUrl: "http://x" }, "test"), /apiKey is missing/);
  assert.throws(() => createTransport({ apiKey: "k", baseUrl: "" }, "test"), /baseUrl is missing/);
});
