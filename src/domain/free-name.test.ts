import assert from "node:assert/strict";
import { test } from "node:test";
import { withFreeName } from "./free-name.ts";

test("names are drawn until one is free, at most twenty", async () => {
  const taken = (times: number) => async () => (times-- > 0 ? null : { name: "free" });
  for (const times of [0, 1, 19]) assert.deepEqual(await withFreeName(taken(times)), { name: "free" });
  await assert.rejects(withFreeName(taken(20)), /20 names in a row were taken/);
});

test("another refusal is no taken name", async () => {
  await assert.rejects(
    withFreeName(async () => Promise.reject(new Error("no database"))),
    /no database/,
  );
});
