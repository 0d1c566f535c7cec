import assert from "node:assert/strict";
import { test } from "node:test";
import { changedFields, changedSince } from "./rules.ts";

const opened = {
  name: "Tea",
  amount: 10,
  tags: ["a"],
  metadata: { a: 1, b: 2 },
  branding: { address: null, colour: "red" },
  customer: { id: "cus_1", name: "Zoë" },
};

test("a field that is left out before and null afterwards has not changed", () => {
  assert.deepEqual(changedFields({ status: "sent" }, { status: "paid", reason: null }), [
    { field: "status", before: "sent", after: "paid" },
  ]);
  assert.deepEqual(changedFields({ reason: null, amount: 1 }, { amount: 1 }), []);
});

test("what an edit would overwrite is found by the fields that it sends", () => {
  const cases: [change: object, sent: Record<string, unknown>, fields: string[]][] = [
    [{}, { name: "Coffee", amount: 12 }, []],
    [{ name: "Rooibos" }, { name: "Coffee" }, ["name"]],
    [{ name: "Rooibos" }, { amount: 12 }, []],
    [{ name: "Rooibos", amount: 11 }, { amount: 12, name: "Tea" }, ["amount", "name"]],
    [{ tags: ["a", "b"] }, { tags: [] }, ["tags"]],
    [{ metadata: { b: 2, a: 1 } }, { metadata: null }, []],
    [{ branding: { address: "1 Long St", colour: "red" } }, { branding: { address: null } }, ["branding.address"]],
    [{ branding: { address: "1 Long St", colour: "red" } }, { branding: { colour: "blue" } }, []],
    [{ customer: { id: "cus_1", name: "Zoe" } }, { customerId: "cus_1" }, []],
    [{ customer: { id: "cus_2", name: "Ann" } }, { customerId: "cus_1" }, ["customer"]],
    [{ name: "Rooibos" }, { unknown: 1 }, []],
  ];
  for (const [change, sent, fields] of cases) {
    const found = changedSince(opened, { ...opened, ...change }, sent);
    assert.deepEqual(
      found.map(({ field }) => field),
      fields,
      JSON.stringify([change, sent]),
    );
  }
  assert.deepEqual(changedSince(opened, { ...opened, name: "Rooibos" }, { name: "x" }), [
    { field: "name", before: "Tea", after: "Rooibos" },
  ]);
});
