import assert from "node:assert/strict";
import { test } from "node:test";
import { pageHeaders } from "./headers.ts";

test("the policy of a page allows our own files, and forms that end at an https gateway", () => {
  const headers = pageHeaders({ sandbox: false, capability: true });
  const policy = headers["Content-Security-Policy"] ?? "";
  assert.match(policy, /default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
  assert.match(policy, /form-action 'self' https:;/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(headers["X-Content-Type-Options"], "nosniff");
  assert.equal(headers["Cache-Control"], "no-store");
  assert.equal(headers["Referrer-Policy"], "no-referrer");
});

test("a sandbox organisation's forms may end on this machine, a stand-in's origin can be added", () => {
  const policy = (formOrigins: string[]) =>
    pageHeaders({ sandbox: true, capability: false, formOrigins })["Content-Security-Policy"] ?? "";
  assert.match(policy([]), /form-action 'self' https: http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*;/);
  assert.match(policy(["http://10.0.0.5:9000"]), /form-action [^;]* http:\/\/10\.0\.0\.5:9000;/);
  assert.equal(pageHeaders({ sandbox: true, capability: false })["Referrer-Policy"], "same-origin");
});
