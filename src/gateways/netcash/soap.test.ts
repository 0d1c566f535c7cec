import assert from "node:assert/strict";
import { test } from "node:test";
import { soap } from "../../../test/support/gateways/netcash.ts";
import { envelope, readResult, textOf, textsIn } from "./soap.ts";

const whole = async (method: string, args: Parameters<typeof envelope>[1]) =>
  (await Array.fromAsync(envelope(method, args))).join("");

test("an envelope has its arguments in order, escaped, without what XML cannot hold", async () => {
  const name = 'Thandeka & Søn <"q\'wabe"> 😀\u0000\u000b\uffff\ud800x';
  assert.equal(
    await whole("AddMandate", [
      ["ServiceKey", "k"],
      ["MandateName", name],
    ]),
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><AddMandate xmlns="http://tempuri.org/"><ServiceKey>k</ServiceKey><MandateName>Thandeka &amp; Søn &lt;"q\'wabe"&gt; 😀x</MandateName></AddMandate></soap:Body></soap:Envelope>',
  );
});

test("an argument that comes in pieces is written as they come", async () => {
  async function* pieces() {
    yield "a&";
    yield "\tb\nc";
  }
  assert.match(await whole("BatchFileUpload", [["File", pieces()]]), /<File>a&amp;\tb\nc<\/File>/);
});

// What is read of an answer: the result's text, or null.
const ANSWERS: [string, string, string | null][] = [
  ["the prefix s", soap("M", "000"), "000"],
  ["the prefix soap", soap("M", "000", "soap"), "000"],
  ["an empty result", soap("M", ""), ""],
  ["lines that end with a character reference", soap("M", "a\tb&#xD;c"), "a\tb\rc"],
  ["escaped signs", soap("M", "&lt;a&gt; &amp; b"), "<a> & b"],
  ["CDATA", soap("M", "<![CDATA[a & b]]>"), "a & b"],
  ["another method", soap("N", "000"), null],
  ["a fault", "<s:Envelope xmlns:s='x'><s:Body><s:Fault/></s:Body></s:Envelope>", null],
  ["one byte too few", soap("M", "000").slice(0, -1), null],
  ["text after the end", `${soap("M", "000")}x`, null],
  ["a page", "<html><body>Service unavailable<br></body></html>", null],
  ["nothing", "", null],
  ["JSON", '{"result": "000"}', null],
  ["an entity of its own", `<!DOCTYPE x [<!ENTITY e "000">]>${soap("M", "&e;")}`, null],
  ["an entity of a file", `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${soap("M", "&e;")}`, null],
  ["a document type alone", `<!DOCTYPE x>${soap("M", "000")}`, null],
  ["an entity that nobody declared", soap("M", "&nbsp;"), null],
  ["elements within elements", "<a>".repeat(100) + "</a>".repeat(100), null],
];
for (const [what, xml, expected] of ANSWERS)
  test(`an answer with ${what}`, () => assert.equal(readResult(xml, "M")?.text ?? null, expected));

test("entities that multiply are refused at once", () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "${"x".repeat(100)}">${Array.from({ length: 20 }, (_, n) => `<!ENTITY a${n} "${"&a;".repeat(100)}">`).join("")}]>${soap("M", "&a19;")}`;
  assert.equal(readResult(bomb, "M"), null);
});

test("a result with elements is read by their local names", () => {
  const result = readResult(
    soap("M", "<a:ErrorCode xmlns:a='x'>203</a:ErrorCode><b:Errors xmlns:b='y'><c>One</c><c> Two </c></b:Errors>"),
    "M",
  );
  assert.ok(result);
  assert.equal(textOf(result, "ErrorCode"), "203");
  assert.equal(textOf(result, "MandateUrl"), "");
  assert.deepEqual(textsIn(result.children[1]), ["One", "Two"]);
});
