import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayUnclear } from "./http.ts";
import { requirePayerUrl, requireShortLink } from "./payer-url.ts";

const DOMAINS = ["pay.example", "gate.co.za"];
const LOCAL = "http://127.0.0.1:9000";
// The URL, the base URL, and whether a payer is sent there.
const URLS: [string, string | null, boolean][] = [
  ["https://pay.example/x?y=1", null, true],
  ["https://www.gate.co.za/", null, true],
  ["https://pay.example:8443/", null, true],
  ["http://pay.example/x", null, false],
  ["https://evilpay.example/", null, false],
  ["https://pay.example.evil.example/", null, false],
  ["https://pay.example@evil.example/", null, false],
  ["https://user@pay.example/", null, false],
  ["https://example/", null, false],
  ["https://127.0.0.1/", null, false],
  ["http://169.254.169.254/latest", null, false],
  ["javascript:alert(1)", null, false],
  ["data:text/html,x", null, false],
  ["/relative", null, false],
  ["", null, false],
  [`${LOCAL}/pay/1`, LOCAL, true],
  ["http://localhost:9001/pay/1", LOCAL, true],
  ["https://pay.example/x", LOCAL, true],
  ["https://evil.example/", LOCAL, false],
  ["http://10.0.0.1:9000/", LOCAL, false],
  ["http://stand-in.test/x", "http://stand-in.test", true],
  ["http://127.0.0.1/x", "http://stand-in.test", false],
  ["https://stand-in.test/x", "http://stand-in.test", false],
  ["javascript:alert(1)", LOCAL, false],
  ["ftp://localhost/x", LOCAL, false],
];
for (const [url, baseUrl, allowed] of URLS)
  test(`payers are ${allowed ? "" : "not "}sent to ${url} (base URL ${baseUrl})`, () => {
    const led = () => requirePayerUrl({ type: "x", simulated: false, payerDomains: DOMAINS }, { baseUrl }, url);
    if (allowed) assert.equal(led(), url);
    else assert.throws(led, GatewayUnclear);
  });

test("the gateway that this service plays itself is at its own address", () => {
  const own = { type: "sandbox", simulated: true };
  assert.equal(requirePayerUrl(own, { baseUrl: null }, "https://pay.example/x"), "https://pay.example/x");
});

// A short link, and whether it is taken.
for (const [text, taken] of [
  ["https://short.example/abc", true],
  ["http://short.example/abc", false],
  ["https://user@short.example/abc", false],
  ["javascript:alert(1)", false],
  ["//short.example/abc", false],
  ["", false],
] as const)
  test(`the short link ${text || "that is empty"} is ${taken ? "taken" : "refused"}`, () => {
    const adapter = { type: "x", simulated: false, payerDomains: ["x.example"] };
    const link = () => requireShortLink(adapter, { baseUrl: null }, text);
    if (taken) assert.equal(link(), text);
    else assert.throws(link, GatewayUnclear);
  });
