import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CLIENT_ENDPOINTS } from "../../src/catalogue.ts";
import { isForSandbox } from "../../src/http/endpoint.ts";
import { scopesOf } from "../../src/http/key-scopes.ts";
import { FEATURES, PLANS } from "../../src/kernel/plans.ts";
import { mayUse, type Scope } from "../../src/modules/api-keys/rules.ts";
import { type Answer, type ApiMerchant, openApi, type Sent, type TestApi } from "../support/api.ts";

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant({ name: "Karoo Books" });
  await shop.addGateway();
});
after(() => api.close());

interface Said {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Record<string, unknown>;
    readonly required: string[];
    readonly $defs?: object;
  };
  readonly annotations: { readonly readOnlyHint: boolean };
}

const post = (body: unknown, sent: Sent = {}): Promise<Answer<Said>> =>
  api.call<Said>("POST", "/mcp", { key: shop.key, ...sent, body });
let count = 0;
const ask = (method: string, params: object = {}, sent: Sent = {}, id: unknown = ++count) =>
  post({ jsonrpc: "2.0", id, method, params }, sent);

/** All tools of a key, page by page. */
async function toolsOf(key: string): Promise<Tool[]> {
  const all: Tool[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await ask("tools/list", cursor === undefined ? {} : { cursor }, { key });
    const page = body.result as { tools: Tool[]; nextCursor?: string };
    assert.ok(page.tools.length <= 50);
    all.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

interface ToolSaid {
  readonly isError: boolean;
  readonly texts: readonly string[];
  readonly body: Record<string, unknown>;
}

async function call(name: string, given: object = {}, sent: Sent = {}, id?: unknown): Promise<ToolSaid> {
  const { status, body, text } = await ask("tools/call", { name, arguments: given }, sent, id ?? ++count);
  assert.equal(status, 200, text);
  assert.ok(body.result, text);
  const { content, isError } = body.result as { content: { text: string }[]; isError: boolean };
  const texts = content.map((one) => one.text);
  const parsed = texts[0]?.startsWith("{") ? (JSON.parse(texts[0]) as Record<string, unknown>) : {};
  return { isError, texts, body: parsed };
}

describe("a session", () => {
  test("begins with initialize, in the version that is asked for, else in the latest", async () => {
    const { status, body, headers } = await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {} });
    assert.equal(status, 200);
    const { protocolVersion, serverInfo, instructions, capabilities } = body.result as Record<
      string,
      Record<string, string>
    >;
    assert.deepEqual([protocolVersion, serverInfo?.["name"], capabilities], ["2025-06-18", "tefo", { tools: {} }]);
    assert.match(String(instructions), /Karoo Books.*sandbox/);
    assert.match(String(headers["mcp-session-id"]), /^[0-9a-f-]{36}$/);
    const other = await ask("initialize", { protocolVersion: "1999-01-01" });
    assert.equal(other.body.result?.["protocolVersion"], "2025-11-25");
    const sent = { headers: { "mcp-protocol-version": "2025-06-18" } };
    const initialized = await post({ jsonrpc: "2.0", method: "notifications/initialized" }, sent);
    assert.deepEqual([initialized.status, initialized.text], [202, ""]);
    // Some clients refuse fields that their version does not know.
    assert.deepEqual((await ask("ping", {}, sent)).body.result, {});
  });

  test("is not needed by a client whose requests name their version", async () => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" };
    const { body } = await ask("server/discover", { _meta }, { headers });
    assert.equal(body.result?.["resultType"], "complete");
    assert.deepEqual(body.result?.["supportedVersions"], ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]);
    const named = { ...headers, "mcp-method": "tools/call" };
    const params = { name: "getMe", _meta };
    for (const [sent, status, code] of [
      [{ ...named, "mcp-name": "getMe" }, 200, undefined],
      [{ ...named, "mcp-name": `=?base64?${Buffer.from("getMe").toString("base64")}?=` }, 200, undefined],
      [{ ...named, "mcp-name": "listCustomers" }, 400, -32_020],
      [named, 400, -32_020],
      [{ ...named, "mcp-name": "getMe", "mcp-protocol-version": "2025-11-25" }, 400, -32_020],
      [{ ...named, "mcp-name": "getMe", "mcp-protocol-version": undefined }, 400, -32_020],
    ] as const) {
      const answer = await ask("tools/call", params, { headers: sent });
      assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(sent));
    }
    const later = await ask("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2030-01-01" } });
    assert.deepEqual(
      [later.status, later.body.error?.code, later.body.error?.data?.["requested"]],
      [400, -32_022, "2030-01-01"],
    );
    const missing = await ask("resources/list", { _meta }, { headers: { ...headers, "mcp-method": "resources/list" } });
    assert.deepEqual([missing.status, missing.body.error?.code], [404, -32_601]);
    assert.equal((await ask("resources/list")).status, 200);
  });

  test("has no stream to listen to, and pages of other sites have none at all", async () => {
    for (const method of ["GET", "DELETE"])
      assert.deepEqual([(await api.call(method, "/mcp", { key: shop.key })).status], [405], method);
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { origin: "null" },
    ]) {
      const { status, body } = await ask("tools/list", {}, { headers });
      assert.deepEqual([status, body.error?.code], [403, -32_600]);
    }
    assert.equal((await ask("tools/list", {}, { headers: { origin: new URL(api.baseUrl).origin } })).status, 200);
  });
});

describe("tools", () => {
  test("are the endpoints of the API that take and answer JSON", async () => {
    const tools = await toolsOf((await shop.addKey(["charge_saved_cards"])).key);
    const files = new Set(["upload", "import", "download"]);
    const expected = CLIENT_ENDPOINTS.filter(
      ({ kind, base, audience }) => audience === "clients" && !base && !files.has(kind),
    );
    assert.equal(new Set(tools.map(({ name }) => name)).size, expected.length);
    const make = tools.find(({ name }) => name === "createPaymentLink");
    assert.match(make?.description ?? "", /^Create a payment link\. A key with scopes needs `payment_links:write`/);
    assert.deepEqual(Object.keys(make?.inputSchema.properties ?? {}), ["body", "idempotencyKey"]);
    const get = tools.find(({ name }) => name === "getPaymentLink");
    assert.deepEqual(get?.inputSchema.required, ["id"]);
    for (const { name, inputSchema } of tools) {
      assert.match(name, /^[A-Za-z0-9]{3,64}$/);
      const text = JSON.stringify(inputSchema);
      for (const [, named = ""] of text.matchAll(/"#\/\$defs\/(\w+)"/g))
        assert.ok(named in (inputSchema.$defs ?? {}), named);
      assert.doesNotMatch(text, /#\/components/);
    }
  });

  const KEYS: readonly (readonly Scope[])[] = [
    [],
    ["customers:read"],
    ["customers:write"],
    ["invoices:read", "payment_links:write"],
    ["reconciliation:read", "refunds:write", "webhooks:read"],
    ["test_clock:write"],
  ];
  for (const sandbox of [true, false])
    for (const scopes of KEYS)
      test(`of a key with ${scopes.join(", ") || "no scopes"} in a ${sandbox ? "sandbox" : "live organisation"}`, async () => {
        const merchant = await api.addMerchant({ sandbox, plan: "enterprise" });
        const { key } = await merchant.addKey([], { scopes });
        const expected = CLIENT_ENDPOINTS.filter((endpoint) => {
          const needed = scopesOf(endpoint);
          const reads = endpoint.kind === "read" || (endpoint.kind === "run" && endpoint.method === "GET");
          const isJson = ["read", "write", "gateway", "run"].includes(endpoint.kind);
          return (
            endpoint.audience === "clients" &&
            !endpoint.base &&
            isJson &&
            !endpoint.keyPermission &&
            (sandbox || (reads && !isForSandbox(endpoint))) &&
            (needed.length === 0 || needed.some((scope) => mayUse(scopes, scope)))
          );
        });
        const tools = await toolsOf(key);
        assert.equal(tools.length, expected.length);
        if (!sandbox) assert.ok(tools.every(({ annotations }) => annotations.readOnlyHint));
      });

  test("leave out what the plan lacks", async () => {
    const small = await api.addMerchant({ plan: "growth" });
    const lacking = Object.entries(FEATURES).filter(([feature]) => !PLANS.growth.features.includes(feature as never));
    const words = (await toolsOf(small.key)).map(({ description }) => description).join("\n");
    assert.match(words, /The plan must include Payment links\./);
    assert.ok(lacking.length > 0);
    for (const [, name] of lacking) assert.ok(!words.includes(`The plan must include ${name}.`), name);
  });
});

describe("a call", () => {
  test("does what the request does, once, and is in the audit log and the request log as that request", async () => {
    const sent = { headers: { "mcp-session-id": "one" } };
    const body = { title: "Coffee", amount: 35.5, metadata: { order: "1042" } };
    const first = await call("createPaymentLink", { body }, sent, 1);
    assert.equal(first.isError, false);
    const again = await call("createPaymentLink", { body }, sent, 1);
    assert.equal(again.body["id"], first.body["id"]);
    assert.match(again.texts[1] ?? "", /nothing was done again/);
    for (const [given, headers, id] of [
      [{ body }, sent.headers, 2],
      [{ body }, sent.headers, "1"],
      [{ body }, { "mcp-session-id": "two" }, 1],
      [{ body: { ...body, amount: 36 } }, sent.headers, 1],
    ] as const)
      assert.notEqual((await call("createPaymentLink", given, { headers }, id)).body["id"], first.body["id"]);
    const keyed = { body, idempotencyKey: "mine" };
    const [a, b] = [await call("createPaymentLink", keyed), await call("createPaymentLink", keyed)];
    assert.equal(a.body["id"], b.body["id"]);
    assert.equal(
      (await shop.post<{ id: string }>("/payment-links", body, { headers: { "idempotency-key": "mine" } })).body.id,
      a.body["id"],
    );
    const listed = await call("listPaymentLinks", { limit: 1, metadata: { order: "1042" } });
    assert.equal((listed.body["data"] as unknown[]).length, 1);
    const customer = (await call("createCustomer", { body: { externalReference: "expanded" } })).body["id"];
    await call("createPaymentLink", { body: { ...body, customerId: customer } });
    const expanded = await call("listPaymentLinks", { limit: 1, expand: ["customer", "invoice"] });
    const [link] = expanded.body["data"] as { customer: { id: string } }[];
    assert.equal(link?.customer.id, customer);
    const [entry] = await api.query<{ action: string; actor_id: string }>(
      "select action, actor_id from audit_log where organisation_id = $1 and subject = $2",
      shop.organisation.id,
      first.body["id"],
    );
    assert.deepEqual(entry, { action: "POST /payment-links", actor_id: shop.keyId });
  });

  test("answers a refusal of the API as an error of the tool, with its message", async () => {
    const wrong = await call("createPaymentLink", { body: { title: "Coffee", amount: 0 } });
    assert.equal(wrong.isError, true);
    assert.match(String(wrong.body["message"]), /amount must be greater than 0/);
    assert.equal((await call("getPaymentLink", { id: "plink_none" })).body["error"], "not_found");
    assert.match(
      (await call("createCustomer", { body: { emial: "x@example.com", externalReference: "t" } })).texts[1] ?? "",
      /emial/,
    );
    const { key } = await shop.addKey([], { scopes: ["customers:read"] });
    const refused = await call("createCustomer", { body: { externalReference: "scoped" } }, { key });
    assert.deepEqual([refused.isError, refused.body["error"]], [true, "permission_required"]);
    assert.match(String(refused.body["message"]), /customers:write/);
  });

  test("changes nothing where money is real, even by name", async () => {
    const live = await api.addMerchant({ sandbox: false });
    const { isError, texts } = await call(
      "createCustomer",
      { body: { externalReference: "live-1" } },
      { key: live.key },
    );
    assert.equal(isError, true);
    assert.match(texts[0] ?? "", /createCustomer changes something.*real/);
    assert.deepEqual((await live.get<{ data: unknown[] }>("/customers")).body.data, []);
    assert.equal((await call("listCustomers", {}, { key: live.key })).isError, false);
  });

  test("sees no record of another organisation", async () => {
    const other = await api.addMerchant();
    const made = await call("createCustomer", { body: { externalReference: "mine" } });
    const id = made.body["id"];
    assert.equal((await call("getCustomer", { id }, { key: other.key })).body["error"], "not_found");
    assert.equal(
      (await call("updateCustomer", { id, body: { firstName: "X" } }, { key: other.key })).body["error"],
      "not_found",
    );
    assert.deepEqual((await call("listCustomers", { externalReference: "mine" }, { key: other.key })).body["data"], []);
  });

  test("counts as the requests that it makes: a limit that is used up ends it", async () => {
    const small = await api.addMerchant({ rateLimit: 3 });
    const [one, two, three] = [
      await call("getMe", {}, { key: small.key }),
      await call("getMe", {}, { key: small.key }),
      await call("getMe", {}, { key: small.key }),
    ];
    assert.deepEqual([one.isError, two.isError, three.isError], [false, false, false]);
    const limited = await call("getMe", {}, { key: small.key });
    assert.deepEqual([limited.isError, limited.body["error"]], [true, "rate_limited"]);
    assert.match(limited.texts[1] ?? "", /^Wait \d+ seconds/);
    const list = await ask("tools/list", {}, { key: small.key });
    assert.equal(list.status, 429);
    assert.ok(list.headers["retry-after"]);
  });
});

describe("hostile input", () => {
  test("is refused, and first of all whoever has no key", async () => {
    for (const key of [null, "nonsense", `tefo_00000000_${"a".repeat(43)}`])
      for (const body of [
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "getMe" } },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "none" } },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "getCustomer", arguments: {} } },
        [],
        "{",
      ]) {
        const { status, headers, body: said } = await post(body, { key });
        assert.deepEqual([status, headers["www-authenticate"]], [401, "Bearer"], JSON.stringify(body));
        assert.equal(said.jsonrpc, "2.0");
      }
  });

  const request = { jsonrpc: "2.0", id: 1, method: "ping" };
  const call1 = (params: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  for (const [what, body, status, code] of [
    ["no JSON", "{", 400, -32_700],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22]), 400, -32_700],
    ["nothing", "", 400, -32_600],
    ["null", "null", 400, -32_600],
    ["a batch", [request, request], 400, -32_600],
    ["an empty batch", [], 400, -32_600],
    ["another version of JSON-RPC", { ...request, jsonrpc: "1.0" }, 400, -32_600],
    ["an id of null", { ...request, id: null }, 400, -32_600],
    ["an id with a fraction", { ...request, id: 1.5 }, 400, -32_600],
    ["an id that is an object", { ...request, id: {} }, 400, -32_600],
    ["no method", { jsonrpc: "2.0", id: 1 }, 400, -32_600],
    ["a method that is a number", { ...request, method: 1 }, 400, -32_600],
    ["parameters in a list", { ...request, params: [1] }, 400, -32_602],
    ["parameters of text", { ...request, params: "x" }, 400, -32_602],
    ["a method that does not exist", { ...request, method: "__proto__" }, 200, -32_601],
    ["a tool that does not exist", call1({ name: "dropTables" }), 200, -32_602],
    ["a tool called as a prototype's property", call1({ name: "constructor" }), 200, -32_602],
    ["no tool", call1({}), 200, -32_602],
    ["arguments in a list", call1({ name: "getMe", arguments: [1] }), 200, -32_602],
    ["a cursor of nonsense", { ...request, method: "tools/list", params: { cursor: "none" } }, 200, -32_602],
    ["a body that is nested too deep", `${"[".repeat(40)}${"]".repeat(40)}`, 400, -32_700],
    ["a body that is too long", JSON.stringify({ ...request, params: { x: "x".repeat(100_001) } }), 413, -32_600],
    ["a body of a megabyte", JSON.stringify({ ...request, params: { x: "x".repeat(1_000_000) } }), 413, -32_600],
  ] as const)
    test(`${what} is ${status}, ${code}`, async () => {
      const answer = await post(body);
      assert.deepEqual([answer.status, answer.body.error?.code], [status, code], answer.text.slice(0, 300));
    });

  test("another type than JSON is 415; an answer of a client, and a notification of any kind, are taken silently", async () => {
    const { status } = await post("ping", { headers: { "content-type": "text/plain" } });
    assert.equal(status, 415);
    assert.equal((await post({ jsonrpc: "2.0", id: 1, result: {} })).status, 202);
    assert.equal((await post({ jsonrpc: "2.0", method: "notifications/none" })).status, 202);
  });

  for (const [what, name, given] of [
    ["a path that leads elsewhere", "getCustomer", { id: ".." }],
    ["a path with dots and a slash", "getCustomer", { id: "../me" }],
    ["an empty id", "getCustomer", { id: "" }],
    ["an id that is an object", "getCustomer", { id: { $ne: 1 } }],
    ["an id with a query", "getCustomer", { id: "x?limit=1" }],
    ["an id that is half a character", "getCustomer", { id: "\ud800" }],
    ["an id with a null byte", "getCustomer", { id: "\u0000" }],
    ["an argument that there is not", "getMe", { x: 1 }],
    ["an argument called as the prototype", "getMe", JSON.parse('{"__proto__": 1}')],
    ["a body for a tool without one", "getMe", { body: {} }],
    ["a key that is no text", "createCustomer", { body: {}, idempotencyKey: 1 }],
    ["a key with a line break", "createCustomer", { body: {}, idempotencyKey: "a\r\nx: y" }],
    ["a filter in a list", "listCustomers", { email: ["a", "b"] }],
    ["a filter that is an object", "listCustomers", { email: { a: "b" } }],
    ["a body of text", "createCustomer", { body: "x" }],
    ["no body", "createCustomer", {}],
  ] as const)
    test(`${what} is an error of the tool`, async () => {
      const { isError, texts } = await call(name, given);
      assert.equal(isError, true, texts.join("\n"));
      assert.doesNotMatch(texts[0] ?? "", /internal_error/);
    });
});
