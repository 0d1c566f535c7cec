import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { idFromBytes, idToBytes } from "./ids.ts";

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
