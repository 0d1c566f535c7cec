import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { accentSheet, accentUrl, assetUrl, findAsset, pageHeaders } from "./assets.ts";

const fileName = (url: string) => url.replace("/assets/", "");

test("a file under its own hash is kept for ever, compressed or not", () => {
  for (const name of ["page.css", "page.js", "icon.svg", "sandbox-gateway.css", "sandbox-gateway.svg"] as const) {
    const asset = findAsset(fileName(assetUrl(name)));
    assert.ok(asset, name);
    assert.match(assetUrl(name), /^\/assets\/[a-z-]+-[0-9a-f]{10}\.[a-z]+$/);
    assert.equal(asset.headers["Cache-Control"], "public, max-age=31536000, immutable");
    assert.equal(asset.headers["X-Content-Type-Options"], "nosniff");
    assert.deepEqual(gunzipSync(asset.gzip), asset.body);
  }
});

test("another version's hash gives the present file, not to be kept", () => {
  const asset = findAsset("page-0123456789.css");
  assert.equal(asset?.headers["Content-Type"], "text/css; charset=utf-8");
  assert.equal(asset?.headers["Cache-Control"], "no-cache");
});

test("what is no asset is not found", () => {
  for (const name of [
    "",
    "page.css",
    "../assets.ts",
    "page-0123456789.ts",
    "constructor-0123456789.js",
    "accent-12345g.css",
  ])
    assert.equal(findAsset(name), null, name);
});

test("a merchant's colour is a sheet of its own", () => {
  assert.equal(accentUrl("#FFCC00"), "/assets/accent-ffcc00.css");
  assert.equal(accentUrl(null), null);
  assert.equal(accentUrl("#fff;}body{"), null);
  const sheet = findAsset("accent-ffcc00.css");
  assert.equal(sheet?.body.toString(), accentSheet("#ffcc00"));
  assert.match(accentSheet("#ffcc00"), /^:root\{--accent:#ffcc00;--on-accent:#000000;/);
});

test("the default colours of page.css are those of its palette", () => {
  const css = findAsset(fileName(assetUrl("page.css")))?.body.toString() ?? "";
  const short = (value: string) => value.replace(/^#(.)\1(.)\2(.)\3$/, "#$1$2$3");
  for (const [, name, value = ""] of accentSheet("#0b5d4b").matchAll(/(--[a-z-]+):(#[0-9a-f]{6})/g))
    assert.ok(css.includes(`${name}: ${short(value)};`), `${name}: ${short(value)}`);
});

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
