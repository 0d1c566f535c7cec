import assert from "node:assert/strict";
import { test } from "node:test";
import { checkoutReferenceOf, shortReference } from "../kernel/references.ts";
import { instant } from "../kernel/time.ts";
import { newCardChargeReference, newCheckoutReference } from "./new-references.ts";

test("a new checkout reference has a short one of 16 letters and digits, and is found by it", () => {
  const reference = newCheckoutReference(instant("2026-11-23T02:00:00Z"));
  const short = shortReference(reference);
  assert.match(short, /^[A-Za-z0-9]{16}$/);
  assert.equal(checkoutReferenceOf(short), reference);
});

test("a new card charge's short reference is its random part", () =>
  assert.match(shortReference(newCardChargeReference(3)), /^[0-9a-f]{16}$/));
