import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { parseOrigin, parseReturnUrl, parseUrl } from "./urls.ts";

/** Ambiguous URLs (decisions.md#ambiguous-urls). Each is refused, in a live organisation and in a sandbox. */
const TRAPS = [
  "https:x",
  "https:shop.example",
  "https:/shop.example",
  "https:///shop.example",
  "https:\\\\shop.example",
  "https://shop.example\\@evil.example",
  "https://shop.example\\.evil.example/",
  "https://user@shop.example",
  "https://user:password@shop.example",
  "https://@shop.example",
  "https://shop.example@evil.example",
  "https://127。0。0。1",
  "https://shop。example",
  "https://ｓhop.example",
  "https://127.1",
  "https://0177.0.0.1",
  "https://0x7f.0.0.1",
  "https://2130706433",
  "https://0x7f000001",
  "https://%6cocalhost",
  "https://[::ffff:127.0.0.1]",
  "https://*.shop.example",
  "https://shop..example",
  "https://",
  "https://:443",
  "https://shop.example:0",
  "https://shop.example:99999",
  "https://shop.example:44x",
  " https://shop.example",
  "https://shop.example ",
  "https://shop.example/a b",
  "https://shop\t.example",
  "https://shop.example/\n",
  "https://shop.example/\u0000",
  "https://shop.example/\ud800",
  "https://shop.example/\u00a0",
  "HTTPS://shop.example",
  "http://shop.example",
  "http://127.0.0.1.evil.example",
  "http://127.0.0.1@evil.example",
  "http://localhost.evil.example",
  "http://localhost.",
  "http://127.0.0.2",
  "http://[::1]:3000",
  "http://2130706433:3000",
  "http://0.0.0.0",
  "//shop.example",
  "shop.example",
  "javascript:alert(1)//https://",
  "data:text/html,https://shop.example",
  "ftp://shop.example",
  "",
];
for (const text of TRAPS)
  test(`refused: ${JSON.stringify(text)}`, () => {
    for (const sandbox of [false, true]) {
      assert.equal(parseUrl(text, { sandbox }).ok, false);
      assert.equal(parseOrigin(text, { sandbox }).ok, false);
      assert.equal(parseReturnUrl(text, { sandbox }).ok, false);
    }
  });

const ORIGINS: [string, string][] = [
  ["https://shop.example", "https://shop.example"],
  ["https://shop.example/", "https://shop.example"],
  ["https://Shop.Example", "https://shop.example"],
  ["https://shop.example:443", "https://shop.example"],
  ["https://shop.example:8443", "https://shop.example:8443"],
  ["https://xn--mnchen-3ya.example", "https://xn--mnchen-3ya.example"],
  ["https://10.1.2.3", "https://10.1.2.3"],
  ["https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"],
];
for (const [text, origin] of ORIGINS)
  test(`${text} is the origin ${origin}`, () =>
    assert.deepEqual(parseOrigin(text, { sandbox: false }), { ok: true, origin }));

for (const text of ["http://localhost:3000", "http://127.0.0.1:8080", "http://localhost"])
  test(`${text} is an origin in a sandbox only`, () => {
    assert.deepEqual(parseOrigin(text, { sandbox: true }), { ok: true, origin: text });
    assert.equal(parseOrigin(text, { sandbox: false }).ok, false);
  });

for (const text of [
  "https://shop.example/thanks",
  "https://shop.example?",
  "https://shop.example/#a",
  "https://shop.example/?a=1",
])
  test(`${text} is not only an origin, and the message says what to write`, () => {
    const refused = parseOrigin(text, { sandbox: false });
    assert.ok(!refused.ok && refused.message.endsWith("write https://shop.example"));
  });

const RETURN_URLS: [string, string, string][] = [
  ["https://shop.example", "https://shop.example", "https://shop.example"],
  ["https://shop.example/thanks?order=7", "https://shop.example/thanks?order=7", "https://shop.example"],
  ["https://shop.example/thanks#top", "https://shop.example/thanks", "https://shop.example"],
  ["https://shop.example#https://evil.example", "https://shop.example", "https://shop.example"],
  ["https://shop.example/#/a?b#c", "https://shop.example/", "https://shop.example"],
  ["https://SHOP.example:443/Ünïcode", "https://SHOP.example:443/Ünïcode", "https://shop.example"],
  ["https://shop.example/a/../b", "https://shop.example/a/../b", "https://shop.example"],
  ["https://shop.example/@evil.example", "https://shop.example/@evil.example", "https://shop.example"],
];
for (const [text, url, origin] of RETURN_URLS)
  test(`${text} returns to ${url}`, () =>
    assert.deepEqual(parseReturnUrl(text, { sandbox: false }), { ok: true, origin, url }));

test("a return URL may have 1000 characters, not 1001", () => {
  const wide = `https://shop.example/${"💳".repeat(979)}`;
  assert.equal(parseReturnUrl(wide, { sandbox: false }).ok, true);
  assert.equal(parseReturnUrl(`${wide}💳`, { sandbox: false }).ok, false);
});

test("the host of an accepted URL is its text between // and the next / ? # or :", () => {
  const piece = fc.constantFrom(
    "https://",
    "shop.example",
    "@",
    "\\",
    "/",
    "#",
    "?",
    ":",
    "。",
    "evil.example",
    "%2f",
    "127.1",
    "[",
    "]",
    "\t",
    "x",
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }).map((pieces) => `https://${pieces.join("")}`),
      (text) => {
        const parsed = parseReturnUrl(text, { sandbox: false });
        if (!parsed.ok) return;
        const seen = /^https:\/\/(\[[0-9a-f:]+\]|[a-z0-9_.-]+)(?=[/?#:]|$)/.exec(text)?.[1];
        assert.equal(new URL(parsed.url).hostname, seen);
        assert.equal(new URL(parsed.url).hash, "");
        assert.equal(new URL(parsed.url).origin, parsed.origin);
      },
    ),
  );
});
