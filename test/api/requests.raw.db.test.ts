import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { type ApiMerchant, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { eventually } from "../support/processes.ts";

let api: TestApi;
let merchant: ApiMerchant;
before(async () => {
  api = await openApi();
  merchant = await api.addMerchant();
  await merchant.addGateway();
});
after(() => api.close());

/** What is whole: JSON, or an answer without a body. */
const WHOLE = /\r\n\r\n[\s\S]*\}$|^content-length: 0\r\n[\s\S]*\r\n\r\n$|\r\n0\r\n\r\n$/im;

/** Sends raw bytes; answers what the server sends until its answer is complete or this time without data has passed. */
async function raw(text: string | Buffer, patienceMs = 60_000): Promise<string> {
  const socket = connect(Number(new URL(api.baseUrl).port), "127.0.0.1");
  socket.on("error", () => {});
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    answer += chunk;
    if (WHOLE.test(answer)) socket.end();
  });
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.write(text);
  await once(socket, "close");
  return answer;
}
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const request = (line: string, headers: string[] = [], body = "") =>
  [
    line,
    "Host: localhost",
    `Authorization: Bearer ${merchant.key}`,
    "X-Forwarded-For: 10.1.1.1",
    ...headers,
    "",
    body,
  ].join("\r\n");

describe("methods of other protocols are refused", () => {
  for (const method of ["PROPFIND", "PURGE", "MKCOL", "SEARCH"])
    for (const path of ["/me", "/payment-links", "/transactions/x"])
      test(`${method} ${path}`, async () => {
        const { status, body } = await merchant.call<Refusal>(method, path);
        assert.ok(status === 404 || status === 400, String(status));
        assert.equal(typeof body.message, "string");
      });
});

describe("invalid HTTP", () => {
  const BAD: [string, () => string | Buffer, readonly number[]][] = [
    ["an unknown method", () => request("FOO /api/v1/me HTTP/1.1"), [400]],
    ["a method in lower case", () => request("get /api/v1/me HTTP/1.1"), [400]],
    ["no path", () => request("GET HTTP/1.1"), [400]],
    ["a space in the path", () => request("GET /api/v1/me x HTTP/1.1"), [400]],
    ["HTTP/3.9", () => request("GET /api/v1/me HTTP/3.9"), [400]],
    ["no host", () => `GET /api/v1/me HTTP/1.1\r\nAuthorization: Bearer ${merchant.key}\r\n\r\n`, [400]],
    ["words", () => "hello\r\n\r\n", [400]],
    ["a TLS hello", () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]), [400]],
    ["a header of 20 kB", () => request("GET /api/v1/me HTTP/1.1", [`X-Long: ${"a".repeat(20_000)}`]), [400, 431]],
    [
      "5000 headers",
      () =>
        request(
          "GET /api/v1/me HTTP/1.1",
          Array.from({ length: 5000 }, (_, n) => `X-${n}: 1`),
        ),
      [400, 431],
    ],
    ["a header without a colon", () => request("GET /api/v1/me HTTP/1.1", ["Broken"]), [400]],
    ["a NUL in a header", () => request("GET /api/v1/me HTTP/1.1", ["X-Null: a\0b"]), [400]],
    ["a path of 20 kB", () => request(`GET /api/v1/${"a".repeat(20_000)} HTTP/1.1`), [400, 404, 414, 431]],
    [
      "two lengths",
      () => request("POST /api/v1/customers HTTP/1.1", ["Content-Length: 2", "Content-Length: 3"], "{}"),
      [400],
    ],
    [
      "a length and chunks",
      () => request("POST /api/v1/customers HTTP/1.1", ["Content-Length: 2", "Transfer-Encoding: chunked"], "{}"),
      [400],
    ],
    ["a negative length", () => request("POST /api/v1/customers HTTP/1.1", ["Content-Length: -1"], "{}"), [400]],
    ["a length in words", () => request("POST /api/v1/customers HTTP/1.1", ["Content-Length: two"], "{}"), [400]],
    [
      "chunks that are none",
      () => request("POST /api/v1/customers HTTP/1.1", ["Transfer-Encoding: chunked"], "zz\r\n{}\r\n"),
      [400],
    ],
    [
      "an unknown coding",
      () => request("POST /api/v1/customers HTTP/1.1", ["Transfer-Encoding: rot13"], "{}"),
      [400, 501],
    ],
    ["the whole URL", () => request("GET http://localhost/api/v1/me HTTP/1.1"), [200, 400, 404]],
    ["an asterisk", () => request("OPTIONS * HTTP/1.1"), [400, 404, 405]],
    ["CONNECT", () => request("CONNECT example.org:443 HTTP/1.1"), [400, 404, 405]],
    [
      "an upgrade",
      () => request("GET /api/v1/me HTTP/1.1", ["Connection: Upgrade", "Upgrade: websocket"]),
      [200, 400, 426],
    ],
    [
      "an expectation",
      () => request("POST /api/v1/customers HTTP/1.1", ["Expect: 200-maybe", "Content-Length: 2"], "{}"),
      [201, 417],
    ],
    [
      "gzip that is none",
      () =>
        request(
          "POST /api/v1/customers HTTP/1.1",
          ["Content-Type: application/json", "Content-Encoding: gzip", "Content-Length: 2"],
          "{}",
        ),
      [201, 400, 415],
    ],
    ["two keys", () => request("GET /api/v1/me HTTP/1.1", ["Authorization: Bearer x"]), [200, 400, 401]],
  ];
  for (const [name, make, expected] of BAD)
    test(name, async () => {
      const answer = await raw(make());
      // The server may answer CONNECT by closing the connection.
      if (name === "CONNECT" && answer === "") return;
      assert.ok(expected.includes(statusOf(answer)), answer.slice(0, 300));
      // Two refusals are Node's own, without a body.
      if (statusOf(answer) >= 400 && name !== "no host" && name !== "an expectation")
        assert.match(answer, /\{"error":"[a-z_]+","message":"[^"]+"/);
    });

  test("an incomplete body changes nothing", async () => {
    const count = async () =>
      (await api.query("select from customers where organisation_id = $1", merchant.organisation.id)).length;
    const before = await count();
    await raw(
      request("POST /api/v1/customers HTTP/1.1", ["Content-Type: application/json", "Content-Length: 100"], "{}"),
      500,
    );
    assert.equal(await count(), before);
    assert.equal((await merchant.get("/me")).status, 200);
  });

  test("fifty aborted connections do no harm to the service", async () => {
    await Promise.all(Array.from({ length: 50 }, () => raw("GET /api/v1/me HTTP/1.1\r\nHost: x\r\n", 500)));
    assert.equal((await merchant.get("/me")).status, 200);
  });
});

describe("the request log", () => {
  type Logged = Readonly<Record<string, unknown>>;
  const read = async (shop: ApiMerchant) => {
    const staff = await shop.signIn("viewer");
    return async (query = "") => (await staff<{ data: Logged[] }>("GET", `/request-log${query}`)).body.data;
  };
  /** Those that are sent next to an organisation of its own, as they are logged. */
  const logged = async (shop: ApiMerchant, count: number) => {
    const list = await read(shop);
    await eventually("the requests are written", async () => (await list("?limit=100")).length === count);
    return list;
  };

  test("tells what was asked with which key, and how it was answered, without what was sent", async () => {
    const shop = await api.addMerchant();
    await shop.addGateway();
    const [other, limited] = [await shop.addKey(), await api.addMerchant({ rateLimit: 1 })];
    const headers = { "idempotency-key": "secret order 17" };
    const send = (amount: number) => shop.post("/payment-links", { title: "Tea", amount }, { headers });
    const answers = [
      await send(1),
      await send(1),
      await send(2),
      await shop.get("/customers/cus_none?expand=thandi%40x.example", { key: other.key, headers }),
      await shop.get("/me", { key: `${shop.key.slice(0, -1)}${shop.key.endsWith("a") ? "b" : "a"}` }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 409, 400, 401],
    );
    assert.deepEqual([(await limited.get("/me")).status, (await limited.get("/me")).status], [200, 429]);
    const list = await logged(shop, 4);
    const rows = await list();
    assert.deepEqual(
      rows
        .map(({ id, method, path, parameters, status, error, idempotency }) => ({
          id,
          method,
          path,
          parameters,
          status,
          error,
          idempotency,
        }))
        .toReversed(),
      [
        ["POST", "/payment-links", [], 201, null, "first"],
        ["POST", "/payment-links", [], 201, null, "replayed"],
        ["POST", "/payment-links", [], 409, "idempotency_conflict", "conflict"],
        ["GET", "/customers/cus_none", ["expand"], 400, "invalid_request", null],
      ].map(([method, path, parameters, status, error, idempotency], at) => ({
        ...{
          id: answers[at]?.headers["x-request-id"],
          method,
          path: `/api/v1${path}`,
          parameters,
          status,
          error,
          idempotency,
        },
      })),
    );
    assert.deepEqual(
      [rows[0]?.["key"], rows[1]?.["key"]],
      [
        { id: other.id, prefix: other.key.slice(0, 13) },
        { id: shop.keyId, prefix: shop.key.slice(0, 13) },
      ],
    );
    assert.doesNotMatch(JSON.stringify(rows), /thandi|secret|Tea/);
    const staff = await shop.signIn("viewer");
    assert.deepEqual((await staff("GET", `/request-log/${rows[0]?.["id"]}`)).body, rows[0]);
    const [over] = await (await logged(limited, 2))("?status=429");
    assert.equal(over?.["error"], "rate_limited");
    assert.equal((await staff("GET", `/request-log/${over["id"]}`)).status, 404, "of another organisation");

    const today = new Date(String(rows[0]?.["at"])).toLocaleDateString("en-CA", { timeZone: "Africa/Johannesburg" });
    const later = new Date(Date.parse(String(rows[0]?.["at"])) + 1).toISOString();
    for (const [query, count] of [
      ["status=2xx", 2],
      ["status=400", 1],
      ["status=4xx&path=PAYMENT", 1],
      [`keyId=${other.id}`, 1],
      [`requestId=${rows[2]?.["id"]}`, 1],
      [`q=${rows[2]?.["id"]}`, 1],
      ["q=idempotency_conflict", 1],
      ["q=cus_n%25", 0],
      [`from=${today}&to=${today}`, 4],
      [`from=${later}`, 0],
      [`to=${later}`, 4],
      [`startingAfter=${rows[1]?.["id"]}`, 2],
    ] as const)
      assert.equal((await list(`?${query}`)).length, count, query);
    for (const wrong of ["status=abc", "from=yesterday", "startingAfter=cus_1"])
      assert.equal((await staff("GET", `/request-log?${wrong}`)).status, 400, wrong);
  });

  test("that cannot be written keeps no request waiting and harms none", async () => {
    const shop = await api.addMerchant();
    const superuser = new pg.Client({ connectionString: api.databaseUrl });
    await superuser.connect();
    await superuser.query("begin; lock table request_log in access exclusive mode");
    assert.equal((await shop.get("/me")).status, 200);
    const waits = "from pg_locks where not granted and relation = 'request_log'::regclass";
    await eventually("its row waits for the lock", async () => (await api.query(`select ${waits}`)).length > 0);
    await api.query(`select pg_terminate_backend(pid) ${waits}`);
    await superuser.query("rollback");
    await superuser.end();
    const { headers } = await shop.get("/me");
    const [row] = await (await logged(shop, 1))();
    assert.equal(row?.["id"], headers["x-request-id"], "the first is lost, the next is written");
  });
});
