import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { cents } from "../../kernel/money.ts";
import { splitCredit, statusFor } from "./rules.ts";

for (const [amount, remaining, status] of [
  [100, 100, "issued"],
  [100, 99, "partially_applied"],
  [100, 1, "partially_applied"],
  [100, 0, "applied"],
  [1, 0, "applied"],
] as const)
  test(`of ${amount} with ${remaining} left: ${status}`, () => {
    assert.equal(statusFor({ amount: cents(amount), remaining: cents(remaining) }), status);
  });

test("a credit is applied to invoices until nothing remains, and no cent is lost or added", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.array(fc.nat(5_000)), (credit, dues) => {
      let remaining = cents(credit);
      let given = 0;
      for (const due of dues) {
        const { applied, remaining: left } = splitCredit(remaining, cents(due));
        assert.ok(applied >= 0 && applied <= due && left >= 0);
        given += applied;
        remaining = left;
      }
      const asked = dues.reduce((sum, due) => sum + due, 0);
      assert.deepEqual([given + remaining, given], [credit, Math.min(credit, asked)]);
    }),
  );
});
