import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { type Decimal, decimal } from "./decimal.ts";
import { ApiError } from "./errors.ts";
import { type LineItem, lineAmount, netLine, priceLine, priceLines, totalsOf, vatOn, vatWithin } from "./lines.ts";
import { cents } from "./money.ts";

const line = (quantity: string, unitPrice: string, taxRate = "15"): LineItem => ({
  description: "Work",
  details: null,
  quantity: quantity as Decimal,
  unitPrice: unitPrice as Decimal,
  taxRate: taxRate as Decimal,
  periodStart: null,
  periodEnd: null,
});

for (const [quantity, price, amount] of [
  ["1", "100", 100_00],
  ["3", "33.333333", 100_00],
  ["2.5", "19.99", 49_98],
  ["1", "1.005", 1_01],
  ["0.001", "0.01", 0],
  ["0.5", "0.01", 1],
  ["1000000", "999.999999", 999_999_999_00],
] as const)
  test(`${quantity} of ${price} is ${amount} cents`, () => {
    assert.equal(lineAmount(quantity as Decimal, price as Decimal, 1), amount);
  });

for (const [rate, net, onTop, gross, within] of [
  ["15", 100_00, 15_00, 115_00, 15_00],
  ["15", 10, 2, 10, 1],
  ["15", 3, 0, 4, 1],
  ["0", 100_00, 0, 100_00, 0],
  ["15.5", 200, 31, 231, 31],
  ["100", 1, 1, 1, 1],
] as const)
  test(`VAT at ${rate} %: ${onTop} on ${net}, ${within} within ${gross} cents`, () => {
    assert.equal(vatOn(cents(net), rate as Decimal, 1), onTop);
    assert.equal(vatWithin(cents(gross), rate as Decimal, 1), within);
  });

const places = (most: number, max: number) =>
  fc
    .integer({ min: 0, max: most })
    .chain((digits) => fc.integer({ min: 0, max }).map((whole) => decimal(whole / 10 ** digits, 6) as Decimal));
const items = fc.array(
  fc
    .tuple(places(3, 5_000_000), places(6, 900_000_000), places(2, 100))
    .map(([quantity, price, rate]) => line(quantity === "0" ? "1" : quantity, price, rate))
    .filter((item) => Number(item.quantity) * Number(item.unitPrice) < 30_000_000),
  { minLength: 1, maxLength: 30 },
);

for (const taxInclusive of [false, true])
  test(`subtotal and VAT add up to the total to the cent, in any order of lines, ${taxInclusive ? "with" : "without"} VAT in the prices`, () => {
    fc.assert(
      fc.property(items, fc.infiniteStream(fc.nat()), (given, order) => {
        const priced = given.map((item) => priceLine(item, taxInclusive, 1));
        const totals = totalsOf(priced, taxInclusive);
        assert.equal(totals.subtotal + totals.tax, totals.total);
        const shuffled = priced
          .map((item) => ({ item, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item);
        assert.deepEqual(totalsOf(shuffled, taxInclusive), totals);
        if (taxInclusive)
          assert.equal(
            totals.total,
            priced.reduce((all, { amount }) => all + amount, 0),
          );
      }),
    );
  });

test("the net lines of a tax-inclusive quote keep its total, and each is quantity times unit price", () => {
  fc.assert(
    fc.property(items, (given) => {
      const gross = given.map((item) => priceLine(item, true, 1));
      const net = gross.map((line) => netLine(line));
      assert.equal(totalsOf(net, false).total, totalsOf(gross, true).total);
      for (const { quantity, unitPrice, amount } of net) assert.equal(lineAmount(quantity, unitPrice, 1), amount);
    }),
  );
});

for (const [taxInclusive, given, totals] of [
  [false, [line("1", "0.01", "0")], { subtotal: 1, tax: 0, total: 1 }],
  [false, [line("2", "100"), line("1", "0", "0")], { subtotal: 200_00, tax: 30_00, total: 230_00 }],
  [true, [line("2", "115")], { subtotal: 200_00, tax: 30_00, total: 230_00 }],
  [true, [line("1000000000", "1")], { subtotal: 869_565_217_39, tax: 130_434_782_61, total: 1_000_000_000_00 }],
] as const)
  test(`a document of ${totals.total} cents is priced`, () => {
    const { lines, discount, ...rest } = priceLines(given, taxInclusive, "lines");
    assert.deepEqual(rest, totals);
    assert.equal(discount, null);
    assert.deepEqual(
      lines,
      given.map((item) => priceLine(item, taxInclusive, 1)),
    );
  });

for (const [given, message] of [
  [[line("1", "0")], /greater than 0/],
  [[line("0.001", "0.01")], /greater than 0/],
  [[line("1", "1"), line("1000000000", "1000000000")], /at most 1000000000/],
  [[line("600000000", "1", "0"), line("600000000", "1", "0")], /at most 1000000000/],
  [[line("1000000000", "1", "15")], /at most 1000000000/],
] as const)
  test(`a document of ${given.map(({ quantity, unitPrice }) => `${quantity} × ${unitPrice}`).join(" and ")} is refused`, () => {
    assert.throws(
      () => priceLines(given, false, "lines"),
      (error) => error instanceof ApiError && error.status === 400 && message.test(error.message),
    );
  });
