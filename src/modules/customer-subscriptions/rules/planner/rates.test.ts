import assert from "node:assert/strict";
import { test } from "node:test";
import {
  created,
  credit,
  day,
  metered,
  oneTime,
  priceOf,
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import { fc } from "../../../../../test/support/property.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { cents, sum } from "../../../../kernel/money.ts";
import type { DatedRates } from "../../../../kernel/vat-rates.ts";
import { change } from "./change.ts";
import { billDue, nextBill } from "./due.ts";
import { regularPrice } from "./prices.ts";
import { promisedCharges } from "./promise.ts";
import { byRate } from "./rates.ts";
import type { Bill, Charge, Price, Subscription } from "./types.ts";

/** 15 % until the end of March 2027, then 16 %. */
const RATES: DatedRates = [
  { from: null, rate: "15" as Decimal },
  { from: day("2027-04-01"), rate: "16" as Decimal },
];
const follows = (name: string, rand: number, given: Partial<Price> = {}) =>
  priceOf(name, rand, { taxRate: "15" as Decimal, datedRates: RATES, ...given });

/** `subtotal + tax = total` and the lines of a bill, in rand. */
const shown = ({ subtotal, tax, total, lines }: Bill) => [
  `${subtotal / 100} + ${tax / 100} = ${total / 100}`,
  ...lines.map(({ description, amount, taxRate }) => `${description}: ${amount / 100} at ${taxRate}`),
];
const billsBy = (sub: Subscription, until: string) => billDue(sub, day(until)).bills.map(shown);

test("a period that is billed in advance has the rate of its first day, also when it spans the day of the change", () => {
  const sub = subscribed(termsOf(follows("Gold", 100)), "2027-02-15");
  assert.deepEqual(billsBy(sub, "2027-04-20"), [
    ["100 + 15 = 115", "Gold: 100 at 15"],
    ["100 + 16 = 116", "Gold: 100 at 16"],
  ]);
  assert.deepEqual(shown(nextBill(sub) as Bill), ["100 + 15 = 115", "Gold: 100 at 15"]);
});

test("a price with VAT inside keeps what the payer pays", () => {
  const sub = subscribed(termsOf(follows("Gold", 115, { taxInclusive: true })), "2027-02-15");
  assert.deepEqual(billsBy(sub, "2027-04-20"), [
    ["100 + 15 = 115", "Gold: 115 at 15"],
    ["99.14 + 15.86 = 115", "Gold: 115 at 16"],
  ]);
});

test("a rate of its own stays, and a subscription without dated rates too", () => {
  for (const price of [
    priceOf("Own", 100, { taxRate: "15" as Decimal }),
    priceOf("Zero", 100, { taxRate: "0" as Decimal }),
  ])
    assert.deepEqual(
      billDue(subscribed(termsOf(price), "2027-02-15"), day("2027-04-20")).bills.map(({ tax }) => tax),
      [cents(price.taxRate === "0" ? 0 : 1500), cents(price.taxRate === "0" ? 0 : 1500)],
    );
});

test("usage is supplied before it is billed: its days have the rate of each day", () => {
  const items = [metered("Calls", 0.31, "100"), oneTime("Visit", 50)];
  const sub = {
    ...subscribed(termsOf(follows("Gold", 100)), "2027-03-15"),
    terms: termsOf(follows("Gold", 100), { items }),
  };
  assert.deepEqual(billsBy(sub, "2027-04-15"), [
    [
      "181 + 28.79 = 209.79",
      "Gold: 100 at 16",
      "Calls (17 of 31 days): 17 at 15",
      "Calls (14 of 31 days): 14 at 16",
      "Visit: 50 at 16",
    ],
  ]);
});

test("missed periods are billed late, each with the rate of its own day", () => {
  const sub = subscribed(termsOf(follows("Gold", 100)), "2027-01-10");
  assert.deepEqual(
    billDue(sub, day("2027-05-20")).bills.map(({ tax }) => tax),
    [1500, 1500, 1600, 1600],
  );
});

test("credits keep their worth with VAT over the day, and are restated once", () => {
  const sub = subscribed(termsOf(follows("Gold", 20)), "2027-02-15", { credits: [credit("c1", 100)] });
  const outcome = billDue(sub, day("2027-04-20"));
  // Of 100 excl. VAT, 20 were used in February and 20 in March; the other 60 at 15 % are worth 69.
  assert.deepEqual(outcome.creditsRestated, [{ creditId: "c1", from: 6000, to: 5948 }]);
  assert.deepEqual(outcome.after.credits, [credit("c1", 39.48)]);
  const gross = subscribed(termsOf(follows("Gold", 20, { taxInclusive: true })), "2027-02-15", {
    credits: [credit("c1", 100)],
  });
  assert.deepEqual(billDue(gross, day("2027-04-20")).creditsRestated, []);
});

test("a change after the day has the rate of the day for what it charges more", () => {
  const sub = subscribed(termsOf(follows("Gold", 310)), "2027-03-15");
  const wanted = { proration: "now", invoiceNow: true, creditId: "c1" } as const;
  const up = change(sub, { ...wanted, terms: termsOf(follows("Oak", 620)) }, day("2027-04-05"));
  // 10 of 31 days: 200 less the 100 that were charged at 15 %: 100 at 16 %.
  assert.equal(up.preview.prorationInvoice?.dueNow, 11600);
  assert.equal(up.preview.current.price.taxRate, "16");
  const down = change(sub, { ...wanted, terms: termsOf(follows("Reed", 155)) }, day("2027-04-05"));
  // 100 less 50 take 50 off the next bill.
  const [next] = billDue(down.after, day("2027-04-15")).bills;
  assert.deepEqual([down.bills, next?.total], [[], cents(17980 - 5800)]);
  const same = change(
    subscribed(termsOf(follows("Gold", 310)), "2027-02-15"),
    { ...wanted, terms: termsOf(follows("Oak", 620)) },
    day("2027-02-20"),
  );
  assert.equal(
    same.preview.prorationInvoice?.dueNow,
    Math.round(Number(same.preview.prorationInvoice?.bill.subtotal) * 1.15),
  );
});

test("a change for the next renewal has the rate of that day, and is shown with it", () => {
  const sub = subscribed(termsOf(follows("Gold", 100)), "2027-03-15");
  const wanted = { proration: "next_renewal", invoiceNow: true, creditId: "c1" } as const;
  const { preview, after } = change(sub, { ...wanted, terms: termsOf(follows("Oak", 200)) }, day("2027-03-20"));
  assert.deepEqual([regularPrice(preview.next).total, preview.nextInvoice?.total], [23200, 23200]);
  assert.deepEqual(billsBy(after, "2027-04-15"), [["200 + 32 = 232", "Oak: 200 at 16"]]);
});

test("what is promised has the rate of each charge's day", () => {
  const monthly = { frequency: "monthly" } as const;
  assert.deepEqual(promisedCharges(subscribed(termsOf(follows("Gold", 100)), "2027-01-15")), [
    { on: "2027-02-15", total: 11500, times: 2, ...monthly },
    { on: "2027-04-15", total: 11600, times: null, ...monthly },
  ]);
  const inclusive = subscribed(termsOf(follows("Gold", 115, { taxInclusive: true })), "2027-01-15");
  assert.deepEqual(promisedCharges(inclusive), [{ on: "2027-02-15", total: 11500, times: null, ...monthly }]);
});

test("a subscription that begins later has the rate of its first day", () => {
  const { after } = created(termsOf(follows("Gold", 100)), "2027-03-20", { startsOn: day("2027-04-02") });
  assert.deepEqual(billsBy(after, "2027-04-02"), [["100 + 16 = 116", "Gold: 100 at 16"]]);
});

test("the parts of a charge add up to it, each with its steps, and their days to its days", () => {
  fc.assert(
    fc.property(
      fc.nat(100_000),
      fc.array(fc.nat(40_000), { maxLength: 3 }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 1, max: 60 }),
      (full, off, before, after) => {
        const less = off.map((amount) => ({ by: "credit", id: "c", description: "c", amount: cents(amount) }) as const);
        const amount = cents(full - off.reduce((all, one) => all + one, 0));
        fc.pre(amount >= 0);
        const april = Date.UTC(2027, 3, 1);
        const at = (days: number) => day(new Date(april + days * 86_400_000).toISOString().slice(0, 10));
        const charge: Charge = {
          start: at(-before),
          next: at(after),
          amount,
          reason: {
            ...{ kind: "usage", id: "i", name: "Calls", quantity: "1" as Decimal, unitAmount: "1" as Decimal },
            ...{ days: null, full: cents(full), less },
          },
        };
        const parts = byRate(charge, follows("Gold", 1), charge.next);
        assert.equal(sum(parts.map((part) => part.charge.amount)), amount);
        assert.deepEqual([parts[0]?.charge.start, parts.at(-1)?.charge.next], [charge.start, charge.next]);
        for (const part of parts) {
          const { reason } = part.charge;
          assert.equal(part.charge.amount, reason.full - reason.less.reduce((all, one) => all + one.amount, 0));
        }
        assert.ok(parts.length === 1 || (before > 0 && parts.map(({ price }) => price.taxRate).join() === "15,16"));
      },
    ),
  );
});
