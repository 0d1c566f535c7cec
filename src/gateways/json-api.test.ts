import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { type GatewayAnswer, type GatewayHttp, type GatewayRequest, GatewayUnclear } from "./http.ts";
import { callJson } from "./json-api.ts";

type Request = Parameters<typeof callJson<{ id: number }>>[1];

const BASE: Request = {
  gateway: "Example",
  method: "POST",
  url: "https://gateway.example/refunds?token=secret",
  answer: z.object({ id: z.number() }),
  reasonIn: (json) => z.object({ message: z.string() }).safeParse(json).data?.message ?? null,
};

/** Calls a gateway that answers this; also what it was sent. */
async function call(given: Partial<GatewayAnswer>, more: Partial<Request> = {}) {
  let sent: GatewayRequest | undefined;
  const http: GatewayHttp = async (request) => {
    sent = request;
    return { status: 200, headers: {}, body: '{"id":1}', ...given };
  };
  const answer = await callJson(http, { ...BASE, ...more });
  assert.ok(sent);
  return { answer, sent };
}

const CONTENTS: [string, Partial<Request>, string | undefined, string | undefined][] = [
  ["nothing", {}, undefined, undefined],
  ["JSON", { content: { json: { a: "é", b: [1] } } }, "application/json", '{"a":"é","b":[1]}'],
  [
    "a form",
    { content: { form: { "a b": "1&2", name: "Zoë+" } } },
    "application/x-www-form-urlencoded",
    "a+b=1%262&name=Zo%C3%AB%2B",
  ],
  ["text as it is", { content: { text: '{"b": 1,  "a":2}\n', type: "text/xml" } }, "text/xml", '{"b": 1,  "a":2}\n'],
];
for (const [what, more, type, body] of CONTENTS)
  test(`sends ${what}`, async () => {
    const { sent } = await call({}, more);
    assert.deepEqual([sent.headers?.["content-type"], sent.body], [type, body]);
  });

test("signs in by Basic or Bearer; headers of its own go along", async () => {
  const basic = await call({}, { credential: { basic: { user: "me", password: "pass:é" } }, headers: { "x-a": "1" } });
  assert.equal(basic.sent.headers?.["authorization"], `Basic ${Buffer.from("me:pass:é").toString("base64")}`);
  assert.equal(basic.sent.headers?.["x-a"], "1");
  const bearer = await call({}, { credential: { bearer: "abc" } });
  assert.equal(bearer.sent.headers?.["authorization"], "Bearer abc");
});

test("is sent again only where the caller says so", async () => {
  assert.deepEqual(Object.hasOwn((await call({})).sent, "repeatable"), false);
  assert.equal((await call({}, { repeatable: true, timeoutMs: 5 })).sent.repeatable, true);
  assert.equal((await call({}, { timeoutMs: 5 })).sent.timeoutMs, 5);
});

const ANSWERS: [string, Partial<GatewayAnswer>, Partial<Request>, object | null][] = [
  ["the declared shape", { body: '{"id": 2}' }, {}, { kind: "answer", value: { id: 2 }, text: '{"id": 2}' }],
  ["201 with it", { status: 201 }, {}, { kind: "answer", value: { id: 1 }, text: '{"id":1}' }],
  ["404", { status: 404, body: "gone" }, {}, { kind: "absent" }],
  [
    "400 with a reason",
    { status: 400, body: '{"message":"No."}' },
    {},
    { kind: "refused", reason: "No.", status: 400, code: null },
  ],
  [
    "400 with a code",
    { status: 400, body: '{"message":"No.","code":"not_now"}' },
    { codeIn: (json) => z.object({ code: z.string() }).safeParse(json).data?.code ?? null },
    { kind: "refused", reason: "No.", status: 400, code: "not_now" },
  ],
  [
    "401 without",
    { status: 401, body: "<html>" },
    {},
    { kind: "refused", reason: "The gateway answered 401.", status: 401, code: null },
  ],
  ["409", { status: 409 }, {}, { kind: "refused", reason: "The gateway answered 409.", status: 409, code: null }],
  ["409 where that is unclear", { status: 409 }, { unclearStatuses: [409] }, null],
  ["404 where that is unclear", { status: 404 }, { unclearStatuses: [404] }, null],
  ["408", { status: 408 }, {}, null],
  ["425", { status: 425 }, {}, null],
  ["429", { status: 429 }, {}, null],
  ["500", { status: 500 }, {}, null],
  ["503 in the declared shape", { status: 503 }, {}, null],
  ["a redirect", { status: 302, headers: { location: "/" } }, {}, null],
  ["another shape", { body: '{"id":"1"}' }, {}, null],
  ["no JSON", { body: "ok" }, {}, null],
  ["nothing", { status: 204, body: "" }, {}, null],
];
for (const [what, given, more, expected] of ANSWERS)
  test(`${what} is ${expected ? "clear" : "unclear"}`, async () => {
    if (expected) assert.deepEqual((await call(given, more)).answer, expected);
    else
      await assert.rejects(
        call(given, more),
        (error) => error instanceof GatewayUnclear && /^Example: HTTP \d{3} [^?]+$/.test(error.message),
      );
  });
