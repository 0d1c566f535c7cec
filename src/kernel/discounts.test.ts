import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import type { Decimal } from "./decimal.ts";
import { amountShown, type Discount, discounted, discountTotal, sharesOf, spreadDiscount } from "./discounts.ts";
import { ApiError } from "./errors.ts";
import { type LineItem, lineAmount, netLine, priceLines, totalsOf, vatOn, vatWithin } from "./lines.ts";
import { type Cents, cents, sum } from "./money.ts";

const percent = (value: string): Discount => ({ percent: value as Decimal });
const off = (value: number): Discount => ({ amount: cents(value) });
const line = (unitPrice: string, discount: Discount | null = null, taxRate = "15", quantity = "1"): LineItem => ({
  description: "Work",
  details: null,
  quantity: quantity as Decimal,
  unitPrice: unitPrice as Decimal,
  taxRate: taxRate as Decimal,
  ...discounted(discount),
  periodStart: null,
  periodEnd: null,
});

for (const [amounts, discount, shares] of [
  [[100_00], 10_00, [10_00]],
  [[100_00, 200_00], 10_00, [3_33, 6_67]],
  [[200_00, 100_00], 10_00, [6_67, 3_33]],
  [[1_00, 1_00, 1_00], 1_00, [33, 33, 34]],
  [[1_00, 1_00, 1_00], 2, [1, 1, 0]],
  [[1_00, 1_00, 1_00, 1_00], 2, [1, 1, 0, 0]],
  [[1_00, 1_00, 0], 33, [17, 16, 0]],
  [[0, 1_00], 1_00, [0, 1_00]],
  [[4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1], 4, [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1]],
  [[0, 0], 0, [0, 0]],
] as const)
  test(`${discount} off ${amounts.join(" and ")} is ${shares.join(" and ")}`, () => {
    assert.deepEqual(spreadDiscount(amounts.map(cents), cents(discount), 1), shares);
  });

test("shares in a currency without cents are whole", () => {
  assert.deepEqual(spreadDiscount([100_00, 200_00].map(cents), cents(100_00), 100), [33_00, 67_00]);
});

test("shares add up, take no line below zero, and differ from the exact part by less than a cent but for the rest", () => {
  const amounts = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(amounts, fc.nat(1000), (given, thousandth) => {
      const total = given.reduce((one, other) => one + other, 0);
      const discount = cents(Math.floor((total * thousandth) / 1000));
      const shares = spreadDiscount(given.map(cents), discount, 1);
      assert.equal(sum(shares), discount);
      for (const [at, share] of shares.entries()) assert.ok(share >= 0 && share <= (given[at] ?? 0), `${at}: ${share}`);
    }),
  );
});

const DOCUMENTS: readonly (readonly [
  what: string,
  items: readonly LineItem[],
  discount: Discount | null,
  taxInclusive: boolean,
  expected: { amounts: readonly number[]; off: number | null; subtotal: number; tax: number; total: number },
])[] = [
  [
    "without a discount",
    [line("100")],
    null,
    false,
    { amounts: [100_00], off: null, subtotal: 100_00, tax: 15_00, total: 115_00 },
  ],
  [
    "with 10 % off a line",
    [line("100", percent("10")), line("50")],
    null,
    false,
    { amounts: [90_00, 50_00], off: 10_00, subtotal: 140_00, tax: 21_00, total: 161_00 },
  ],
  [
    "with an amount off a line",
    [line("100", off(25_50), "15", "2")],
    null,
    false,
    { amounts: [174_50], off: 25_50, subtotal: 174_50, tax: 26_18, total: 200_68 },
  ],
  [
    "with 10 % off the whole, at two rates",
    [line("100"), line("200", null, "0")],
    percent("10"),
    false,
    { amounts: [100_00, 200_00], off: 30_00, subtotal: 270_00, tax: 13_50, total: 283_50 },
  ],
  [
    "with discounts of both kinds",
    [line("412.5", percent("10"), "15", "6"), line("250")],
    off(100_00),
    false,
    { amounts: [2227_50, 250_00], off: 347_50, subtotal: 2377_50, tax: 356_63, total: 2734_13 },
  ],
  [
    "with VAT in its prices",
    [line("115"), line("230")],
    off(34_50),
    true,
    { amounts: [115_00, 230_00], off: 34_50, subtotal: 270_00, tax: 40_50, total: 310_50 },
  ],
  [
    "with a line that is free",
    [line("100", percent("100")), line("50")],
    null,
    false,
    { amounts: [0, 50_00], off: 100_00, subtotal: 50_00, tax: 7_50, total: 57_50 },
  ],
];

for (const [what, items, discount, taxInclusive, { amounts, off: taken, ...totals }] of DOCUMENTS)
  test(`a document ${what}`, () => {
    const { lines, ...priced } = priceLines(items, taxInclusive, "lines", "ZAR", discount);
    assert.deepEqual(lines.map(amountShown), amounts);
    assert.equal(discountTotal({ lines, discount }), taken);
    assert.deepEqual(priced, { ...totals, discount });
  });

for (const [what, items, discount, path, currency = "ZAR"] of [
  ["more than its line", [line("100", off(100_01))], null, "lines.0.discount.amount"],
  ["more than the lines", [line("100", off(50_00))], off(50_01), "discount.amount"],
  ["all there is", [line("100")], percent("100"), "lines"],
  ["all of every line", [line("100", off(100_00))], null, "lines"],
  ["a part of a yen", [line("100", off(50))], null, "lines.0.discount.amount", "JPY"],
] as const)
  test(`a discount of ${what} is refused`, () => {
    assert.throws(
      () => priceLines(items, false, "lines", currency, discount),
      (error) => error instanceof ApiError && error.status === 400 && error.issues?.[0]?.path.join(".") === path,
    );
  });

const decimals = (most: number, places: number) =>
  fc.integer({ min: 1, max: most }).map((whole) => String(whole / 10 ** places) as Decimal);
const discounts = fc.option(
  fc.oneof(
    fc.integer({ min: 1, max: 9000 }).map((whole) => percent(String(whole / 100))),
    fc.integer({ min: 1, max: 50 }).map(off),
  ),
);
const documents = fc.record({
  items: fc.array(
    fc
      .record({
        quantity: decimals(50_000, 3),
        unitPrice: decimals(99_999_999, 4),
        taxRate: fc.constantFrom("0", "15", "14.5", "100"),
        discount: discounts,
      })
      .filter(({ quantity, unitPrice }) => Number(quantity) * Number(unitPrice) >= 10)
      .map(({ quantity, unitPrice, taxRate, discount }) => line(unitPrice, discount, taxRate, quantity)),
    { minLength: 1, maxLength: 12 },
  ),
  discount: discounts,
  taxInclusive: fc.boolean(),
});

test("subtotal is the lines' amounts less the document's discount, VAT is that of what is left, the total is both", () => {
  fc.assert(
    fc.property(documents, ({ items, discount, taxInclusive }) => {
      const { lines, subtotal, tax, total } = priceLines(items, taxInclusive, "lines", "ZAR", discount);
      const shown = sum(lines.map(amountShown));
      const left = shown - sharesOf(lines);
      assert.equal(taxInclusive ? total : subtotal, left);
      assert.equal(subtotal + tax, total);
      const vat = (amount: Cents, rate: Decimal) =>
        taxInclusive ? vatWithin(amount, rate, 1) : vatOn(amount, rate, 1);
      assert.equal(tax, sum(lines.map(({ amount, taxRate }) => vat(amount, taxRate))));
      for (const { amount, taken, quantity, unitPrice } of lines)
        assert.equal(amount + (taken?.own ?? 0) + (taken?.share ?? 0), lineAmount(quantity, unitPrice, 1));
    }),
  );
});

test("priced again, a document stays as it is", () => {
  fc.assert(
    fc.property(documents, ({ items, discount, taxInclusive }) => {
      const once = priceLines(items, taxInclusive, "lines", "ZAR", discount);
      assert.deepEqual(priceLines(once.lines, taxInclusive, "lines", "ZAR", discount), once);
    }),
  );
});

test("the net lines of a tax-inclusive document keep its total, and each is its price less what was taken", () => {
  fc.assert(
    fc.property(documents, ({ items, discount }) => {
      const gross = priceLines(items, true, "lines", "ZAR", discount);
      const net = gross.lines.map((one) => netLine(one));
      assert.deepEqual(totalsOf(net, false), { subtotal: gross.subtotal, tax: gross.tax, total: gross.total });
      for (const { quantity, unitPrice, amount, taken, discount: given } of net) {
        const before = lineAmount(quantity, unitPrice, 1);
        assert.equal(before - (taken?.own ?? 0) - (taken?.share ?? 0), amount);
        assert.ok((taken?.own ?? 0) >= 0 && (taken?.share ?? 0) >= 0);
        if (given && "amount" in given) assert.equal(given.amount, taken?.own);
      }
    }),
  );
});
