import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { cents } from "../../kernel/money.ts";
import {
  type AskedCredit,
  checkCorrection,
  corrected,
  leftByRate,
  type RateLeft,
  splitCredit,
  spread,
  statusFor,
} from "./rules.ts";

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

const asked = (fields: Partial<AskedCredit> = {}): AskedCredit => ({
  customerId: null,
  invoiceId: "inv_1",
  currency: null,
  amount: cents(5_000),
  reason: "damaged",
  lines: null,
  taxRate: null,
  taxExempt: null,
  ...fields,
});
const INVOICE = { customerId: "cus_1", currency: "ZAR", total: cents(11_500), status: "sent" };

const CORRECTIONS: readonly [
  what: string,
  ask: Partial<AskedCredit>,
  invoice: Partial<typeof INVOICE>,
  before: number,
  refusal: RegExp | null,
][] = [
  ["part of it", {}, {}, 0, null],
  ["all of it", { amount: cents(11_500) }, {}, 0, null],
  ["all that earlier notes left", {}, {}, 6_500, null],
  ["a cent more than it came to", { amount: cents(11_501) }, {}, 0, /at most R\s115\.00/],
  ["a cent more than earlier notes left", {}, {}, 6_501, /credited before: the credit must be at most R\s49\.99/],
  ["a draft", {}, { status: "draft" }, 0, /is draft/],
  ["a cancelled one", {}, { status: "cancelled" }, 0, /is cancelled/],
  ["its own customer's", { customerId: "cus_1" }, {}, 0, null],
  ["another customer's", { customerId: "cus_2" }, {}, 0, /another customer's/],
  ["in another currency", { currency: "USD" }, {}, 0, /is in ZAR/],
];
for (const [what, ask, invoice, before, refusal] of CORRECTIONS)
  test(`a credit of an invoice, ${what}: ${refusal ? "refused" : "taken"}`, () => {
    const check = () => checkCorrection(asked(ask), { ...INVOICE, ...invoice }, cents(before));
    if (refusal) assert.throws(check, refusal);
    else check();
  });

test("a correction has the invoice's rates, and no more of a rate than is left of it", () => {
  const left = [at("15", 11_500, 1_500), at("0", 2_000, 0)];
  const credit = (fields: Partial<AskedCredit>) => corrected(asked(fields), left, "15" as Decimal, "ZAR");
  assert.equal(credit({ amount: cents(11_500), taxRate: 15 }).tax, 1_500);
  assert.throws(() => credit({ amount: cents(11_501), taxRate: 15 }), /at most R\s115\.00/);
  assert.throws(() => credit({ taxRate: 14 }), /charged nothing at 14/);
  const line = { description: null, amount: cents(1_500), taxRate: 0, taxExempt: null };
  assert.throws(() => credit({ lines: [line, line] }), /at most R\s5\.00/);
});
