import assert from "node:assert/strict";
import { test } from "node:test";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { isDecided, nextCheck } from "./rules.ts";

test("a refund is decided when it is processed or failed", () => {
  const decided = (["requested", "pending", "processed", "failed"] as const).map((status) => isDecided({ status }));
  assert.deepEqual(decided, [false, false, true, true]);
});

test("the gateway is asked about a refund ever less often, once a day at least", () => {
  const made = new Date("2027-03-01T10:00:00Z") as Instant;
  for (const [age, pause] of [
    [0, 60],
    [60, 120],
    [3_600, 3_660],
    [DAY_SECONDS, DAY_SECONDS],
    [30 * DAY_SECONDS, DAY_SECONDS],
  ] as const) {
    const now = addSeconds(made, age);
    assert.deepEqual(nextCheck(made, now), addSeconds(now, pause), String(age));
  }
});
