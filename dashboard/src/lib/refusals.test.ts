import assert from "node:assert/strict";
import { test } from "node:test";
import { faultSentence, fieldWords } from "./refusals.ts";

test("a field of a body becomes words", () => {
  const read = {
    email: "Email",
    "bank.accountNumber": "Bank, account number",
    "lines.0.unitPrice": "Line 1, unit price",
    "portal.addOns.2": "Portal, add on 3",
    "0.amount": "Entry 1, amount",
  };
  for (const [path, expected] of Object.entries(read)) assert.equal(fieldWords(path), expected);
});

test("a fault is one sentence, with the field where it needs one", () => {
  assert.equal(faultSentence("Email address", "must be an address"), "Email address must be an address.");
  assert.equal(faultSentence("Code", "Another coupon has this code."), "Another coupon has this code.");
  assert.equal(faultSentence("Bank", "Bank is required"), "Bank is required.");
});
