import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf, masked } from "./rules.ts";

const BANK = {
  bankName: "Karoo Bank",
  accountName: "Karoo Wool",
  accountNumber: "62 0012 34567",
  branchCode: "250655",
  accountType: "current",
};
const SHOWN = { bankName: "Karoo Bank", accountName: "Karoo Wool", accountNumber: "••••4567" };

test("a difference names what differs and shows no whole number", () => {
  assert.equal(differenceOf(BANK, { ...BANK }), null);
  assert.equal(differenceOf(null, null), null);
  assert.deepEqual(differenceOf(BANK, { ...BANK, accountNumber: "1-999-4567", branchCode: "1" }), {
    kind: "changed",
    fields: ["accountNumber", "branchCode"],
    before: SHOWN,
    after: { ...SHOWN, accountNumber: "••••4567" },
  });
  const all = Object.keys(BANK);
  assert.deepEqual(differenceOf(null, BANK), { kind: "added", fields: all, before: null, after: SHOWN });
  assert.deepEqual(differenceOf(BANK, null), { kind: "removed", fields: all, before: SHOWN, after: null });
});

test("a masked number shows at most four characters, and at most half of it", () => {
  for (const [number, shown] of [
    ["62001234567", "••••4567"],
    ["12-34 5678", "••••5678"],
    ["123456", "••••456"],
    ["1234", "••••34"],
  ] as const)
    assert.equal(masked(number), shown);
});
