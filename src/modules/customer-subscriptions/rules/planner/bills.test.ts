import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addon,
  coupon,
  created,
  credit,
  day,
  metered,
  oneTime,
  priceOf,
  shownBill,
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { lineAmount } from "../../../../kernel/lines.ts";
import { cents, formatMoney } from "../../../../kernel/money.ts";
import { invoiceLines, isInvoiced } from "./bills.ts";
import { billDue, nextBill } from "./due.ts";
import { regularPrice, restate } from "./prices.ts";
import type { Bill, Discount, Subscription } from "./types.ts";

const discount = (percent: number): Discount => ({
  id: `off_${percent}`,
  description: `${percent} off`,
  percent: String(percent) as Decimal,
});

const terms = termsOf(priceOf("Basic", 100), {
  items: [addon("Seats", 30), metered("Calls", 0.005, "4000"), oneTime("Visit", 50)],
});
const untaxed = termsOf(priceOf("Basic", 100, { taxRate: "0" as Decimal }));
const gross = termsOf(priceOf("Gross", 115, { taxInclusive: true }), { items: [addon("Seats", 9.99)] });
const sub = { ...subscribed(untaxed, "2027-01-01"), terms };

/** A subscription that renews on 1 February, with what reduces that bill, and the lines and the total of it. */
const REDUCED: [what: string, Subscription, lines: string][] = [
  ["nothing off", sub, "Basic 100; Seats 30; Calls 20; Visit 50; total 230"],
  [
    "a coupon of percent, off every line",
    { ...sub, coupon: coupon({ percent: 10 }) },
    "Basic 90; Seats 27; Calls 18; Visit 45; total 207",
  ],
  [
    "a coupon of an amount, off the lines in their order",
    { ...sub, coupon: coupon({ rand: 120 }) },
    "Basic 0; Seats 10; Calls 20; Visit 50; total 92",
  ],
  [
    "a coupon that is larger than the bill",
    { ...sub, coupon: coupon({ rand: 900 }) },
    "Basic 0; Seats 0; Calls 0; Visit 0; total 0",
  ],
  [
    "a coupon that is used up",
    { ...sub, coupon: { ...coupon({ percent: 10 }), used: 1 } },
    "Basic 100; Seats 30; Calls 20; Visit 50; total 230",
  ],
  [
    "a coupon for other plans",
    { ...sub, coupon: { ...coupon({ percent: 10 }), planIds: ["plan_x"] } },
    "Basic 100; Seats 30; Calls 20; Visit 50; total 230",
  ],
  [
    "two discounts, each of what is left",
    { ...sub, discounts: [discount(50), discount(10)] },
    "Basic 45; Seats 13.5; Calls 9; Visit 22.5; total 103.51",
  ],
  [
    "a coupon of an amount after a discount, and a credit after both",
    { ...sub, coupon: coupon({ rand: 60 }), discounts: [discount(50)], credits: [credit("a", 8)] },
    "Basic 0; Seats 0; Calls 7; Visit 25; total 36.8",
  ],
  [
    "credits off the lines in their order, before VAT",
    { ...sub, credits: [credit("a", 90), credit("b", 25)] },
    "Basic 0; Seats 15; Calls 20; Visit 50; total 97.75",
  ],
  [
    "a half is rounded away from zero, once for each line and reduction",
    { ...sub, terms: termsOf(priceOf("Odd", 1.01)), coupon: coupon({ percent: 50 }) },
    "Odd 0.5; total 0.58",
  ],
  [
    "prices with VAT: credits are gross",
    { ...sub, terms: gross, credits: [credit("a", 15)] },
    "Gross 100; Seats 9.99; total 109.99",
  ],
];
for (const [what, given, lines] of REDUCED)
  test(`a bill with ${what}`, () => {
    const bill = nextBill(given);
    assert.equal(bill && shownBill(bill), `cycle 2027-02-01 to 2027-02-28; ${lines}`);
  });

const bill = (given: Subscription): Bill => nextBill(given) as Bill;

test("what credits were used is said by the bill and by its lines", () => {
  const { creditsUsed, lines } = bill({ ...sub, credits: [credit("a", 90), credit("b", 25)] });
  assert.deepEqual(creditsUsed, [
    { creditId: "a", amount: 90_00 },
    { creditId: "b", amount: 25_00 },
  ]);
  assert.deepEqual(
    lines.slice(0, 2).map(({ reason }) => reason.less),
    [
      [
        { by: "credit", id: "a", description: "a", amount: 90_00 },
        { by: "credit", id: "b", description: "b", amount: 10_00 },
      ],
      [{ by: "credit", id: "b", description: "b", amount: 15_00 }],
    ],
  );
});

test("a negative one-time item is a credit that is younger than those that are there", () => {
  const items = [oneTime("Sorry", -50)];
  const given = { ...sub, terms: termsOf(priceOf("Basic", 100), { items }), credits: [credit("a", 80)] };
  const { bills, creditsMade, after } = billDue(given, day("2027-02-01"));
  assert.deepEqual(bills[0]?.creditsUsed, [
    { creditId: "a", amount: 80_00 },
    { creditId: "item_Sorry", amount: 20_00 },
  ]);
  assert.deepEqual(creditsMade, [{ id: "item_Sorry", description: "Sorry", amount: 50_00 }]);
  assert.deepEqual(after.credits, [{ id: "item_Sorry", description: "Sorry", amount: 30_00 }]);
  assert.deepEqual(after.terms.items, []);
});

test("a whole line is shown by quantity and price, a reduced one by its amount", () => {
  const { lines } = bill({ ...sub, credits: [credit("a", 10)] });
  assert.deepEqual(
    lines.map(({ quantity, unitPrice, taxRate }) => `${quantity} × ${unitPrice} at ${taxRate}`),
    ["1 × 90 at 15", "1 × 30 at 15", "4000 × 0.005 at 15", "1 × 50 at 15"],
  );
  for (const { quantity, unitPrice, amount } of lines) assert.equal(lineAmount(quantity, unitPrice, 1), amount);
});

test("an invoice shows net lines that add up to the gross that the payer saw", () => {
  const priced = bill({ ...sub, terms: gross });
  assert.deepEqual([priced.subtotal, priced.tax, priced.total], [108_69, 16_30, 124_99]);
  const lines = invoiceLines(priced);
  assert.deepEqual(
    lines.map(({ amount, tax }) => amount + tax),
    [115_00, 9_99],
  );
  assert.deepEqual(
    lines.map(({ reason }) => reason.full),
    [115_00, 9_99],
  );
  for (const { details, amount } of lines)
    assert.ok(details?.endsWith(`with VAT is ${formatMoney(amount, "ZAR")} without it.`), String(details));
  const net = bill(sub);
  assert.deepEqual(invoiceLines(net), net.lines);
});

test("a bill of nothing is not invoiced", () => {
  assert.equal(isInvoiced(bill({ ...sub, credits: [credit("a", 1000)] })), false);
  assert.equal(isInvoiced(bill(sub)), true);
  const [free] = created(termsOf(priceOf("Free", 0)), "2027-01-01").bills;
  assert.equal(free && isInvoiced(free), false);
});

test("what terms cost for a full period is without coupon, usage and one-time items", () => {
  assert.deepEqual(regularPrice({ ...terms, quantity: 3 }), {
    amount: 330_00,
    subtotal: 330_00,
    tax: 49_50,
    total: 379_50,
  });
  assert.deepEqual(regularPrice(gross), { amount: 124_99, subtotal: 108_69, tax: 16_30, total: 124_99 });
});

const NET = { taxRate: "15" as Decimal, taxInclusive: false };
const GROSS = { taxRate: "15" as Decimal, taxInclusive: true };
for (const [amount, from, to, expected] of [
  [100_00, NET, GROSS, 115_00],
  [115_00, GROSS, NET, 100_00],
  [100_00, NET, NET, 100_00],
  [1, NET, GROSS, 1],
  [9_99, GROSS, NET, 8_69],
] as const)
  test(`${amount} ${from === NET ? "without" : "with"} VAT is ${expected} ${to === NET ? "without" : "with"} it`, () =>
    assert.equal(restate(cents(amount), from, to), expected));

test("lines of what is exempt are marked, in the bill and the invoice, and so is the price in force; others have no such field", () => {
  for (const taxInclusive of [false, true]) {
    const price = priceOf("Rent", 100, { taxRate: "0" as Decimal, taxExempt: true, taxInclusive });
    const { bills, after } = created(termsOf(price, { items: [addon("Room", 30)] }), "2027-01-01");
    const [bill] = bills;
    assert.ok(bill);
    for (const lines of [bill.lines, invoiceLines(bill)])
      assert.deepEqual(
        lines.map(({ taxExempt }) => taxExempt),
        [true, true],
      );
    assert.equal(after.period?.paid?.taxExempt, true);
  }
  const [other] = created(untaxed, "2027-01-01").bills;
  assert.equal(JSON.stringify(other).includes("taxExempt"), false);
});

test("an amount means the same in prices that are exempt, with VAT or without", () => {
  const exempt = { taxRate: "0" as Decimal, taxExempt: true, taxInclusive: false } as const;
  assert.equal(restate(cents(100), exempt, { ...exempt, taxInclusive: true }), 100);
  assert.equal(restate(cents(115), { taxRate: "15" as Decimal, taxInclusive: true }, exempt), 100);
});
