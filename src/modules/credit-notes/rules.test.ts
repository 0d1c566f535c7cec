import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { cents } from "../../kernel/money.ts";
import { leftByRate, type RateLeft, splitCredit, spread, statusFor } from "./rules.ts";

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

const at = (taxRate: string, amount: number, tax: number): RateLeft => ({
  taxRate: taxRate as Decimal,
  amount: cents(amount),
  tax: cents(tax),
});

test("all of what is left has all the VAT that was charged, although each line was rounded", () => {
  // Three lines of 0.09 at 15 %: VAT of 0.01 each.
  const left = leftByRate([at("15", 10, 1), at("15", 10, 1), at("15", 10, 1)], []);
  assert.deepEqual(spread(left, cents(30), 1), [at("15", 30, 3)]);
});

test("notes spread over an invoice's rates add up, and never take back more of a rate, or of its VAT, than was charged", () => {
  const line = fc.record({ rate: fc.constantFrom(0, 15, 16), net: fc.integer({ min: 1, max: 3_000 }) });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.array(fc.integer({ min: 1, max: 4_000 })), (lines, notes) => {
      const charged = lines.map(({ rate, net }) => {
        const tax = Math.round((net * rate) / 100);
        return at(String(rate), net + tax, tax);
      });
      let left = leftByRate(charged, []);
      const total = () => left.reduce((all, { amount }) => all + amount, 0);
      for (const note of [...notes, Number.MAX_SAFE_INTEGER]) {
        const amount = Math.min(note, total());
        const parts = spread(left, cents(amount), 1);
        assert.equal(
          parts.reduce((all, part) => all + part.amount, 0),
          amount,
        );
        for (const part of parts) {
          const known = left.find(({ taxRate }) => taxRate === part.taxRate);
          assert.ok(known && part.amount <= known.amount && part.tax <= known.tax);
        }
        left = leftByRate(left, parts);
      }
      assert.ok(left.every(({ amount, tax }) => amount === 0 && tax === 0));
    }),
  );
});
