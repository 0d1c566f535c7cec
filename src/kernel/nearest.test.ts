import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

const KNOWN = ["limit", "startingAfter", "endingBefore", "customerId", "externalReference", "status", "createdFrom"];

test("a misspelt name stands for the known one that is near, and a foreign name for none", () => {
  for (const [name, meant] of [
    ["customer_id", "customerId"],
    ["external_reference", "externalReference"],
    ["StartingAfter", "startingAfter"],
    ["startingAftre", "startingAfter"],
    ["custmerId", "customerId"],
    ["customer", "customerId"],
    ["limits", "limit"],
    ["created", "createdFrom"],
    ["colour", null],
    ["x", null],
    ["__", null],
  ] as const)
    assert.equal(nearest(name, KNOWN), meant, name);
  assert.equal(nearest("customerID", ["from", "to"]), null);
});
