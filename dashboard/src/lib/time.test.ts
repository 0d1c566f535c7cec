import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDay, formatTime, formatUtc, withDays } from "./time.ts";

test("days and times are South African, whatever the machine's zone", () => {
  assert.equal(formatDay("2026-12-07"), "7 Dec 2026");
  assert.equal(formatTime("2026-11-03T22:05:09Z"), "4 Nov 2026, 00:05");
  assert.equal(withDays("It begins on 2026-12-10, not 2026-12-1."), "It begins on 10 Dec 2026, not 2026-12-1.");
  assert.equal(formatUtc("2026-11-03T22:05:09Z"), "2026-11-03 22:05:09 UTC");
});
