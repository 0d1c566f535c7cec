import assert from "node:assert/strict";
import { test } from "node:test";
import { checkoutReferenceOf, shortReference } from "./references.ts";

test("a checkout reference has a short one of 16 letters and digits, and is found by it", () => {
  assert.equal(shortReference("TEFO-20310131-9F3C01AB"), "203101319F3C01AB");
  assert.equal(checkoutReferenceOf("203101319F3C01AB"), "TEFO-20310131-9F3C01AB");
});

test("a card charge's short reference is its random part", () =>
  assert.equal(shortReference("TEFOC-0123456789abcdef-12"), "0123456789abcdef"));

for (const other of ["", "EFT-ABCDEFGH", "TEFO-20310131-9f3c01ab", "TEFO-20310131-9F3C01AB-x", "DO0123456789"])
  test(`${JSON.stringify(other)} has no short reference`, () => assert.throws(() => shortReference(other)));

for (const other of ["", "0123456789abcdef", "20310131-9F3C01AB", "203101319F3C01AB0"])
  test(`${JSON.stringify(other)} is no checkout's`, () => assert.equal(checkoutReferenceOf(other), null));
