import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, refusal, type TestApi } from "../support/api.ts";
import { EMOJI } from "../support/text.ts";

let api: TestApi;
let merchant: ApiMerchant;
before(async () => {
  api = await openApi();
  merchant = await api.addMerchant();
  await merchant.addGateway();
});
after(() => api.close());

const link = (body: unknown, headers: Record<string, string | undefined> = {}) =>
  merchant.post<Refusal & Record<string, unknown>>("/payment-links", body, { headers });

/** A valid body of exactly so many characters. */
function bodyOf(characters: number, unit: string): string {
  const [head, tail] = ['{"title":"a","amount":1,"note":"', '"}'];
  return head + unit.repeat(characters - head.length - tail.length) + tail;
}

/** Endpoints that change a record and need no body. */
const WITHOUT_BODY = [
  ["POST", "/invoices/x/send"],
  ["POST", "/quotes/x/accept"],
  ["POST", "/eft-orders/x/cancel"],
  ["DELETE", "/quotes/x"],
] as const;

describe("413 invalid_request", () => {
  for (const [name, unit] of [
    ["one byte each", "a"],
    ["two bytes", "é"],
    ["three bytes", "€"],
    ["four bytes", EMOJI],
  ] as const) {
    test(`100 000 characters are taken, ${name}`, async () =>
      assert.equal((await link(bodyOf(100_000, unit))).status, 201));
    test(`100 001 are not, ${name}`, async () =>
      assert.deepEqual(refusal(await link(bodyOf(100_001, unit))), [413, "invalid_request"]));
  }

  test("what is larger than any 100 000 characters, by its length and in pieces", async () => {
    assert.deepEqual(refusal(await link("a".repeat(400_001))), [413, "invalid_request"]);
    const chunked = await link("a".repeat(400_001), { "content-length": undefined, "transfer-encoding": "chunked" });
    assert.deepEqual(refusal(chunked), [413, "invalid_request"]);
    assert.ok(chunked.headers["x-ratelimit-limit"]);
  });

  test("whether or not the endpoint has a use for a body", async () => {
    for (const [method, path] of WITHOUT_BODY)
      assert.deepEqual(
        refusal(await merchant.call<Refusal>(method, path, { body: bodyOf(100_001, "a") })),
        [413, "invalid_request"],
        path,
      );
  });

  test("spaces are characters too", async () =>
    assert.deepEqual(refusal(await link(`${" ".repeat(100_000)}{}`)), [413, "invalid_request"]));
});

describe("415 invalid_request", () => {
  const TAKEN = [
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "application/json;charset=UTF-8",
    "application/merge-patch+json",
  ];
  for (const type of TAKEN)
    test(`${type} is taken`, async () =>
      assert.equal((await link({ title: "a", amount: 1 }, { "content-type": type })).status, 201));
  test("none is taken", async () =>
    assert.equal((await link({ title: "a", amount: 1 }, { "content-type": undefined })).status, 201));
  const REFUSED = [
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "application/octet-stream",
    "application",
    ";",
    "application/json/x",
    "a".repeat(1000),
  ];
  for (const type of REFUSED)
    test(`${type.slice(0, 40)} is not`, async () => {
      const answer = await link({ title: "a", amount: 1 }, { "content-type": type });
      assert.deepEqual(refusal(answer), [415, "invalid_request"]);
    });
});

test("what takes no body refuses one that is no JSON, and takes none as an empty one", async () => {
  for (const [method, path] of WITHOUT_BODY) {
    const text = { body: "hello", headers: { "content-type": "text/plain" } };
    assert.deepEqual(refusal(await merchant.call<Refusal>(method, path, text)), [415, "invalid_request"], path);
    const broken = await merchant.call<Refusal>(method, path, { body: "{" });
    assert.deepEqual(refusal(broken), [400, "invalid_request"], path);
    assert.match(broken.body.message, /must be JSON/);
    for (const body of [undefined, "", "{}"])
      assert.deepEqual(refusal(await merchant.call<Refusal>(method, path, { body })), [404, "not_found"], path);
  }
});

describe("400 invalid_request, a body that must be JSON", () => {
  const BROKEN: [string, string | Buffer][] = [
    ["cut off", '{"title":"a"'],
    ["a word", "hello"],
    ["two values", "{}{}"],
    ["a comma too many", '{"title":"a",}'],
    ["single quotes", "{'title':'a'}"],
    ["a comment", "{} // x"],
    ["NaN", '{"amount":NaN}'],
    ["Infinity", '{"amount":Infinity}'],
    ["hex", '{"amount":0x10}'],
    ["a leading zero", '{"amount":01}'],
    ["a bare NUL", '{"title":"a\0b"}'],
    ["a bare line break", '{"title":"a\nb"}'],
    ["spaces alone", "   "],
    ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["UTF-8 of a surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["overlong UTF-8", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ["UTF-16", Buffer.from('{"title":"a"}', "utf16le")],
    ["two marks of order", "\ufeff\ufeff{}"],
    ["closing brackets", "]".repeat(50_000)],
  ];
  for (const [name, body] of BROKEN)
    test(name, async () => {
      const answer = await link(body);
      assert.deepEqual(refusal(answer), [400, "invalid_request"]);
      assert.match(answer.body.message, /must be JSON/);
      assert.ok(answer.headers["x-ratelimit-limit"]);
    });

  for (const [name, deep] of [
    ["arrays", "[".repeat(40_000) + "]".repeat(40_000)],
    ["objects", `${'{"a":'.repeat(15_000)}1${"}".repeat(15_000)}`],
    ["open arrays", "[".repeat(90_000)],
    ["arrays in metadata", `{"title":"a","amount":1,"metadata":${"[".repeat(40_000)}${"]".repeat(40_000)}}`],
  ] as const)
    test(`a depth bomb of ${name}`, async () => assert.deepEqual(refusal(await link(deep)), [400, "invalid_request"]));

  for (const [name, body] of [
    ["none", undefined],
    ["empty", ""],
  ] as const)
    test(`a body that is ${name} lacks the required fields`, async () =>
      assert.deepEqual(refusal(await link(body)), [400, "invalid_request"]));

  for (const body of ["null", "[]", '"a"', "1", "true", "[1e400]", "-0"])
    test(`a body of ${body}`, async () => assert.deepEqual(refusal(await link(body)), [400, "invalid_request"]));
});

describe("201 for what JSON allows", () => {
  const TAKEN: [string, string, Record<string, unknown>][] = [
    ["a mark of order", '\ufeff{"title":"a","amount":1}', { title: "a" }],
    ["the last of two fields with one name", '{"title":"a","amount":1,"title":"b"}', { title: "b" }],
    ["escapes", '{"title":"\\u0061\\ud83c\\udf89","amount":1}', { title: `a${EMOJI}` }],
    [
      "__proto__",
      '{"title":"a","amount":1,"__proto__":{"description":"x","singleUse":false}}',
      { description: null, singleUse: true },
    ],
    ["constructor", '{"title":"a","amount":1,"constructor":{"prototype":{"description":"x"}}}', { description: null }],
    [
      "a huge number beside",
      '{"title":"a","amount":1,"note":1e400,"more":123456789012345678901234567890.123}',
      { title: "a" },
    ],
    ["half an emoji beside", '{"title":"a","amount":1,"note":"\\ud83c"}', { title: "a" }],
    ["spaces around", ' \r\n\t{"title":"a","amount":1}\n ', { title: "a" }],
    ["depth below the bound", `{"title":"a","amount":1,"note":${"[".repeat(30)}${"]".repeat(30)}}`, { title: "a" }],
  ];
  for (const [name, body, shown] of TAKEN)
    test(name, async () => {
      const answer = await link(body);
      assert.equal(answer.status, 201, answer.text);
      for (const [field, value] of Object.entries(shown)) assert.deepEqual(answer.body[field], value, field);
    });

  test("__proto__ of one request is not there in the next", async () => {
    await link('{"__proto__":{"title":"a","amount":1}}');
    assert.equal((await link("{}")).status, 400);
    assert.equal(Object.hasOwn(Object.prototype, "title"), false);
  });
});

describe("lists", () => {
  const PATHS = ["/payment-links", "/invoices", "/credit-notes", "/customers", "/eft-orders", "/quotes"];
  const ids = (body: unknown) => (body as { data: { id: string }[] }).data.map(({ id }) => id);
  before(async () => {
    for (let n = 0; n < 2; n++) await merchant.post("/customers", {});
  });

  for (const path of PATHS)
    test(`${path}: an empty cursor is none, and one that is no id of the list is refused`, async () => {
      const staff = await merchant.signIn("owner");
      const { body } = await staff("GET", path);
      assert.deepEqual((await staff("GET", `${path}?startingAfter=`)).body, body);
      for (const cursor of ["x", "zzz", "key_00000000000000000000000000", "QUO-000001", "%00"]) {
        const answer = await staff<Refusal>("GET", `${path}?startingAfter=${cursor}`);
        assert.deepEqual(refusal(answer), [400, "invalid_request"], cursor);
      }
    });

  test("a cursor with an unknown id is a valid place in the list", async () => {
    const staff = await merchant.signIn("viewer");
    const [first, ...rest] = ids((await staff("GET", "/customers")).body);
    assert.deepEqual(ids((await staff("GET", `/customers?startingAfter=${first}`)).body), rest);
    const other = await api.addMerchant();
    const { body } = await other.post("/customers", {});
    assert.deepEqual(ids((await staff("GET", `/customers?startingAfter=${body["id"]}`)).body), [first, ...rest]);
  });

  test("quotes go page by page for API clients too", async () =>
    assert.deepEqual(refusal(await merchant.get<Refusal>("/quotes?startingAfter=x")), [400, "invalid_request"]));
});

describe("404 not_found", () => {
  const PATHS = [
    "/api/v1",
    "/api/v1/",
    "/api/v1/nothing",
    "/api/v1/me/",
    "/api/v1/me/more",
    "/api/v1//me",
    "//api/v1/me",
    "/API/V1/ME",
    "/api/v2/me",
    "/api/v1/payment-links/",
    "/api/v1/payment-links/a/b",
    "/api/v1/transactions/",
    "/api/v1/../v1/nothing",
    "/api/v1/%6de%00",
    "/api/v1/customers/%",
    "/api/v1/customers/%zz",
    "/api/v1/customers/%ff",
    "/api/v1/customers/%ed%a0%80",
    "/api/v1/me%2f",
    "/api/v1/api-keys",
    `/api/v1/customers/${"a".repeat(1001)}`,
    `/api/v1/customers/${"a".repeat(8000)}`,
    `/api/v1/transactions/${"%F0%9F%8E%89".repeat(500)}`,
    `/api/v1/${"a/".repeat(3000)}`,
  ];
  for (const path of PATHS)
    test(path.slice(0, 60), async () => {
      const answer = await api.call<Refusal>("GET", path, { key: merchant.key });
      assert.deepEqual(refusal(answer), [404, "not_found"]);
      assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
    });

  test("what only staff may do is not there with a key", async () => {
    for (const [method, path] of [
      ["POST", "/payment-links/x/deactivate"],
      ["POST", "/notes"],
      ["POST", "/customers/x/erase"],
    ] as const)
      assert.deepEqual(refusal(await merchant.call<Refusal>(method, path, { body: {} })), [404, "not_found"], path);
  });
});

describe("405 method_not_allowed, with Allow", () => {
  const PATHS: [string, string][] = [
    ["/me", "GET"],
    ["/payment-links", "GET, POST"],
    ["/payment-links/x", "GET"],
    ["/customers", "GET, POST"],
    ["/customers/x", "GET, PATCH"],
    ["/customers/x/portal-link", "POST"],
    ["/customers/x/standing", "GET"],
    ["/transactions/x", "GET"],
  ];
  const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "QUERY"];
  for (const [path, allow] of PATHS)
    for (const method of METHODS.filter((name) => !allow.split(", ").includes(name)))
      test(`${method} ${path}`, async () => {
        const answer = await merchant.call<Refusal>(method, path);
        assert.deepEqual([answer.status, answer.headers["allow"]], [405, allow]);
        if (method !== "HEAD") assert.equal(answer.body.error, "method_not_allowed");
      });
});

test("405, with Allow, at what is open to everyone", async () => {
  for (const [path, allow] of [
    ["/api/v1/openapi.json", "GET, HEAD"],
    ["/docs", "GET, HEAD"],
    ["/health/live", "GET, HEAD"],
    ["/dashboard/api/session", "GET"],
    ["/dashboard/api/invitations/accept", "POST"],
    ["/api/webhooks/sandbox", "POST"],
  ] as const)
    for (const method of ["DELETE", "OPTIONS", "TRACE"]) {
      const answer = await api.call<Refusal>(method, path);
      assert.deepEqual([answer.status, answer.headers["allow"], answer.body.error], [405, allow, "method_not_allowed"]);
    }
});
