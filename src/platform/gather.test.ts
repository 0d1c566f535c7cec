import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../kernel/errors.ts";
import { gathered } from "./gather.ts";
import { newId } from "./new-id.ts";

const A = newId("org");
const B = newId("org");

test("items of one turn share a call, and items that arrive during it share the next, in order", async () => {
  const runs: string[][] = [];
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ask = gathered<string, string>(async (_organisation, items) => {
    runs.push([...items]);
    begun.resolve();
    await go.promise;
    return items.map((item) => item.toUpperCase());
  }, 3);
  const first = ["a", "b"].map((item) => ask(A, item));
  await begun.promise;
  const later = ["c", "d", "e", "f"].map((item) => ask(A, item));
  go.resolve();
  assert.deepEqual(await Promise.all([...first, ...later]), ["A", "B", "C", "D", "E", "F"]);
  assert.deepEqual(runs, [["a", "b"], ["c", "d", "e"], ["f"]]);
});

test("organisations do not wait for each other", async () => {
  const go = Promise.withResolvers<void>();
  const ask = gathered<Promise<void> | null, string>(async (organisation, [until]) => {
    await until;
    return [organisation];
  }, 10);
  const first = ask(A, go.promise);
  assert.equal(await ask(B, null), B);
  go.resolve();
  assert.equal(await first, A);
});

test("one bad item fails alone", async () => {
  const ask = gathered<string, string>(async (_organisation, items) => {
    if (items.includes("bad")) throw new Error("spoiled");
    return [...items];
  }, 10);
  const answers = await Promise.allSettled(["a", "bad", "c"].map((item) => ask(A, item)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});

test("a 503 is not tried again item by item", async () => {
  let runs = 0;
  const ask = gathered<string, string>(async () => {
    runs++;
    throw new ApiError("service_unavailable", 503, "no database");
  }, 10);
  await Promise.allSettled(["a", "b", "c"].map((item) => ask(A, item)));
  assert.equal(runs, 1);
});

/** The event loop's next turn is over. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("two runs of one key may be under way, and no third", async () => {
  const runs: string[][] = [];
  const go = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ask = gathered<string, string, "all">(
    async (_key, items) => {
      const turn = runs.push([...items]) - 1;
      await go[turn]?.promise;
      return [...items];
    },
    2,
    { underWay: 2 },
  );
  const answers = ["a", "b", "c", "d", "e"].map((item) => ask("all", item));
  await turn();
  assert.deepEqual(runs, [
    ["a", "b"],
    ["c", "d"],
  ]);
  go[1]?.resolve();
  assert.deepEqual([await answers[2], await answers[3]], ["c", "d"]);
  await turn();
  assert.deepEqual(runs[2], ["e"]);
  for (const { resolve } of go) resolve();
  assert.deepEqual(await Promise.all(answers), ["a", "b", "c", "d", "e"]);
});

test("a run that leaves an item without an answer fails", async () => {
  const ask = gathered<string, string>(async () => [], 10);
  await assert.rejects(ask(A, "a"), /answered/);
});
