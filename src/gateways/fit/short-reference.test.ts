import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newCheckoutReference } from "../../kernel/references.ts";
import { instant } from "../../kernel/time.ts";
import { longReference, shortReference } from "./testing.ts";

test("a checkout reference keeps its date and hex, and comes back whole", () => {
  assert.equal(shortReference("TEFO-20261120-9F3C01AB"), "202611209F3C01AB");
  assert.equal(longReference("202611209F3C01AB"), "TEFO-20261120-9F3C01AB");
  const reference = newCheckoutReference(instant("2026-11-20T22:00:00Z"));
  assert.equal(longReference(shortReference(reference)), reference);
});

const HASHED = ["PAY-20200101-9F3C01AB", "TEFOC-0123456789abcdef-1", "TEFO-20261120-9f3c01ab", "DO0123456789-20261120"];
for (const reference of HASHED)
  test(`${reference} is hashed: it does not come back, and is no checkout's`, () => {
    assert.match(shortReference(reference), /^X/);
    assert.equal(longReference(shortReference(reference)), null);
  });

test("any reference gives 16 capital letters and digits, each its own", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ maxLength: 190 }), { minLength: 2 }), (references) => {
      const shorts = references.map(shortReference);
      for (const short of shorts) assert.match(short, /^[0-9A-Z]{16}$/);
      assert.equal(new Set(shorts).size, references.length);
    }),
  );
});
