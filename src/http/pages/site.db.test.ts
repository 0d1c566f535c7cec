import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPages, type PageMerchant, type Posted, type TestPages } from "../../../test/support/pages.ts";
import { changeSettings, readNewLogo } from "../../flows/organisations/settings.ts";
import { openDatabase } from "../../platform/database.ts";
import { createSecrets, generateMasterKey } from "../../platform/secrets.ts";
import { assetUrl } from "../../templates/pages/assets/assets.ts";
import { createServer } from "../server.ts";
import { createFormTokens } from "./form.ts";
import { registerPayPages } from "./pay/routes.ts";

const PNG_HEAD = Buffer.from("89504e470d0a1a0a", "hex");

let pages: TestPages;
let shop: PageMerchant;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
});
after(() => pages.close());

describe("assets", () => {
  test("may be stored for ever, and are compressed for browsers that accept it", async () => {
    const url = assetUrl("page.css");
    const plain = await pages.get(url, { "accept-encoding": "identity" });
    assert.equal(plain.headers.get("content-type"), "text/css; charset=utf-8");
    assert.match(plain.headers.get("cache-control") ?? "", /immutable/);
    assert.equal(plain.headers.get("content-encoding"), null);
    const refused = await pages.get(url, { "accept-encoding": "gzip;q=0, br" });
    assert.equal(refused.headers.get("content-encoding"), null);
    const packed = await pages.get(url, { "accept-encoding": "br, gzip;q=0.5" });
    assert.equal(packed.headers.get("content-encoding"), "gzip");
    assert.equal(packed.text, plain.text, "the client unpacks it");
  });

  test("that are none are 404", async () => {
    for (const name of ["x", "page.css", "..%2fassets.ts", "%00", "accent-zzzzzz.css"])
      assert.equal((await pages.get(`/assets/${name}`)).status, 404, name);
  });
});

test("a first visit to the pay page loads less than 30 kB, compressed, with the largest logo", async () => {
  const merchant = await pages.addMerchant();
  const logo = `data:image/png;base64,${Buffer.concat([PNG_HEAD, Buffer.alloc(20_000 - PNG_HEAD.length)]).toString("base64")}`;
  const patch = { branding: { logo, accentColour: "#b4431f" } };
  const newLogo = await readNewLogo(pages.services.renderer, await merchant.ctx(), patch);
  await pages.services.db.transaction(merchant.organisation.id, async (tx) => {
    await changeSettings(tx, await merchant.ctx(), patch, newLogo);
  });
  const page = await pages.get((await merchant.addLink()).path);
  let bytes = Buffer.byteLength(page.text);
  for (const [, url = ""] of page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
    const response = await fetch(pages.baseUrl + url, { headers: { "accept-encoding": "gzip" } });
    bytes += Number(response.headers.get("content-length"));
  }
  assert.ok(bytes < 30_000, `${bytes} bytes`);
});

describe("hostile forms are answered by a page, never by a fault", () => {
  const long = "x".repeat(90_000);
  const bodies: [string, Posted, string?][] = [
    [
      "a field twice",
      [
        ["gateway", "a"],
        ["gateway", "b"],
        ["email", "a@b.co"],
        ["email", "c"],
        ["outcome", "complete"],
        ["outcome", "x"],
      ],
    ],
    ["NUL", { gateway: "\0", email: "\0", card: "\0", outcome: "\0" }],
    ["broken UTF-8", "email=%ff%fe&gateway=%c3&card=%ed%a0%80&outcome=%ff"],
    ["raw bytes", Buffer.from([0x65, 0x3d, 0xff, 0x00, 0xfe, 0x26])],
    ["half an escape", "email=%&gateway=%2&outcome=%zz"],
    ["names of an object's own", "__proto__=x&constructor=y&toString=z&hasOwnProperty=1&outcome[$ne]=x"],
    ["one enormous field", { email: long, gateway: long, card: long, expiry: long, outcome: long }],
    ["many fields", "a=1&".repeat(20_000)],
    ["nothing", ""],
    ["JSON", '{"gateway":{"$ne":1},"email":["a"],"outcome":null}', "application/json"],
    ["text", "gateway=x", "text/plain"],
    [
      "multipart",
      '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--x--\r\n',
      "multipart/form-data; boundary=x",
    ],
    ["XML", "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>", "application/xml"],
  ];
  for (const [name, body, type = "application/x-www-form-urlencoded"] of bodies)
    test(name, async () => {
      const { path } = await shop.addLink();
      const { gatewayPath } = await shop.start(path);
      for (const target of [path, gatewayPath, `/portal/${shop.organisation.slug}`]) {
        const answer = await pages.post(target, body, { "content-type": type });
        assert.ok(answer.status >= 400 && answer.status < 500, `${target}: ${answer.status}`);
        assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
        assert.match(answer.text, /^<!doctype html>/);
        assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
      }
    });

  test("a form beyond every limit is refused before it is read", async () => {
    const { path } = await shop.addLink();
    const answer = await pages.post(path, `email=${"x".repeat(500_000)}`);
    assert.equal(answer.status, 413);
    assert.equal(answer.heading, "This could not be read");
  });

  test("the payer's input is shown again as text", async () => {
    const { path } = await shop.addLink();
    const email = `"><script>alert(1)</script>`;
    const answer = await pages.post(path, { gateway: shop.gateway.id, email });
    assert.equal(answer.status, 400);
    assert.doesNotMatch(answer.text, /<script>/);
    assert.match(answer.text, /value="&quot;&gt;&lt;script/);
  });
});

describe("unknown addresses", () => {
  for (const path of [
    "/pay",
    "/pay/",
    "/pay/x/y",
    "/pay/x/result",
    "/portal",
    "/portal/",
    "/portal/x/y/z",
    "/sandbox-gateway/pay",
    "/sandbox-gateway/pay/a/b/c",
    // What the database cannot store is in no record.
    ...["package", "product"].map((kind) => `/c/karoo/${kind}/a%00b`),
    "/c/karoo/package/a?session=%00",
    "/pay/a%00b",
    "/pay/a/card/%00",
    "/pay/a/result/%00?amount=%00",
    "/portal/karoo/sign-in/%00",
    "/portal/karoo/statement?from=%00&currency=%00",
    "/card/%00",
    "/eft/%00",
    "/quote/%00",
    "/sign-mandate/%00",
    "/sandbox-gateway/pay/a/%00",
    "/refer/%00",
  ])
    test(path, async () => {
      const answer = await pages.get(path);
      assert.deepEqual([answer.status, answer.heading], [404, "This page does not exist"]);
      assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
    });
});

test("without a database the page says to come back, with 503", async (t) => {
  const db = openDatabase("postgres://nobody@127.0.0.1:1/none", { connections: 1 });
  const app = createServer(pages.services.log, pages.baseUrl);
  t.after(() => Promise.all([app.close(), db.close()]));
  registerPayPages(app, { ...pages.services, db }, { trustedProxies: 0 });
  const answer = await app.inject({ url: (await shop.addLink()).path });
  assert.equal(answer.statusCode, 503);
  assert.equal(answer.headers["retry-after"], "2");
  assert.match(answer.body, /<h1[^>]*>Back in a moment<\/h1>/);
  assert.match(answer.body, /cannot answer right now\. Please load this page again in a minute\./);
  assert.match(answer.body, /For support: <bdi>req_/);
  assert.doesNotMatch(answer.body, /ECONNREFUSED|127\.0\.0\.1/);
});

describe("form tokens", () => {
  const [first, second] = [generateMasterKey(), generateMasterKey()];
  const tokens = createFormTokens(createSecrets({ current: first, previous: [] }));

  test("hold for their page only", () => {
    const token = tokens.issue("/pay/a");
    assert.ok(tokens.holds("/pay/a", token));
    assert.ok(!tokens.holds("/pay/b", token));
    for (const wrong of ["", "x", token.slice(1), `${token}A`, tokens.issue("/pay/b")])
      assert.ok(!tokens.holds("/pay/a", wrong), wrong);
  });

  test("hold after the key was rotated, and not with another key", () => {
    const token = tokens.issue("/pay/a");
    assert.ok(createFormTokens(createSecrets({ current: second, previous: [first] })).holds("/pay/a", token));
    assert.ok(!createFormTokens(createSecrets({ current: second, previous: [] })).holds("/pay/a", token));
  });

  test("hold into the next day, and no longer", (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-20T23:59:00Z") });
    const token = tokens.issue("/pay/a");
    t.mock.timers.setTime(Date.parse("2026-11-21T23:58:00Z"));
    assert.ok(tokens.holds("/pay/a", token));
    t.mock.timers.setTime(Date.parse("2026-11-22T00:00:00Z"));
    assert.ok(!tokens.holds("/pay/a", token));
  });
});
