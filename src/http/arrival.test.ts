import assert from "node:assert/strict";
import { test } from "node:test";
import { whileArriving } from "./arrival.ts";

const TABLE: readonly (readonly [what: string, bytesASecond: number, seconds: number, refused: boolean])[] = [
  ["nothing comes for nine seconds", 0, 9, false],
  ["nothing comes for ten seconds", 0, 10, true],
  ["18 bytes a second", 18, 10, true],
  ["just too slow", 15_900, 10, true],
  ["as slow as may be", 16_000, 178, false],
];
for (const [what, bytesASecond, seconds, refused] of TABLE)
  test(`a body of which ${what} is ${refused ? "refused" : "waited for"}`, async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    let received = 700;
    const outcome = whileArriving(
      new Promise<never>(() => {}),
      () => received,
      () => new Error("slow"),
    ).catch(String);
    for (let second = 0; second < seconds; second++) {
      received += bytesASecond;
      t.mock.timers.tick(1_000);
    }
    assert.equal(
      await Promise.race([outcome, Promise.resolve().then(() => Promise.resolve("waits"))]),
      refused ? "Error: slow" : "waits",
    );
  });

test("what has arrived is answered, and a fault while it arrives is thrown", async () => {
  assert.equal(
    await whileArriving(
      Promise.resolve("read"),
      () => 0,
      () => new Error("slow"),
    ),
    "read",
  );
  await assert.rejects(
    whileArriving(
      Promise.reject(new Error("broken")),
      () => 0,
      () => new Error("slow"),
    ),
    /broken/,
  );
});
