import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { cents } from "../../kernel/money.ts";
import { addSeconds, instant } from "../../kernel/time.ts";
import { mismatchOf, nextCheck, refundedAmount, refundFromCredit } from "./rules.ts";

const START = instant("2026-01-01T00:00:00Z");
/** Minutes after the start, while the gateway does not answer clearly. */
const CHECKS = [1, 3, 10, 30, 60, 180, 360, 720, 1440, 2880, 4320, 5760, 7200];
for (const [index, minutes] of CHECKS.entries())
  test(`question ${index + 1} about a pending payment comes ${minutes} minutes after its start`, () => {
    const before = addSeconds(START, (CHECKS[index - 1] ?? 0) * 60);
    assert.deepEqual(nextCheck(START, before), addSeconds(START, minutes * 60));
  });

test("a fact matches only with the same amount and currency", () => {
  const asked = { amount: cents(1000), currency: "ZAR" };
  assert.equal(mismatchOf(asked, { amount: cents(1000), currency: "ZAR" }), null);
  assert.deepEqual(mismatchOf(asked, { amount: cents(999), currency: "ZAR" }), {
    what: "amount",
    expected: "R\u00a010.00",
    received: "R\u00a09.99",
  });
  assert.equal(mismatchOf(asked, { amount: cents(1000), currency: "USD" })?.what, "currency");
});

test("a refund counts from its request on, until it fails", () => {
  const refunds = (["requested", "pending", "processed", "failed"] as const).map((status, index) => ({
    status,
    amount: cents(10 ** index),
  }));
  assert.equal(refundedAmount(refunds as never), 111);
});

test("refunds are taken from the credit first, and never more than it", () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(amounts, fc.double({ min: 0, max: 1, noNaN: true }), (refunds, share) => {
      const total = refunds.reduce((a, b) => a + b, 0);
      const overpaid = cents(Math.floor(total * share));
      let before = 0;
      let fromCredit = 0;
      for (const refund of refunds) {
        fromCredit += refundFromCredit(overpaid, cents(before), cents(refund));
        before += refund;
      }
      assert.equal(fromCredit, overpaid);
    }),
  );
});
