import assert from "node:assert/strict";
import { test } from "node:test";
import { newEventId, newId } from "./new-id.ts";

test("ids of one process sort in the order in which they were made", () => {
  const made = Array.from({ length: 20_000 }, () => newId("cus"));
  assert.deepEqual(made.toSorted(), made);
  assert.equal(new Set(made).size, made.length);
  assert.match(made[0] ?? "", /^cus_[0-9a-hjkmnp-tv-z]{26}$/);
});

test("an event id is evt_ plus hex", () => assert.match(newEventId(), /^evt_[0-9a-f]{32}$/));
