import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
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

/** A schema of `openapi.json`, as far as a body is made of it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Description {
  readonly paths: Record<
    string,
    Record<string, { servers?: unknown; requestBody?: { content?: Record<string, { schema: Schema } | undefined> } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What a person would be known by, at each kind of field. */
const PERSONAL = [
  "Zanele Qwabe",
  "zanele@qwabe.example",
  "0825550199",
  "9202204720082",
  "62900417701",
  "4111111111111111",
];

/** A body with every field of a schema, each text one of a person. */
function sample(schema: Schema, named: Readonly<Record<string, Schema>>, name = "", depth = 0): unknown {
  if (schema.$ref) return sample(named[schema.$ref.split("/").at(-1) ?? ""] ?? {}, named, name, depth + 1);
  if (schema.enum) return schema.enum[0];
  const [first] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== "null");
  if (first) return sample(first, named, name, depth);
  if (schema.properties && depth < 20)
    return {
      ...Object.fromEntries(
        Object.entries(schema.properties).map(([key, one]) => [key, sample(one, named, key, depth + 1)]),
      ),
      "of Zanele Qwabe": PERSONAL[1],
    };
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "array") return [sample(schema.items ?? {}, named, name, depth + 1)];
  if (type === "boolean") return true;
  if (type === "number" || type === "integer") return 1;
  if (type === "object") return { "Zanele Qwabe": PERSONAL[0], card: PERSONAL[5] };
  const kinds: readonly [RegExp, number][] = [
    [/email/i, 1],
    [/phone/i, 2],
    [/idNumber/, 3],
    [/accountNumber/, 4],
  ];
  return PERSONAL[kinds.find(([form]) => form.test(name))?.[1] ?? 0];
}

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
    const single = async (at: number) => (await staff<Logged>("GET", `/request-log/${rows[at]?.["id"]}`)).body;
    const { requestBody, responseBody, ...listed } = await single(0);
    assert.deepEqual([listed, requestBody], [rows[0], null]);
    assert.match(String(responseBody), /^\{"error":"invalid_request","message":"Unknown query parameter expand\./);
    assert.doesNotMatch(String(responseBody), /thandi/);
    const conflict = await single(1);
    assert.equal(conflict["requestBody"], '{"title":"…","amount":2}');
    assert.match(String(conflict["responseBody"]), /"error":"idempotency_conflict"/);
    const { requestBody: sent, responseBody: none } = await single(3);
    assert.deepEqual([sent, none], ['{"title":"…","amount":1}', null]);
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

  test("has no text of a body, of whatever call, and says of each refusal why", async () => {
    const { paths, components } = JSON.parse(await readFile("openapi.json", "utf8")) as Description;
    const shop = await api.addMerchant();
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody, servers }]) => {
        const schema = requestBody?.content?.["application/json"]?.schema;
        // What stands at another address takes no key.
        return schema && !servers ? [{ method: method.toUpperCase(), path, schema }] : [];
      }),
    );
    assert.ok(calls.length > 50, "calls take bodies");
    const bodies = calls.map(({ schema }) => sample(schema, components.schemas));
    for (const [at, { method, path }] of calls.entries()) {
      const called = path.replace(/^\/api\/v1/, "").replaceAll(/\{\w+\}/g, "none");
      const { status, text } = await shop.call(method, called, { body: bodies[at] });
      assert.ok(status < 500, `${method} ${path}: ${text}`);
    }
    const written = () => api.query("select id from request_log where organisation_id = $1", shop.organisation.id);
    await eventually("the requests are written", async () => (await written()).length === calls.length);
    const rows = await api.query<{ path: string; request_body: string; response_body: string | null; status: number }>(
      "select * from request_log where organisation_id = $1",
      shop.organisation.id,
    );
    for (const { path, request_body: sent, response_body: refused, status } of rows) {
      assert.ok(sent.startsWith("{") || sent.startsWith("["), `${path}: ${sent}`);
      assert.equal(refused !== null, status >= 400, path);
      for (const word of PERSONAL) {
        assert.ok(!sent.toLowerCase().includes(word.toLowerCase()), `${path} keeps ${word}: ${sent}`);
        assert.ok(!refused?.toLowerCase().includes(word.toLowerCase()), `${path} keeps ${word}: ${refused}`);
      }
    }
    assert.ok(
      rows.some(({ response_body: refused }) => refused?.includes('"path":["') && refused.includes("must be")),
      "a refusal says what is wrong, and where",
    );
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
