import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTurns } from "./deliver-webhook.ts";

test("calls with one key run one after the other and get the answer before; other keys run at once", async () => {
  const inTurn = createTurns<string>();
  const log: string[] = [];
  const go = (name: string, ms: number) => async (before: string | null) => {
    log.push(`${name} after ${before}`);
    await sleep(ms);
    return name;
  };
  await Promise.all([inTurn("k", go("one", 20)), inTurn("k", go("two", 1)), inTurn("other", go("three", 1))]);
  assert.deepEqual(log, ["one after null", "three after null", "two after one"]);
  await inTurn("k", go("four", 1));
  assert.equal(log.at(-1), "four after null", "nothing is kept once the last turn is over");
});

test("after a call that fails the next one runs", async () => {
  const inTurn = createTurns<string>();
  const failing = inTurn("k", async () => {
    throw new Error("no");
  });
  const next = inTurn("k", async (before) => String(before));
  await assert.rejects(failing);
  assert.equal(await next, "null");
});
