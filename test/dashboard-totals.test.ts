import assert from "node:assert/strict";
import { test } from "node:test";
import { documentTotals } from "../dashboard/src/lib/document-totals.ts";
import { toDecimal } from "../src/kernel/decimal.ts";
import { amountShown, type Discount, discounted, discountTotal } from "../src/kernel/discounts.ts";
import { priceLines } from "../src/kernel/lines.ts";
import { cents, fromRand } from "../src/kernel/money.ts";
import { fc } from "./support/property.ts";

type Typed = { readonly percent: number } | { readonly amount: number };

const discounts = fc.option(
  fc.oneof(
    fc.integer({ min: 1, max: 9000 }).map((whole): Typed => ({ percent: whole / 100 })),
    fc.integer({ min: 1, max: 50 }).map((whole): Typed => ({ amount: whole })),
  ),
);
const lines = fc.array(
  fc
    .record({
      quantity: fc.integer({ min: 1, max: 50_000 }).map((whole) => whole / 1000),
      unitPrice: fc.integer({ min: 1, max: 99_999_999 }).map((whole) => whole / 10_000),
      taxRate: fc.constantFrom(0, 15, 14.5, 100),
      discount: discounts,
    })
    .filter(({ quantity, unitPrice }) => quantity * unitPrice >= 1000),
  { minLength: 1, maxLength: 12 },
);
const discountOf = (given: Typed | null): Discount | null => {
  if (!given) return null;
  return "percent" in given ? { percent: toDecimal(given.percent) } : { amount: fromRand(given.amount) };
};

test("the dashboard's totals during input are those of the API, to the cent", () => {
  fc.assert(
    fc.property(lines, discounts, fc.boolean(), (typed, whole, inclusive) => {
      const items = typed.map(({ quantity, unitPrice, taxRate, discount }) => ({
        ...{ description: "Work", details: null, periodStart: null, periodEnd: null },
        ...{ quantity: toDecimal(quantity), unitPrice: toDecimal(unitPrice), taxRate: toDecimal(taxRate) },
        ...discounted(discountOf(discount)),
      }));
      const api = priceLines(items, inclusive, "lines", "ZAR", discountOf(whole));
      assert.deepEqual(documentTotals(typed, { inclusive, discount: whole, currency: "ZAR" }), {
        subtotal: api.subtotal,
        discountTotal: discountTotal(api) ?? 0,
        tax: api.tax,
        total: api.total,
        amounts: api.lines.map(amountShown),
      });
    }),
  );
});

test("in a currency without cents totals are whole, and fields that hold no number count as zero", () => {
  const line = { taxRate: 10, discount: null };
  const yen = documentTotals([{ ...line, quantity: 1, unitPrice: 105 }], {
    inclusive: false,
    discount: { percent: 10 },
    currency: "JPY",
  });
  assert.deepEqual([yen.subtotal, yen.tax, yen.total], [94_00, 9_00, 103_00].map(cents));
  for (const unitPrice of ["", "-", -5])
    assert.equal(
      documentTotals([{ ...line, quantity: 1, unitPrice }], { inclusive: false, discount: null, currency: "ZAR" })
        .total,
      0,
    );
});
