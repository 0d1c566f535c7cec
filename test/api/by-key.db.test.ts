import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CLIENT_ENDPOINTS } from "../../src/catalogue.ts";
import { scopesOf } from "../../src/http/key-scopes.ts";
import { instant } from "../../src/kernel/time.ts";
import { type ApiMerchant, openApi, type TestApi } from "../support/api.ts";

type Refusal = {
  error: string;
  message: string;
  code?: string;
  docUrl: string;
  requestId: string;
  issues?: { path: (string | number)[]; message: string }[];
};
type List = { data: { id: string }[]; hasMore: boolean; nextCursor: string | null };

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant({ name: "Karoo Books" });
  await shop.addGateway();
});
after(() => api.close());

const LINK = { title: "Order 1042", amount: 100 };

describe("a key with scopes", () => {
  test("may do what its scopes say, and learns which one is missing", async () => {
    const none = await shop.addKey([], { scopes: [] });
    for (const endpoint of CLIENT_ENDPOINTS) {
      const [needed] = scopesOf(endpoint);
      // The form of an upload is looked at before what the key may do (interface 7.4).
      if (!needed || endpoint.base || endpoint.kind === "upload" || endpoint.kind === "import") continue;
      const path = endpoint.path.replaceAll(/\{\w+\}/g, "none_00000000000000000000000000");
      const { status, body } = await shop.call<Refusal>(endpoint.method, path, { key: none.key });
      assert.deepEqual([status, body.error], [403, "permission_required"], `${endpoint.method} ${endpoint.path}`);
      assert.ok(body.message.includes(needed), body.message);
    }
  });

  test("write includes read; a scope opens nothing else", async () => {
    const { key } = await shop.addKey([], { scopes: ["payment_links:write", "invoices:read"] });
    for (const [method, path, status] of [
      ["GET", "/payment-links", 200],
      ["POST", "/payment-links", 201],
      ["GET", "/invoices", 200],
      ["POST", "/invoices", 403],
      ["GET", "/customers", 403],
      ["GET", "/me", 200],
      ["GET", "/search?q=1042", 200],
    ] as const) {
      const answer = await shop.call(method, path, { key, ...(method === "POST" ? { body: LINK } : {}) });
      assert.equal(answer.status, status, `${method} ${path}`);
    }
  });

  test("the search of a key shows the kinds that its scopes may read", async () => {
    await shop.post("/customers", { email: "searched@karoo.example", firstName: "Searched" });
    const kinds = async (limits: Parameters<ApiMerchant["addKey"]>[1]) => {
      const { key } = await shop.addKey([], limits);
      const { body } = await shop.get<{ groups: { kind: string }[] }>("/search?q=searched", { key });
      return body.groups.map(({ kind }) => kind);
    };
    assert.deepEqual(await kinds({ scopes: ["customers:read"] }), ["customer"]);
    assert.deepEqual(await kinds({ scopes: ["invoices:read"] }), []);
    assert.deepEqual(await kinds({}), ["customer"]);
  });
});

describe("a key", () => {
  test("shows itself", async () => {
    const { id, key } = await shop.addKey(["charge_saved_cards"], {
      scopes: ["events:read"],
      expiresAt: instant("2099-01-01T00:00:00Z"),
      strict: true,
    });
    const { body } = await shop.get<{ key: object }>("/me", { key });
    assert.deepEqual(body.key, {
      id,
      name: "test",
      permissions: ["charge_saved_cards"],
      scopes: ["events:read"],
      expiresAt: "2099-01-01T00:00:00.000Z",
      strict: true,
    });
  });

  test("that has expired is 401 with the time at which it did", async () => {
    const { key } = await shop.addKey([], { expiresAt: instant("2020-01-01T00:00:00Z") });
    const { status, body } = await shop.get<Refusal>("/me", { key });
    assert.deepEqual([status, body.error], [401, "unauthorized"]);
    assert.match(body.message, /expired at 2020-01-01/);
  });

  test("is refused from addresses that it does not allow", async () => {
    const { key } = await shop.addKey([], { allowedAddresses: ["203.0.113.0/24", "2001:db8::/32"] });
    for (const [address, status] of [
      ["203.0.113.7", 200],
      ["203.0.114.7", 403],
      ["2001:db8:1::9", 200],
      ["2001:db9::9", 403],
      ["::ffff:203.0.113.9", 200],
    ] as const) {
      const answer = await shop.get<Refusal>("/me", { key, headers: { "x-forwarded-for": address } });
      assert.equal(answer.status, status, address);
      if (status === 403) assert.equal(answer.body.error, "permission_required");
    }
  });

  test("is made and changed by staff, with limits that are checked", async () => {
    const owner = await shop.signIn("owner");
    const made = await owner<Record<string, unknown>>("POST", "/api-keys", {
      name: "Shop",
      permissions: [],
      scopes: ["invoices:write", "invoices:write"],
      expiresAt: "2099-01-01T02:00:00+02:00",
      allowedAddresses: ["203.0.113.77/24"],
      strict: true,
    });
    assert.equal(made.status, 201);
    const { scopes, expiresAt, allowedAddresses, strict, lastUsedOn } = made.body;
    assert.deepEqual(
      { scopes, expiresAt, allowedAddresses, strict, lastUsedOn },
      {
        scopes: ["invoices:write"],
        expiresAt: "2099-01-01T00:00:00.000Z",
        allowedAddresses: ["203.0.113.0/24"],
        strict: true,
        lastUsedOn: null,
      },
    );
    const path = `/api-keys/${made.body["id"]}`;
    const changed = await owner<Record<string, unknown>>("PATCH", path, { scopes: null, allowedAddresses: null });
    assert.deepEqual(
      [changed.body["scopes"], changed.body["allowedAddresses"], changed.body["strict"]],
      [null, [], true],
    );
    for (const body of [
      { scopes: ["invoices:all"] },
      { expiresAt: "2020-01-01T00:00:00Z" },
      { expiresAt: "tomorrow" },
      { allowedAddresses: ["203.0.113.0/33"] },
      { allowedAddresses: ["localhost"] },
    ])
      assert.equal((await owner("PATCH", path, body)).status, 400, JSON.stringify(body));
  });

  test("notes the day on which it was used", async () => {
    const { id, key } = await shop.addKey();
    await shop.get("/me", { key });
    const owner = await shop.signIn("owner");
    for (let turn = 0; turn < 100; turn++) {
      const { body } = await owner<{ data: { id: string; lastUsedOn: string | null }[] }>("GET", "/api-keys?limit=100");
      const noted = body.data.find((one) => one.id === id)?.lastUsedOn;
      if (noted) return assert.match(noted, /^\d{4}-\d\d-\d\d$/);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail("the day was not noted within ten seconds");
  });
});

describe("silence ends", () => {
  test("an unknown parameter of the query is 400 and names the nearest", async () => {
    for (const [path, parameter, meant] of [
      ["/invoices?customer_id=cus_nope", "customer_id", "customerId"],
      ["/payment-links?starting_after=x", "starting_after", "startingAfter"],
      ["/customers?colour=red", "colour", "externalReference"],
      ["/me?x=1", "x", "none"],
    ] as const) {
      const { status, body } = await shop.get<Refusal>(path);
      assert.deepEqual([status, body.error, body.issues?.[0]?.path], [400, "invalid_request", [parameter]], path);
      assert.ok(body.message.includes(meant), body.message);
    }
  });

  test("unknown fields of a body are named in a header, and refused of a strict key", async () => {
    const body = { ...LINK, external_reference: "a", recurring: { frequency: "monthly", Frequency: 1 }, größe: 1 };
    const warned = await shop.post("/payment-links", body);
    assert.equal(warned.status, 201);
    assert.equal(
      warned.headers["tefo-warnings"],
      'unknown field "external_reference" (did you mean "externalReference"?); ' +
        'unknown field "recurring.Frequency" (did you mean "recurring.frequency"?); unknown field "gr\\u00f6\\u00dfe"',
    );
    assert.equal((await shop.post("/payment-links", LINK)).headers["tefo-warnings"], undefined);
    const { key } = await shop.addKey([], { strict: true });
    const refused = await shop.post<Refusal>("/payment-links", body, { key });
    assert.deepEqual([refused.status, refused.body.issues?.[0]?.path], [400, ["external_reference"]]);
    assert.equal((await shop.post("/payment-links", LINK, { key })).status, 201);
    const line = { description: "Wool", quantity: 1, unitPrice: 10, unit_price: 9 };
    const nested = await shop.post<Refusal>("/invoices", { customerId: "cus_none", lines: [line] }, { key });
    assert.deepEqual(nested.body.issues?.[0]?.path, ["lines", 0, "unit_price"]);
  });
});

describe("errors", () => {
  test("say where they are explained and which request it was", async () => {
    const { headers, body } = await shop.get<Refusal>("/customers/cus_none");
    assert.deepEqual([body.error, body.code], ["not_found", undefined]);
    assert.equal(body.requestId, headers["x-request-id"]);
    assert.match(body.docUrl, /\/docs\/errors\/not_found$/);
    const named = await shop.post<Refusal>("/payment-links", { ...LINK, customerId: "cus_none" });
    assert.match(named.body.docUrl, /\/docs\/errors\/customer_not_found$/);
    for (const path of ["/docs/errors", "/docs/errors/not_found", "/docs/errors/customer_not_found"])
      assert.equal((await api.call<string>("GET", path)).status, 200, path);
  });

  test("a missing field is required, and a wrong one is told in plain words", async () => {
    for (const [path, body, message] of [
      ["/payment-links", {}, "title is required"],
      ["/payment-links", { title: "x" }, "amount is required"],
      ["/payment-links", { title: 7, amount: 1 }, "must be text"],
      ["/invoices", { customerId: "x" }, "lines is required"],
      ["/invoices", { customerId: "x", lines: [{ quantity: 1, unitPrice: 1 }] }, "lines.0.description is required"],
    ] as const) {
      const answer = await shop.post<Refusal>(path, body);
      assert.equal(answer.status, 400);
      assert.ok(
        answer.body.issues?.some((issue) => issue.message === message),
        `${message}: ${JSON.stringify(answer.body)}`,
      );
    }
  });

  test("what a body names and is not there has its code and its value", async () => {
    const lines = [{ description: "Wool", quantity: 1, unitPrice: 10 }];
    for (const [path, body, code] of [
      ["/invoices", { customerId: "cus_nope", lines }, "customer_not_found"],
      ["/payment-links", { ...LINK, invoiceId: "inv_nope" }, "invoice_not_found"],
      ["/payment-links", { ...LINK, productId: "prod_nope" }, "product_not_found"],
      ["/checkout-sessions", { planId: "plan_nope" }, "plan_not_found"],
    ] as const) {
      const answer = await shop.post<Refusal>(path, body);
      assert.deepEqual([answer.status, answer.body.error, answer.body.code], [400, "invalid_request", code]);
      assert.match(answer.body.message, /_nope/);
    }
  });

  test("a wrong path says where to go", async () => {
    for (const [method, path, message] of [
      ["POST", "/payment-links/", /Leave out the slash/],
      ["POST", "/refunds", /\/api\/v1\/transactions\/\{reference\}\/refunds/],
      ["POST", "/transactions/TEFO-1/refund", /\/api\/v1\/transactions\/\{reference\}\/refunds/],
    ] as const) {
      const { status, body } = await shop.call<Refusal>(method, path, { body: LINK });
      assert.equal(status, 404);
      assert.match(body.message, message);
    }
    const dashboard = await api.call<Refusal>("GET", "/dashboard/api/invoices", {
      headers: { authorization: `Bearer ${shop.key}` },
    });
    assert.equal(dashboard.status, 401);
    assert.match(dashboard.body.message, /\/api\/v1/);
  });
});

describe("pages", () => {
  test("of a list go forwards and back, by its cursor or by a record", async () => {
    const merchant = await api.addMerchant({ name: "Pages" });
    await merchant.addGateway();
    const made: string[] = [];
    for (let n = 0; n < 5; n++)
      made.unshift((await merchant.post<{ id: string }>("/payment-links", { ...LINK, title: `${n}` })).body.id);
    const list = async (query: string) => {
      const { status, body } = await merchant.get<List>(`/payment-links?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return [body.data.map(({ id }) => made.indexOf(id)), body.hasMore, body.nextCursor] as const;
    };
    assert.deepEqual(await list("limit=2"), [[0, 1], true, made[1]]);
    assert.deepEqual(await list(`limit=2&startingAfter=${made[1]}`), [[2, 3], true, made[3]]);
    assert.deepEqual(await list(`limit=2&startingAfter=${made[3]}`), [[4], false, null]);
    assert.deepEqual(await list(`limit=2&endingBefore=${made[4]}`), [[2, 3], true, made[2]]);
    assert.deepEqual(await list(`limit=2&endingBefore=${made[2]}`), [[0, 1], false, null]);
    for (const query of [`startingAfter=${made[0]}&endingBefore=${made[1]}`, "startingAfter=7", "endingBefore=inv_1"])
      assert.equal((await merchant.get(`/payment-links?${query}`)).status, 400, query);
  });

  test("every list of the client API answers pages and refuses a cursor that is none", async () => {
    for (const endpoint of CLIENT_ENDPOINTS) {
      if (endpoint.method !== "GET" || endpoint.path.includes("{") || !("query" in endpoint)) continue;
      if (endpoint.kind === "download" || !JSON.stringify(Object.keys(endpoint.query ?? {})).length) continue;
      const shape = (endpoint.query as { shape?: Record<string, unknown> } | undefined)?.shape ?? {};
      if (!("startingAfter" in shape)) continue;
      const { status, body } = await shop.get<List>(`${endpoint.path}?limit=1`);
      assert.equal(status, 200, `${endpoint.path}: ${JSON.stringify(body)}`);
      assert.deepEqual([typeof body.hasMore, "nextCursor" in body], ["boolean", true], endpoint.path);
      for (const name of ["startingAfter", "endingBefore"])
        assert.equal((await shop.get(`${endpoint.path}?${name}=!`)).status, 400, `${endpoint.path} ${name}`);
      if (body.data[0] && "endingBefore" in shape)
        assert.equal((await shop.get<List>(`${endpoint.path}?endingBefore=${body.data[0].id ?? ""}`)).status, 200);
    }
  });

  test("records are found by the time of creation and by metadata", async () => {
    const merchant = await api.addMerchant({ name: "Filters" });
    await merchant.addGateway();
    await merchant.post("/payment-links", { ...LINK, metadata: { order: "1042", till: 3 } });
    await merchant.post("/payment-links", { ...LINK, metadata: { order: "1043" } });
    const count = async (query: string) => {
      const { status, body } = await merchant.get<List>(`/payment-links?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.length;
    };
    for (const [query, found] of [
      ["metadata[order]=1042", 1],
      ["metadata[order]=1042&metadata[till]=3", 1],
      ["metadata[order]=1042&metadata[till]=4", 0],
      ["createdFrom=2020-01-01", 2],
      ["createdTo=2020-01-01", 0],
      ["createdFrom=2020-01-01T00:00:00Z&createdTo=2099-01-01", 2],
      ["createdFrom=2099-01-01", 0],
      ["active=true", 2],
    ] as const)
      assert.equal(await count(query), found, query);
    for (const query of ["createdFrom=soon", "metadata[order]=%00", "metadata=1042"])
      assert.equal((await merchant.get(`/payment-links?${query}`)).status, 400, query);
  });
});
