import assert from "node:assert/strict";
import { test } from "node:test";
import { isByPerson, PARTNERS, signUpAddress } from "./rules.ts";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
const CASES: readonly [string, Record<string, string>, boolean][] = [
  ["a browser", { "user-agent": CHROME }, true],
  ["a phone by Cubot", { "user-agent": "Mozilla/5.0 (Linux; Android 13; CUBOT_X70) Chrome/140.0 Mobile" }, true],
  ["a program without a name", {}, false],
  ["an empty name", { "user-agent": " " }, false],
  ["Google", { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" }, false],
  ["a preview of a message", { "user-agent": "WhatsApp/2.23.20 A" }, false],
  ["a page that is fetched ahead", { "user-agent": CHROME, "sec-purpose": "prefetch;prerender" }, false],
  ["as older browsers say it", { "user-agent": CHROME, purpose: "prefetch" }, false],
];
for (const [name, headers, expected] of CASES)
  test(`a click by ${name} is ${expected ? "" : "not "}a person's`, () => assert.equal(isByPerson(headers), expected));

test("each partner has its own link, at an address that carries the click", () => {
  assert.equal(new Set(PARTNERS.map(({ linkId }) => linkId)).size, PARTNERS.length);
  for (const partner of PARTNERS) {
    const url = new URL(signUpAddress(partner, "a b"));
    assert.deepEqual([url.protocol, url.searchParams.get("click")], ["https:", "a b"]);
  }
});
