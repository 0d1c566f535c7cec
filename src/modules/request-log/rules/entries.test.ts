import assert from "node:assert/strict";
import { test } from "node:test";
import { addressKept, Waiting } from "./entries.ts";

test("of an address the path and the names of parameters are kept, and nothing that they hold", () => {
  const secret = `tefo_0123abcd_${"x".repeat(43)}`;
  for (const [url, path, parameters] of [
    ["/api/v1/customers", "/api/v1/customers", ""],
    ["/api/v1/customers?limit=5&q=thandi%40x.example", "/api/v1/customers", "limit&q"],
    [`/api/v1/me?${secret}&api_key=${secret}&=x&&a?b=c`, "/api/v1/me", "api_key&a"],
    [`/${"a".repeat(400)}?x`, `/${"a".repeat(299)}`, "x"],
    [`/?${Array.from({ length: 30 }, (_, n) => `p${n}=1`).join("&")}`, "/", /^p0&.*&p19$/],
  ] as const) {
    const kept = addressKept(url);
    assert.equal(kept.path, path);
    if (typeof parameters === "string") assert.equal(kept.parameters, parameters);
    else assert.match(kept.parameters, parameters);
  }
});

test("what waits is bounded for one organisation and for all, and what is left out is counted", () => {
  const waiting = new Waiting<string, number>({ ofOne: 2, ofAll: 3 });
  for (const [key, item] of [
    ["a", 1],
    ["a", 2],
    ["a", 3],
    ["b", 4],
    ["b", 5],
    ["c", 6],
  ] as const)
    waiting.add(key, item);
  const taken = waiting.take();
  assert.deepEqual(
    [[...taken.items], taken.left],
    [
      [
        ["a", [1, 2]],
        ["b", [4]],
      ],
      3,
    ],
  );
  waiting.add("c", 7);
  assert.deepEqual([[...waiting.take().items], waiting.take().left], [[["c", [7]]], 0]);
});
