import assert from "node:assert/strict";
import { test } from "node:test";
import {
  coupon,
  day,
  metered,
  priceOf,
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import { fc } from "../../../../../test/support/property.ts";
import { change } from "./change.ts";
import { billDue } from "./due.ts";

/* Interface 16.1: amounts in a currency without decimals are rounded to its own unit. */

const yen = { currency: "JPY", taxRate: "15" } as const;

test("a plan of 101 JPY at 15 % costs 116", () => {
  const sub = subscribed(termsOf(priceOf("Gold", 101, yen as never)), "2027-01-01");
  const [bill] = billDue(sub, day("2027-02-01")).bills;
  assert.deepEqual([bill?.subtotal, bill?.tax, bill?.total], [101_00, 15_00, 116_00]);
});

test("whatever the price, the coupon, the usage and the change: every amount of a bill and every credit is whole yen", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 1, max: 99 }),
      fc.integer({ min: 1, max: 27 }),
      fc.boolean(),
      fc.boolean(),
      (from, to, percent, after, taxInclusive, other) => {
        const price = (name: string, amount: number, inclusive: boolean) =>
          termsOf(priceOf(name, amount, { ...yen, taxInclusive: inclusive } as never), {
            items: [metered("Calls", 0.3, "7")],
          });
        const sub = subscribed(price("From", from, taxInclusive), "2027-01-01", { coupon: coupon({ percent }, null) });
        const terms = price("To", to, taxInclusive !== other);
        const today = day(`2027-01-${String(after + 1).padStart(2, "0")}`);
        const changed = change(sub, { terms, proration: "now", invoiceNow: true, creditId: "left" }, today);
        const later = billDue(changed.after, day("2027-03-01"));
        const amounts = [
          ...[...changed.bills, ...later.bills].flatMap(({ lines, tax, total }) => [
            tax,
            total,
            ...lines.map((line) => line.amount),
          ]),
          ...[...changed.after.credits, ...later.after.credits].map(({ amount }) => amount),
        ];
        for (const amount of amounts) assert.equal(amount % 100, 0, `${amount}`);
      },
    ),
  );
});
