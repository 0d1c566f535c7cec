import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { idFromBytes, idToBytes, newEventId, newId } from "./ids.ts";

test("ids of one process sort in the order in which they were made", () => {
  const made = Array.from({ length: 20_000 }, () => newId("cus"));
  assert.deepEqual(made.toSorted(), made);
  assert.equal(new Set(made).size, made.length);
  assert.match(made[0] ?? "", /^cus_[0-9a-hjkmnp-tv-z]{26}$/);
});

test("an event id is evt_ plus hex", () => assert.match(newEventId(), /^evt_[0-9a-f]{32}$/));

test("an id goes to bytes and back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const id = idFromBytes("plink", Buffer.from(bytes));
      assert.deepEqual(idToBytes(id), Buffer.from(bytes));
    }),
  );
  assert.equal(idToBytes("plink_zzzzzzzzzzzzzzzzzzzzzzzzzz"), null);
  assert.equal(idToBytes("nonsense"), null);
});
