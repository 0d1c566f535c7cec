import assert from "node:assert/strict";
import { test } from "node:test";
import { linkedFiles, relinked, toMarkdownLinks } from "./links.ts";
import { render } from "./markdown.ts";

const bodyOf = (markdown: string): string => render(markdown).body.toString();

test("HTML is text, comments are left out, and marks become elements", () => {
  const body = bodyOf(
    "# A\n\n<!-- generated -->\n\na <b>b</b> `<c>` *d* **e** [f](/docs)\n\n<script>alert(1)</script>\n",
  );
  assert.match(
    body,
    /<p>a &lt;b&gt;b&lt;\/b&gt; <code>&lt;c&gt;<\/code> <em>d<\/em> <strong>e<\/strong> <a href="\/docs">f<\/a><\/p>/,
  );
  assert.match(body, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  assert.doesNotMatch(body, /generated|<script/);
});

test("headings have GitHub's anchors, twice the same a number, and levels without gaps", () => {
  const { title, heading, headings } = render("# 4. `A` & b\n\n### 4.1 C, d_e\n\n#### F\n\n### 4.1 C, d_e\n\n## G\n");
  assert.equal(title, "4. A & b");
  assert.match(heading.toString(), /^<h1 id="4-a--b">4\. <code>A<\/code> &amp; b<\/h1>/);
  assert.deepEqual(
    headings.map(({ level, anchor }) => [level, anchor]),
    [
      [2, "41-c-d_e"],
      [3, "f"],
      [2, "41-c-d_e-1"],
      [2, "g"],
    ],
  );
});

test("a page is about its first sentence, and its passages are the words below each heading", () => {
  const { about, passages } = render(
    "# A\n\nFirst `one`. Second.\n\n## B\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n- z\n",
  );
  assert.equal(about, "First one.");
  assert.deepEqual(passages, [
    { heading: "A", anchor: null, text: "First one. Second." },
    { heading: "B", anchor: "b", text: "x y 1 2 z" },
  ]);
});

test("a table without heads is a list of facts, and scrolls by keyboard", () => {
  const body = bodyOf("| | |\n| --- | --- |\n| kind | `a \\| b` |\n");
  assert.match(body, /<div class="scroll" tabindex="0" role="group" aria-label="Facts"><table><tbody>/);
  assert.match(body, /<th scope="row">kind<\/th><td><code>a \| b<\/code><\/td>/);
});

test("links to files become links to the site, but not in code", () => {
  const text = "[a](b.md#c) [d](../x/y.md) [e](https://e.example/f.md) [g](#h)\n\n```sh\n[a](b.md)\n```\n[z](none.md)";
  const places: Record<string, string> = { "docs/x/b.md": "/docs/b", "docs/x/y.md": "/docs/y" };
  assert.equal(
    relinked(text, "docs/x/a.md", (file) => places[file] ?? null),
    "[a](/docs/b#c) [d](/docs/y) [e](https://e.example/f.md) [g](#h)\n\n```sh\n[a](b.md)\n```\n[z](none.md)",
  );
  assert.deepEqual(linkedFiles(text, "docs/x/a.md"), ["docs/x/b.md", "docs/x/y.md", "docs/x/none.md"]);
  assert.equal(
    toMarkdownLinks(
      "[a](/docs/b#c) [d](/docs/postman.json)",
      (path) => path === "/docs/b",
      (path) => `${path}.md`,
    ),
    "[a](/docs/b.md#c) [d](/docs/postman.json)",
  );
});
