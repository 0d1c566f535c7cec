import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { accentSheet, accentUrl, assetUrl, findAsset } from "./assets.ts";

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
