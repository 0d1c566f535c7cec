import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createLog } from "../../platform/log.ts";
import { createServer } from "../server.ts";
import { registerDashboardApp } from "./app.ts";

function serve(t: TestContext, built: boolean) {
  const folder = mkdtempSync(join(tmpdir(), "tefo-dashboard-"));
  t.after(() => rmSync(folder, { recursive: true }));
  if (built) {
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), '<!doctype html><meta content="__NONCE__"><title>Tefo</title>');
    for (const [name, text] of Object.entries({ "": "plain", ".br": "brotli", ".gz": "gzip" }))
      writeFileSync(join(folder, "assets", `main-1a2b.js${name}`), text);
  }
  const app = createServer(createLog("silent"), "http://localhost:8080");
  registerDashboardApp(app, folder);
  t.after(() => app.close());
  return (url: string, headers: Record<string, string> = {}) => app.inject({ method: "GET", url, headers });
}

test("every address below /dashboard answers the same page, which is never stored and runs no script but its files", async (t) => {
  const get = serve(t, true);
  for (const path of ["/dashboard", "/dashboard/", "/dashboard/invoices/inv_1", "/dashboard/a/b?c=d"]) {
    const answer = await get(path);
    assert.equal(answer.statusCode, 200, path);
    assert.equal(answer.headers["cache-control"], "no-store");
    const policy = String(answer.headers["content-security-policy"]);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    assert.ok(answer.body.includes(`content="${nonce}"`));
    assert.match(policy, /script-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    // Only attributes, for mails that are shown (decisions.md#frames-and-nonces).
    assert.doesNotMatch(policy.replace("style-src-attr 'unsafe-inline'", ""), /unsafe|https?:/);
  }
  const [one, other] = [await get("/dashboard"), await get("/dashboard")];
  assert.notEqual(one.headers["content-security-policy"], other.headers["content-security-policy"]);
});

test("files with a hash in their name may be stored for ever, compressed as the browser accepts", async (t) => {
  const get = serve(t, true);
  const takes: readonly (readonly [string, string, string | undefined])[] = [
    ["gzip, deflate, br", "brotli", "br"],
    ["gzip", "gzip", "gzip"],
    ["br;q=0, gzip", "gzip", "gzip"],
    ["identity", "plain", undefined],
  ];
  for (const [accepted, body, coding] of takes) {
    const answer = await get("/dashboard/assets/main-1a2b.js", { "accept-encoding": accepted });
    assert.deepEqual([answer.statusCode, answer.body, answer.headers["content-encoding"]], [200, body, coding]);
    assert.equal(answer.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(answer.headers["content-type"], "text/javascript; charset=utf-8");
  }
});

test("other addresses do not answer the page: unknown files, the API's unknown paths, the root", async (t) => {
  const get = serve(t, true);
  for (const path of [
    "/dashboard/assets/gone.js",
    "/dashboard/assets/..%2findex.html",
    "/dashboard/api",
    "/dashboard/api/no-such",
  ]) {
    const answer = await get(path);
    assert.equal(answer.statusCode, 404, path);
    assert.equal(answer.json().error, "not_found", path);
  }
  const root = await get("/");
  assert.deepEqual([root.statusCode, root.headers["location"]], [302, "/dashboard"]);
});

test("without built files the page says how to build them", async (t) => {
  const get = serve(t, false);
  const answer = await get("/dashboard");
  assert.equal(answer.statusCode, 503);
  assert.match(answer.body, /npm run build/);
});
