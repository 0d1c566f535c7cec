import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { qrSvg } from "../../src/platform/qr-code.ts";
import { openApi, type Refusal, type TestApi } from "../support/api.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

test("a payment link's QR code, as SVG and as PNG of the size that is asked for", async () => {
  const merchant = await api.addMerchant();
  await merchant.addGateway();
  const { body: link } = await merchant.post("/payment-links", { title: "Tea", amount: 20 });
  const path = `/payment-links/${link["id"]}`;
  const svg = await merchant.get(`${path}/qr.svg`);
  assert.equal(svg.status, 200);
  assert.match(String(svg.headers["content-type"]), /^image\/svg\+xml/);
  assert.equal(svg.text, qrSvg(String(link["shortUrl"])));
  for (const [query, size] of [
    ["", 512],
    ["?size=64", 64],
    ["?size=1024", 1024],
  ] as const) {
    const answer = await fetch(`${api.baseUrl}/api/v1${path}/qr.png${query}`, {
      headers: { authorization: `Bearer ${merchant.key}` },
    });
    assert.equal(answer.headers.get("content-type"), "image/png");
    const { width, height, format } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    assert.deepEqual([width, height, format], [size, size, "png"]);
  }
  for (const size of ["63", "2049", "1.5", "big"]) {
    const refused = await merchant.get<Refusal>(`${path}/qr.png?size=${size}`);
    assert.deepEqual(
      [refused.status, refused.body.error, refused.body.issues?.[0]?.path],
      [400, "invalid_request", ["size"]],
    );
  }
  assert.equal((await merchant.get("/payment-links/pl_00000000000000000000000000/qr.svg")).status, 404);
  const other = await api.addMerchant();
  assert.equal((await other.get(`${path}/qr.svg`)).status, 404, "another organisation's");
  const staff = await merchant.signIn("viewer");
  assert.match((await staff("GET", `${path}/qr.svg`)).text, /^<svg /);
});

test("a payment link's short address leads to its page", async () => {
  const merchant = await api.addMerchant();
  await merchant.addGateway();
  const { body: link } = await merchant.post("/payment-links", { title: "Tea", amount: 20 });
  const { body: read } = await merchant.get(`/payment-links/${link["id"]}`);
  const { shortUrl, url } = read as { shortUrl: string; url: string };
  assert.equal(shortUrl, link["shortUrl"]);
  assert.ok(shortUrl.length <= 40, shortUrl);
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(shortUrl, { method, redirect: "manual" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, new URL(url).pathname], method);
  }
  const page = await fetch(shortUrl);
  assert.deepEqual([page.status, page.url], [200, url]);
  const code = shortUrl.slice(-15);
  for (const other of [code.slice(1), `${code}A`, code.toLowerCase().split("").reverse().join(""), "%00".repeat(15)])
    assert.equal((await fetch(`${api.baseUrl}/p/${other}`, { redirect: "manual" })).status, 404, other);
  assert.equal((await fetch(shortUrl, { method: "POST" })).status, 405);
});
