import assert from "node:assert/strict";
import { test } from "node:test";
import { withSnapshot } from "./rules/tax-invoice.ts";

interface Party {
  readonly name: string | null;
  readonly vatNumber: string | null;
}
const now: Party = { name: "New", vatNumber: "2" };
const CASES: readonly [string, Party | null | undefined, Party][] = [
  ["nothing was kept: as it is now", null, now],
  ["never asked", undefined, now],
  ["all was known: as it was", { name: "Old", vatNumber: "1" }, { name: "Old", vatNumber: "1" }],
  ["something was missing: filled in", { name: "Old", vatNumber: null }, { name: "Old", vatNumber: "2" }],
];
for (const [what, kept, shown] of CASES)
  test(`a document's party: ${what}`, () => assert.deepEqual(withSnapshot(kept, now), shown));
