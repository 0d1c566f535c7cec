import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { ROOT } from "../../../test/support/source.ts";
import { ERROR_STATUSES, type ErrorCode, NAMED_RECORDS } from "../../kernel/errors.ts";
import type { JsonSchema } from "../openapi/json-schema.ts";
import { ERROR_WORDS } from "./error-words.ts";
import { markdownPath } from "./layout.ts";
import { type DocsSite, openSite } from "./site.ts";

const BASE = "https://pay.example";
const ASSETS = { style: "/docs/assets/docs.css", script: "/docs/assets/docs.js" };
/** Paths that the service answers beside pages and their Markdown. */
const OTHERS = [
  "/api/v1/openapi.json",
  "/docs/postman.json",
  "/docs/reference",
  "/llms.txt",
  ASSETS.style,
  ASSETS.script,
];
const description = JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8")) as JsonSchema;

let site: DocsSite;
before(async () => {
  site = await openSite(() => description, BASE);
});

const targetsOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, target = ""]) => target);
const idsOf = (page: string): Set<string> => new Set(targetsOf(page, /\sid="([^"]*)"/g));

describe("links", () => {
  test("of pages lead to pages, and to headings that they have", () => {
    const pages = new Map(site.paths.map((path) => [path, site.page(path, ASSETS)]));
    const ids = new Map([...pages].map(([path, page]) => [path, idsOf(page)]));
    const known = new Set([...OTHERS, ...site.paths.map(markdownPath), ...site.files.map(({ path }) => path)]);
    const dead = [...pages].flatMap(([from, page]) =>
      targetsOf(page, /\shref="([^"]*)"/g)
        .filter((target) => {
          if (/^(https?:|data:|mailto:)/.test(target)) return false;
          const [path = "", anchor] = target.split("#");
          const place = path === "" ? from : path;
          if (known.has(place)) return false;
          return !pages.has(place) || (anchor !== undefined && anchor !== "content" && !ids.get(place)?.has(anchor));
        })
        .map((target) => `${from}: ${target}`),
    );
    assert.deepEqual([...new Set(dead)], []);
  });

  test("of Markdown lead to Markdown and to files that are served", () => {
    const known = new Set([...OTHERS, ...site.paths.map(markdownPath), ...site.files.map(({ path }) => path)]);
    const dead = site.paths.flatMap((path) =>
      targetsOf(site.markdown(path).replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, ""), /\]\(([^)\s]+)\)/g)
        .filter((target) => !/^(https?:|mailto:|#)/.test(target))
        .filter((target) => !known.has(target.split("#")[0] ?? ""))
        .map((target) => `${path}: ${target}`),
    );
    assert.deepEqual(dead, []);
  });

  test("to files lead to files that there are", async () => {
    assert.ok(site.files.length > 0);
    for (const file of site.files) assert.ok((await file.read()).length > 0, file.path);
  });
});

test("each page has a title, a sentence about it and one heading of the first level", () => {
  for (const path of site.paths) {
    const page = site.page(path, ASSETS);
    assert.match(page, /<title>[^<]{3,}<\/title>/, path);
    assert.match(page, /<meta name="description" content="[^"]{20,}">/, path);
    assert.equal(targetsOf(page, /(<h1)/g).length, 1, path);
  }
});

test("no page is heavier than 150 kB with its style sheet and script, as it is sent", async () => {
  const { gzipSync } = await import("node:zlib");
  const assets = ["docs.css", "docs.js"].map((name) => readFileSync(join(import.meta.dirname, "assets", name)));
  const shared = assets.reduce((sum, body) => sum + gzipSync(body).length, 0);
  for (const path of site.paths) {
    const bytes = gzipSync(site.page(path, ASSETS)).length + shared;
    assert.ok(bytes < 150_000, `${path}: ${bytes}`);
  }
  const size = gzipSync(JSON.stringify(await site.search())).length;
  assert.ok(size < 150_000, `the search index: ${size}`);
});

test("HTML in Markdown is shown as text, and no page has an inline script or style", () => {
  for (const path of site.paths) {
    const page = site.page(path, ASSETS);
    assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)|<style|\sstyle="|\son\w+="/, path);
  }
});

test("llms.txt has each page once, with a sentence", () => {
  const lines = site
    .llms()
    .split("\n")
    .filter((line) => line.startsWith("- "));
  const listed = lines.map((line) => /^- \[.+\]\(https:\/\/pay\.example(\S+)\): .{15,}$/.exec(line)?.[1] ?? line);
  assert.deepEqual(
    listed.toSorted(),
    site.paths
      .filter((path) => path !== "/docs")
      .map(markdownPath)
      .toSorted(),
  );
});

describe("errors", () => {
  test("each has a page with cause, change and example, and an anchor on the page of all", () => {
    const anchors = idsOf(site.page("/docs/errors", ASSETS));
    for (const code of Object.keys(ERROR_STATUSES) as ErrorCode[]) {
      assert.ok(anchors.has(code), code);
      const text = site.markdown(`/docs/errors/${code}`);
      assert.match(text, /## What to change\n\n\S/);
      const example = JSON.parse(/```json\n([\s\S]+?)\n```/.exec(text)?.[1] ?? "");
      assert.deepEqual([example.error, example.docUrl], [code, `${BASE}/docs/errors/${code}`]);
      assert.equal(example.message, ERROR_WORDS[code].message);
    }
  });

  test("each code of a record that is missing has a page", () => {
    for (const what of NAMED_RECORDS)
      assert.ok(site.paths.includes(`/docs/errors/${what.replaceAll(" ", "_")}_not_found`), what);
  });
});

test("each event has a page with when it is sent and an example", () => {
  const names = Object.keys(description["webhooks"] as object);
  assert.ok(names.length > 60);
  for (const name of names) {
    const text = site.markdown(`/docs/events/${name}`);
    assert.match(text, /^Sent when/m, name);
    const body = JSON.parse(/```json\n([\s\S]+?)\n```/.exec(text)?.[1] ?? "");
    assert.equal(body.type, name);
    assert.ok(Object.keys(body.data).length > 0, name);
  }
});
