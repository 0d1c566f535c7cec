import assert from "node:assert/strict";
import { test } from "node:test";
import { BANK_NAMES, branchOfBank } from "../dashboard/src/lib/banks.ts";
import { bankOfBranch } from "../src/modules/mandates/rules.ts";

test("the dashboard fills in the branch codes by which the service knows the banks", () => {
  for (const name of BANK_NAMES) assert.equal(bankOfBranch(branchOfBank(name) ?? ""), name);
  assert.equal(branchOfBank(" fnb "), "250655");
  assert.equal(branchOfBank("Bank of Nowhere"), null);
});
