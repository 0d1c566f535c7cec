import assert from "node:assert/strict";
import { test } from "node:test";
import { accountFault } from "./bank-details.ts";

const CASES: [accountNumber: string, branchCode: string, "accountNumber" | "branchCode" | null][] = [
  ["62123456789", "250655", null],
  ["62 123-456 789", "250 655", null],
  ["1234567890123456", "470010", null],
  ["12345678901234567", "250655", "accountNumber"],
  ["00000000000", "250655", "accountNumber"],
  ["0000-0000", "BARCGB22", "accountNumber"],
  ["62123456789", "000000", "branchCode"],
  ["62123456789", "000", "branchCode"],
  ["6212345678X", "250655", "accountNumber"],
  ["GB82WEST12345698765432", "WESTGB2L", null],
  ["12345678901234567890", "CAIXESBB", null],
];
for (const [accountNumber, branchCode, field] of CASES)
  test(`${accountNumber} at ${branchCode}`, () =>
    assert.equal(accountFault({ accountNumber, branchCode })?.field ?? null, field));
