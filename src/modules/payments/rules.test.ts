import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cents } from "../../kernel/money.ts";
import { instant } from "../../kernel/time.ts";
import { mismatchOf, nextCheck, refundFromCredit } from "./rules.ts";

const START = instant("2026-01-01T00:00:00Z");
const CHECKS: [string, string][] = [
  ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00.000Z"],
  ["2026-01-01T00:01:00Z", "2026-01-01T00:03:00.000Z"],
  ["2026-01-01T12:00:00Z", "2026-01-02T00:00:00.000Z"],
  ["2026-01-04T00:00:00Z", "2026-01-05T00:00:00.000Z"],
];
for (const [now, next] of CHECKS)
  test(`pending at ${now} is asked about at ${next}`, () =>
    assert.equal(nextCheck(START, instant(now)).toISOString(), next));

test("news fits only with the very amount and currency", () => {
  const asked = { amount: cents(1000), currency: "ZAR" };
  assert.equal(mismatchOf(asked, { amount: cents(1000), currency: "ZAR" }), null);
  assert.equal(mismatchOf(asked, { amount: cents(999), currency: "ZAR" })?.what, "amount");
  assert.equal(mismatchOf(asked, { amount: cents(1000), currency: "USD" })?.what, "currency");
});

test("refunds take the whole credit and never more", () => {
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
