import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, type TestApi } from "../support/api.ts";

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
