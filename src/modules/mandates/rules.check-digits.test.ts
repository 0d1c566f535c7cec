import assert from "node:assert/strict";
import { test } from "node:test";
import { bankOfBranch, type CheckDigits, checkDigits, checkDigitWarning } from "./rules.ts";

// Branch code, account number, the result of the check. The numbers are invented by the rules.
const TABLE: [string, string, CheckDigits][] = [
  ["470010", "1000000010", "doubtful"],
  ["470010", "1000000001", "doubtful"],
  ["470010", "1000000050", "right"],
  ["470010", "1000000051", "doubtful"],
  ["470010", "100000005", "unknown"],
  ["198765", "1000000001", "right"],
  ["198765", "1000000010", "doubtful"],
  ["198765", "2000000002", "unknown"],
  ["198765", "198765", "unknown"],
  ["051001", "10000000009", "right"],
  // Published as an example of an account that passes the check.
  ["051001", "10004291601", "right"],
  ["051001", "10004291610", "wrong"],
  ["051001", "10000000008", "wrong"],
  ["051001", "100000002", "right"],
  ["051001", "100000003", "doubtful"],
  ["051001", "20000000000", "unknown"],
  ["250655", "62000000000", "unknown"],
  ["632005", "4000000000", "unknown"],
  ["123456", "4000000000", "unknown"],
];
for (const [branch, number, result] of TABLE)
  test(`${number} at ${branch}: ${result}`, () => assert.equal(checkDigits(branch, number), result));

test("a slip in one digit is noticed at Capitec", () => {
  const right = "1234567804";
  assert.equal(checkDigits("470010", right), "right");
  for (let at = 0; at < right.length; at++) {
    const other = String((Number(right[at]) + 1) % 10);
    assert.equal(checkDigits("470010", right.slice(0, at) + other + right.slice(at + 1)), "doubtful", `digit ${at}`);
  }
});

test("a warning is given for what proves nothing, and names the bank", () => {
  assert.equal(checkDigitWarning("right", "470010"), null);
  assert.equal(checkDigitWarning("wrong", "051001"), null);
  assert.match(checkDigitWarning("doubtful", "051001") ?? "", /Standard Bank/);
  assert.match(checkDigitWarning("unknown", "250655") ?? "", /FNB/);
  assert.match(checkDigitWarning("unknown", "123456") ?? "", /branch 123456/);
  assert.equal(bankOfBranch("123456"), null);
});
