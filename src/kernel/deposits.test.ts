import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import type { Decimal } from "./decimal.ts";
import { type Deposit, depositLeft, depositTerms } from "./deposits.ts";
import { ApiError } from "./errors.ts";
import { cents } from "./money.ts";

const percent = (value: string): Deposit => ({ percent: value as Decimal });
const amount = (value: number): Deposit => ({ amount: cents(value) });

test("a deposit comes to its part of the total, or to its amount", () => {
  for (const [deposit, total, currency, expected] of [
    [null, 1000_00, "ZAR", 0],
    [percent("50"), 1000_00, "ZAR", 500_00],
    [percent("33.3333"), 100_01, "ZAR", 33_34],
    [percent("100"), 100_01, "ZAR", 100_01],
    [percent("12.5"), 1_00, "ZAR", 13],
    [percent("50"), 101_00, "JPY", 51_00],
    [amount(250_00), 1000_00, "ZAR", 250_00],
    [amount(1000_00), 1000_00, "ZAR", 1000_00],
  ] as const)
    assert.deepEqual(depositTerms(deposit, cents(total), currency), { deposit, depositAmount: expected });
});

test("a deposit above the total, or in decimals that the currency has not, or of nothing, is refused at its field", () => {
  for (const [deposit, total, currency, path] of [
    [amount(1000_01), 1000_00, "ZAR", "amount"],
    [amount(10_50), 1000_00, "JPY", "amount"],
    [percent("0.001"), 1_00, "ZAR", "percent"],
  ] as const)
    assert.throws(
      () => depositTerms(deposit, cents(total), currency),
      (error) => error instanceof ApiError && error.issues?.[0]?.path.join(".") === `deposit.${path}`,
    );
});

test("what is left of a deposit falls to nothing as it is paid, and never exceeds what is due", () => {
  for (const [deposit, paid, total, left] of [
    [0, 0, 100, 0],
    [50, 0, 100, 50],
    [50, 20, 100, 30],
    [50, 50, 100, 0],
    [50, 90, 100, 0],
    [50, 0, 30, 30],
    [50, 100, 100, 0],
  ] as const)
    assert.equal(depositLeft(cents(deposit), { paid: cents(paid), total: cents(total) }), left);
  const whole = fc.nat(1_000_000);
  fc.assert(
    fc.property(whole, whole, whole, (deposit, total, first) => {
      const paid = Math.min(first, total);
      const left = depositLeft(cents(deposit), { paid: cents(paid), total: cents(total) });
      assert.ok(left >= 0 && left <= total - paid);
      assert.equal(depositLeft(cents(deposit), { paid: cents(paid + left), total: cents(total) }), 0);
    }),
  );
});
