import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { type Html, html } from "./html.ts";

test("a text value is escaped, between tags and inside an attribute", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const written = html`<p title="${text}">${text}</p>`.toString();
      const inside = /^<p title="([^"<>&']|&[a-z#\d]+;)*">([^"<>&']|&[a-z#\d]+;)*<\/p>$/u;
      assert.match(written, inside);
      const back = written
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&");
      assert.equal(back, `<p title="${text}">${text}</p>`);
    }),
  );
});

const holes: [name: string, written: Html, expected: string][] = [
  ["HTML is taken as it is", html`<p>${html`<b>${"a&b"}</b>`}</p>`, "<p><b>a&amp;b</b></p>"],
  ["numbers are written", html`${0} ${-1.5}`, "0 -1.5"],
  ["null and false write nothing", html`[${null}${false}]`, "[]"],
  ["arrays are written one after the other, at any depth", html`${["<", [html`<i>`, null], 2]}`, "&lt;<i>2"],
  ["an exclamation mark is one", html`Hello!${"<b>"}`, "Hello!&lt;b&gt;"],
  ["text that looks like HTML of ours is text", html`${`${html`<b>bold</b>`}`}`, "&lt;b&gt;bold&lt;/b&gt;"],
];
for (const [name, written, expected] of holes) test(name, () => assert.equal(written.toString(), expected));

test("only the tag makes Html", () => {
  const page = (content: Html): string => content.toString();
  assert.equal(page(html`<p>`), "<p>");
  // @ts-expect-error -- a string is not Html
  page("<p>");
  // @ts-expect-error -- an object of the same shape is not Html
  page({ toString: () => "<p>" });
  // @ts-expect-error -- nothing but a template of ours
  html(["<p>"]);
  // @ts-expect-error -- an object is neither text nor Html
  const hole = () => html`${{ toString: () => "<script>" }}`;
  assert.throws(hole);
});
