import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addon,
  credit,
  day,
  metered,
  oneTime,
  priceOf,
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { change } from "./change.ts";
import { billDue } from "./due.ts";
import { pendingTerms, withTerms } from "./terms.ts";
import type { Item, Price, Subscription, Terms } from "./types.ts";

const net = priceOf("Basic", 310);
const gross = priceOf("Gross", 310, { taxInclusive: true });
const MIDDLE = day("2027-01-15");
const calls = metered("Calls", 0.5, "10");

// Items that change: what goes on counting, and what is charged with the next bill for what was used so far.
const USAGE: [
  what: string,
  trialDays: number,
  from: Item,
  price: Price,
  to: Item[],
  counting: string,
  carried: number[],
][] = [
  ["an item that stays goes on counting", 0, calls, net, [metered("Calls", 0.5)], "10", []],
  ["what is sent of the usage does not count", 0, calls, net, [metered("Calls", 0.5, "99")], "10", []],
  ["another unit amount", 0, calls, net, [metered("Calls", 0.6)], "0", [5_00]],
  ["removed", 0, calls, net, [], "", [5_00]],
  ["another item", 0, calls, net, [metered("Mails", 0.5)], "0", [5_00]],
  ["the same number with VAT is another unit amount", 0, calls, gross, [metered("Calls", 0.5)], "0", [5_75]],
  ["removed without usage", 0, metered("Calls", 0.5), net, [], "", []],
  ["removed in a trial, which is free", 14, calls, net, [], "", []],
];
for (const [what, trialDays, from, price, to, counting, carried] of USAGE)
  test(`usage: ${what}`, () => {
    const before = { ...subscribed(termsOf(net), "2027-01-01", { trialDays }), terms: termsOf(net, { items: [from] }) };
    const { sub } = withTerms(before, termsOf(price, { items: to }), MIDDLE);
    assert.deepEqual(
      sub.carried.map(({ amount }) => amount),
      carried,
    );
    assert.equal(sub.terms.items.map((item) => (item.kind === "metered" ? item.usage : "")).join(), counting);
  });

test("credits are rewritten only when prices begin or cease to include VAT", () => {
  const sub = { ...subscribed(termsOf(net), "2027-01-01"), credits: [credit("a", 100), credit("b", 0.01)] };
  const { restated, sub: changed } = withTerms(sub, termsOf(gross), MIDDLE);
  assert.deepEqual(restated, [{ creditId: "a", from: 100_00, to: 115_00 }]);
  assert.deepEqual(
    changed.credits.map(({ amount }) => amount),
    [115_00, 1],
  );
  assert.deepEqual(withTerms(sub, termsOf(priceOf("Other", 1)), MIDDLE).restated, []);
  assert.deepEqual(
    withTerms(changed, termsOf(net), MIDDLE).sub.credits.map(({ amount }) => amount),
    [100_00, 1],
  );
});

test("a pending change keeps one-time items that were added after it, once", () => {
  const pending: Terms = termsOf(net, { items: [addon("Seats", 1), oneTime("Visit", 5)] });
  const current = termsOf(net, { items: [addon("Old", 1), oneTime("Visit", 5), oneTime("Late", 7)] });
  assert.deepEqual(
    pendingTerms(pending, current).items.map(({ description }) => description),
    ["Seats", "Visit", "Late"],
  );
});

test("credits and what waits keep their worth over any plans: each is restated from its own terms of VAT, once", () => {
  const zero = priceOf("Zero", 310, { taxRate: "0" as Decimal, taxInclusive: true });
  const used = { ...subscribed(termsOf(net), "2027-01-01"), terms: termsOf(net, { items: [calls] }) };
  const waiting = withTerms(used, termsOf(net), MIDDLE).sub;
  const before = { ...waiting, credits: [credit("a", 100)] };
  const amounts = (sub: Subscription) => [...sub.credits, ...sub.carried].map(({ amount }) => amount);
  const follow = (...prices: Price[]) =>
    prices.reduce((sub, price) => withTerms(sub, termsOf(price), MIDDLE).sub, before as Subscription);
  assert.deepEqual(amounts(follow(zero)), [115_00, 5_75]);
  assert.deepEqual(amounts(follow(zero, net)), [100_00, 5_00]);
  assert.deepEqual(amounts(follow({ ...zero, taxInclusive: false }, gross)), [115_00, 5_75]);
  assert.deepEqual(follow(zero, net), before);
});

test("the rest of a credit that was used at other terms of VAT is restated from its own terms too", () => {
  const zero = priceOf("Zero", 15, { taxRate: "0" as Decimal, taxInclusive: true });
  const before = { ...subscribed(termsOf(net), "2027-01-01"), credits: [credit("a", 100)] };
  const used = billDue(withTerms(before, termsOf(zero), MIDDLE).sub, day("2027-02-01")).after;
  assert.deepEqual(withTerms(used, termsOf(net), MIDDLE).sub.credits, [{ ...credit("a", 100), amount: 86_96 }]);
});

test("unused days become a credit in the terms of VAT in which they were charged", () => {
  const zero = priceOf("Zero", 0, { taxRate: "0" as Decimal, taxInclusive: true });
  const wanted = { terms: termsOf(zero), proration: "now", invoiceNow: true, creditId: "a" } as const;
  const { after } = change(subscribed(termsOf(net), "2027-01-01"), wanted, day("2027-01-01"));
  assert.deepEqual(
    after.credits.map(({ amount }) => amount),
    [356_50],
  );
  assert.deepEqual(
    withTerms(after, termsOf(net), MIDDLE).sub.credits.map(({ amount }) => amount),
    [310_00],
  );
});
