import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../kernel/errors.ts";
import { createFairQueue, type FairQueueLimits } from "./fair-queue.ts";

const limits: FairQueueLimits = {
  what: "files",
  together: 2,
  togetherOfOne: 1,
  waiting: 4,
  waitingOfOne: 3,
  waitMs: null,
};

/** A queue whose work is named, noted when it begins, and ended by its name. */
function observed(changes: Partial<FairQueueLimits> = {}) {
  const queue = createFairQueue({ ...limits, ...changes });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const run = (owner: string, name: string) =>
    queue.run(owner, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      });
    });
  /** Ends work, and lets what follows from it happen. */
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await new Promise(setImmediate);
  };
  return { run, end, begun };
}

const refusedWith = (status: number, code: string) => (error: unknown) => {
  assert(error instanceof ApiError);
  assert.deepEqual([error.status, error.code, error.headers["retry-after"]], [status, code, "5"]);
  return true;
};

describe("a fair queue", () => {
  test("runs one of an owner at a time, and lets owners take turns", async () => {
    const { run, end, begun } = observed({ together: 1 });
    const all = [run("a", "a1"), run("a", "a2"), run("a", "a3"), run("b", "b1"), run("c", "c1")];
    for (const name of ["a1", "a2", "b1", "c1"]) await end(name);
    assert.deepEqual(begun, ["a1", "a2", "b1", "c1", "a3"]);
    await end("a3");
    assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "b1", "c1"]);
  });

  test("leaves room to others while an owner has as many as it may", async () => {
    const { run, end, begun } = observed();
    const all = [run("a", "a1"), run("a", "a2"), run("b", "b1"), run("c", "c1")];
    assert.deepEqual(begun, ["a1", "b1"]);
    await end("b1");
    assert.deepEqual(begun, ["a1", "b1", "c1"]);
    for (const name of ["a1", "a2", "c1"]) await end(name);
    await Promise.all(all);
  });

  test("work that fails ends its turn", async () => {
    const { run, end, begun } = observed({ together: 1 });
    const failing = assert.rejects(run("a", "a1"), /broken/);
    const next = run("b", "b1");
    await end("a1", new Error("broken"));
    await failing;
    await end("b1");
    assert.equal(await next, "b1");
    assert.deepEqual(begun, ["a1", "b1"]);
  });

  test("refuses with 429 what is too much of one owner, with 503 what is too much altogether", async () => {
    const { run, end } = observed({ together: 1 });
    const taken = ["a1", "a2", "a3", "a4"].map((name) => run("a", name));
    await assert.rejects(run("a", "a5"), refusedWith(429, "rate_limited"));
    taken.push(run("b", "b1"));
    await assert.rejects(run("b", "b2"), refusedWith(503, "service_unavailable"));
    for (const name of ["a1", "a2", "b1", "a3", "a4"]) await end(name);
    assert.equal((await Promise.all(taken)).length, 5);
  });

  test("refuses what has waited too long, by who is in its way", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { run, end } = observed({ waitMs: 1000 });
    const taken = [run("a", "a1"), run("b", "b1")];
    const late = assert.rejects(run("a", "a2"), refusedWith(429, "rate_limited"));
    const other = assert.rejects(run("c", "c1"), refusedWith(503, "service_unavailable"));
    t.mock.timers.tick(1000);
    await Promise.all([late, other]);
    const after = run("a", "a3");
    await end("a1");
    await end("b1");
    await end("a3");
    assert.deepEqual(await Promise.all([...taken, after]), ["a1", "b1", "a3"]);
  });
});
