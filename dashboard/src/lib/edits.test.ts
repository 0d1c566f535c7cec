import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, openedFor, withChanges } from "./edits.ts";

const record = { name: "Tea", branding: { address: null, colour: "red" }, customer: { id: "cus_1" }, tags: ["a"] };
const changed = (field: string, after: unknown) => ({ field, before: null, after, by: null, at: null });

test("a record gets the fields that were changed in the meantime, within objects too", () => {
  assert.deepEqual(withChanges(record, [changed("name", "Rooibos"), changed("branding.address", "1 Long St")]), {
    ...record,
    name: "Rooibos",
    branding: { address: "1 Long St", colour: "red" },
  });
});

test("values of a form differ by path, lists as a whole", () => {
  const other = { ...record, branding: { address: "x", colour: "red" }, tags: ["a", "b"] };
  assert.deepEqual(differences(record, other), [
    { path: "branding.address", before: null, value: "x" },
    { path: "tags", before: ["a"], value: ["a", "b"] },
  ]);
});

test("the opened record of an edit has the fields that it sends", () => {
  assert.deepEqual(openedFor(record, { name: "x", customerId: "cus_2" }), { name: "Tea", customer: { id: "cus_1" } });
});
