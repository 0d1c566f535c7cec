import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addon,
  coupon,
  credit,
  day,
  metered,
  oneTime,
  priceOf,
  shownBill,
  shownSpan,
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { cents, fromRand } from "../../../../kernel/money.ts";
import { change } from "./change.ts";
import { billDue, billPaid, end, nextBill } from "./due.ts";
import { comparisonBill } from "./external.ts";
import { withTerms } from "./terms.ts";
import type { Subscription } from "./types.ts";

const basic = termsOf(priceOf("Basic", 310));
const pro = termsOf(priceOf("Pro", 620));
const untaxed = { taxRate: "0" as Decimal };
const withCalls = (usage: string) => termsOf(priceOf("Basic", 310), { items: [metered("Calls", 0.5, usage)] });

interface Row {
  readonly what: string;
  /** Was created, and billed, on the first of January 2027 or a day of its own. */
  readonly sub: Subscription;
  readonly today: string;
  readonly bills: readonly string[];
  /** Null when it has ended. */
  readonly due: string | null;
}

const ROWS: Row[] = [
  {
    what: "nothing is due before the day",
    sub: subscribed(basic, "2027-01-01"),
    today: "2027-01-31",
    bills: [],
    due: "2027-02-01",
  },
  {
    what: "a renewal on the day",
    sub: subscribed(basic, "2027-01-01"),
    today: "2027-02-01",
    bills: ["cycle 2027-02-01 to 2027-02-28; Basic 310; total 356.5"],
    due: "2027-03-01",
  },
  {
    what: "missed periods, oldest first, each with its own dates",
    sub: subscribed(basic, "2027-01-31"),
    today: "2027-04-30",
    bills: [
      "cycle 2027-02-28 to 2027-03-30; Basic 310; total 356.5",
      "cycle 2027-03-31 to 2027-04-29; Basic 310; total 356.5",
      "cycle 2027-04-30 to 2027-05-30; Basic 310; total 356.5",
    ],
    due: "2027-05-31",
  },
  {
    what: "the end of a trial: the first charge, with the set-up fee and without the usage of the trial",
    sub: subscribed(
      termsOf(priceOf("Basic", 310, { setupFee: cents(100_00), ...untaxed }), { items: [metered("Calls", 0.5, "40")] }),
      "2027-01-18",
      { trialDays: 14 },
    ),
    today: "2027-02-01",
    bills: ["first 2027-02-01 to 2027-02-28; Basic 310; Basic: set-up fee 100; total 410"],
    due: "2027-03-01",
  },
  {
    what: "the end of a trial before the anchor day: the first charge is the bridge to it",
    sub: subscribed(basic, "2027-01-18", { trialDays: 14, billingAnchorDay: 15 }),
    today: "2027-02-01",
    bills: ["first 2027-02-01 to 2027-02-14; Basic (14 of 31 days) 140; total 161"],
    due: "2027-02-15",
  },
  {
    what: "a scheduled start, its trial and its first renewal, all missed",
    sub: subscribed(basic, "2026-12-01", { startsOn: day("2027-01-25"), trialDays: 7 }),
    today: "2027-03-01",
    bills: [
      "first 2027-02-01 to 2027-02-28; Basic 310; total 356.5",
      "cycle 2027-03-01 to 2027-03-31; Basic 310; total 356.5",
    ],
    due: "2027-04-01",
  },
  {
    what: "after a period that was paid elsewhere: a cycle, without set-up fee",
    sub: subscribed(termsOf(priceOf("Basic", 310, { setupFee: cents(100_00) })), "2027-01-18", {
      paidThrough: day("2027-02-28"),
    }),
    today: "2027-02-28",
    bills: ["cycle 2027-02-28 to 2027-03-27; Basic 310; total 356.5"],
    due: "2027-03-28",
  },
  {
    what: "paid elsewhere until a day that is not the anchor day: the bridge to it",
    sub: subscribed(basic, "2027-01-18", { paidThrough: day("2027-02-19"), billingAnchorDay: 1 }),
    today: "2027-02-19",
    bills: ["cycle 2027-02-19 to 2027-02-28; Basic (10 of 28 days) 110.71; total 127.32"],
    due: "2027-03-01",
  },
  {
    what: "usage, which is of the period before, and then counted anew",
    sub: { ...subscribed(basic, "2027-01-01"), terms: withCalls("41") },
    today: "2027-03-01",
    bills: [
      "cycle 2027-02-01 to 2027-02-28; Basic 310; Calls 20.5; total 380.08",
      "cycle 2027-03-01 to 2027-03-31; Basic 310; total 356.5",
    ],
    due: "2027-04-01",
  },
  {
    what: "one-time items once, negative ones as a credit",
    sub: {
      ...subscribed(basic, "2027-01-01"),
      terms: termsOf(priceOf("Basic", 310, untaxed), { items: [oneTime("Visit", 90), oneTime("Sorry", -500)] }),
    },
    today: "2027-03-01",
    bills: [
      "cycle 2027-02-01 to 2027-02-28; Basic 0; Visit 0; total 0",
      "cycle 2027-03-01 to 2027-03-31; Basic 210; total 210",
    ],
    due: "2027-04-01",
  },
  {
    what: "credits, oldest first; a renewal that they cover is a cycle all the same",
    sub: { ...subscribed(basic, "2027-01-01"), credits: [credit("a", 300), credit("b", 30)] },
    today: "2027-03-01",
    bills: [
      "cycle 2027-02-01 to 2027-02-28; Basic 0; total 0",
      "cycle 2027-03-01 to 2027-03-31; Basic 290; total 333.5",
    ],
    due: "2027-04-01",
  },
  {
    what: "a coupon for two cycles",
    sub: subscribed(basic, "2027-01-01", { coupon: coupon({ rand: 110 }, 2) }),
    today: "2027-03-01",
    bills: [
      "cycle 2027-02-01 to 2027-02-28; Basic 200; total 230",
      "cycle 2027-03-01 to 2027-03-31; Basic 310; total 356.5",
    ],
    due: "2027-04-01",
  },
  {
    what: "a pending change begins with the renewal, and usage before it has its old price",
    sub: {
      ...subscribed(basic, "2027-01-01"),
      terms: withCalls("41"),
      pendingChange: { ...pro, quantity: 2, items: [metered("Calls", 2), addon("Seats", 10)] },
    },
    today: "2027-02-01",
    bills: ["cycle 2027-02-01 to 2027-02-28; Pro 1240; Seats 10; Calls 20.5; total 1461.08"],
    due: "2027-03-01",
  },
  {
    what: "a pending change of frequency begins a full period",
    sub: {
      ...subscribed(basic, "2027-01-31"),
      pendingChange: termsOf(priceOf("Yearly", 3650, { frequency: "annually" })),
    },
    today: "2027-02-28",
    bills: ["cycle 2027-02-28 to 2028-02-28; Yearly 3650; total 4197.5"],
    due: "2028-02-29",
  },
  {
    what: "cycles run out",
    sub: subscribed(termsOf(priceOf("Three", 100, { cycles: 3, ...untaxed })), "2027-01-01"),
    today: "2027-12-31",
    bills: [
      "cycle 2027-02-01 to 2027-02-28; Three 100; total 100",
      "cycle 2027-03-01 to 2027-03-31; Three 100; total 100",
    ],
    due: null,
  },
  {
    what: "a cancellation at the period's end; what was used is billed",
    sub: { ...subscribed(basic, "2027-01-01"), terms: withCalls("10"), cancelAtPeriodEnd: true, pendingChange: pro },
    today: "2027-02-01",
    bills: ["proration 2027-01-01 to 2027-01-31; Calls 5; total 5.75"],
    due: null,
  },
];
for (const { what, sub, today, bills, due } of ROWS)
  test(`${today}: ${what}`, () => {
    const shown = nextBill(sub);
    const outcome = billDue(sub, day(today));
    assert.deepEqual(outcome.bills.map(shownBill), bills);
    assert.equal(outcome.nextDue, due);
    if (outcome.bills.length > 0) assert.deepEqual(outcome.bills[0], shown);
    if (due !== null) assert.deepEqual(billDue(outcome.after, day(today)).bills, []);
  });

test("an ending says when and why, and leaves credits", () => {
  const sub = { ...subscribed(basic, "2027-01-01"), credits: [credit("a", 50)] };
  const cancelled = billDue({ ...sub, cancelAtPeriodEnd: true }, day("2027-03-01"));
  assert.deepEqual(cancelled.ends, { on: "2027-02-01", why: "cancelled" });
  assert.deepEqual(cancelled.after.credits, sub.credits);
  assert.equal(nextBill({ ...sub, cancelAtPeriodEnd: true }), null);
  const three = subscribed(termsOf(priceOf("Three", 100, { cycles: 1 })), "2027-01-31");
  assert.deepEqual(billDue(three, day("2027-03-01")).ends, { on: "2027-02-28", why: "expired" });
});

test("a cancellation now credits no days, and bills what was used and what waits", () => {
  const used = { ...subscribed(basic, "2027-01-01"), terms: withCalls("10"), credits: [credit("a", 2)] };
  const outcome = end(used, day("2027-01-20"), "cancelled");
  assert.deepEqual(outcome.bills.map(shownBill), ["proration 2027-01-01 to 2027-01-31; Calls 3; total 3.45"]);
  assert.deepEqual([outcome.after.credits, outcome.nextDue], [[], null]);
  assert.deepEqual(end(subscribed(basic, "2027-01-01"), day("2027-01-20"), "cancelled").bills, []);
  const trial = subscribed(withCalls("10"), "2027-01-18", { trialDays: 14 });
  assert.deepEqual(end(trial, day("2027-01-20"), "cancelled").bills, []);
});

test("a pending change to prices with VAT rewrites credits as it begins", () => {
  const sub = { ...subscribed(basic, "2027-01-01"), credits: [credit("a", 100)] };
  const gross = termsOf(priceOf("Gross", 460, { taxInclusive: true }));
  const { bills, creditsRestated } = billDue({ ...sub, pendingChange: gross }, day("2027-02-01"));
  assert.deepEqual(bills.map(shownBill), ["cycle 2027-02-01 to 2027-02-28; Gross 345; total 345"]);
  assert.deepEqual(creditsRestated, [{ creditId: "a", from: 100_00, to: 115_00 }]);
  const ending = { ...gross, price: { ...gross.price, cycles: 1 } };
  const ended = billDue({ ...sub, pendingChange: ending }, day("2027-02-01"));
  assert.deepEqual([ended.ends?.why, ended.after.credits[0]?.amount], ["expired", 115_00]);
  assert.deepEqual(ended.creditsRestated, creditsRestated);
});

test("usage that is recorded after a renewal is billed with the next one", () => {
  const renewed = billDue({ ...subscribed(basic, "2027-01-01"), terms: withCalls("41") }, day("2027-02-01")).after;
  const late = { ...renewed, terms: withCalls("7") };
  assert.deepEqual(billDue(late, day("2027-03-01")).bills.map(shownBill), [
    "cycle 2027-03-01 to 2027-03-31; Basic 310; Calls 3.5; total 360.53",
  ]);
});

test("a line of usage has the days of the period in which it was used", () => {
  const [bill] = billDue({ ...subscribed(basic, "2027-01-01"), terms: withCalls("41") }, day("2027-02-01")).bills;
  assert.deepEqual(
    bill?.lines.map(({ periodStart, periodEnd }) => [periodStart, periodEnd]),
    [
      ["2027-02-01", "2027-02-28"],
      ["2027-01-01", "2027-01-31"],
    ],
  );
});

test("a period that moves when it is paid waits for the payment, and nothing more is due until then", () => {
  const sub = subscribed(basic, "2027-01-01", { periodMoves: "when_paid" });
  assert.equal(sub.period && shownSpan(sub.period), "2027-01-01 to 2027-01-31");
  const { bills, after, nextDue } = billDue(sub, day("2027-03-15"));
  assert.deepEqual(bills.map(shownBill), ["cycle 2027-02-01 to 2027-02-28; Basic 310; total 356.5"]);
  assert.equal(nextDue, null);
  assert.equal(after.period && shownSpan(after.period), "2027-01-01 to 2027-01-31");
  assert.equal(after.awaiting && shownSpan(after.awaiting), "2027-02-01 to 2027-02-28");
  const [next] = billPaid(after, day("2027-03-15")).bills;
  assert.equal(next && shownBill(next), "cycle 2027-03-01 to 2027-03-31; Basic 310; total 356.5");
  assert.equal(billPaid(after, day("2027-02-15")).nextDue, "2027-03-01");
  assert.deepEqual(next, nextBill(after));
});

test("a period that needs no payment moves at once", () => {
  const sub = { ...subscribed(basic, "2027-01-01", { periodMoves: "when_paid" }), credits: [credit("a", 310)] };
  assert.equal(billDue(sub, day("2027-02-01")).nextDue, "2027-03-01");
});

test("what a recorded period would have cost", () => {
  const terms = termsOf(priceOf("Basic", 310), { quantity: 2, items: [addon("Seats", 10)] });
  const span = { start: day("2027-01-20"), next: day("2027-02-01") };
  assert.equal(
    shownBill(comparisonBill(terms, span)),
    "cycle 2027-01-20 to 2027-01-31; Basic (12 of 31 days) 240; Seats (12 of 31 days) 3.87; total 280.45",
  );
});

test("a coupon for the first charge is spent with it, also when the plan was left for another in the trial", () => {
  const first = { ...coupon({ percent: 50 }), first: true as const, planIds: [basic.price.planId] };
  const trial = subscribed(basic, "2027-01-01", { trialDays: 10, coupon: first });
  const other = { ...trial, terms: termsOf(priceOf("Other", 620)) };
  const third = { ...billDue(other, day("2027-02-11")).after, terms: basic };
  const [bill] = billDue(third, day("2027-03-11")).bills;
  assert.deepEqual([bill?.cycle, bill?.subtotal, third.coupon?.used], [3, basic.price.amount, 1]);
});

const USED = { ...subscribed(basic, "2027-01-01"), terms: { ...basic, items: [metered("Calls", 1, "100")] } };
const half = coupon({ percent: 50 }, null);
const loyal = [{ id: "loyal", description: "Loyal", percent: "50" as Decimal }];
const REDUCED_USAGE: [what: string, reduced: Partial<Subscription>, rand: number][] = [
  ["a coupon for every charge", { coupon: half }, 50],
  ["a coupon of an amount", { coupon: coupon({ rand: 30 }, null) }, 70],
  ["a coupon that is spent", { coupon: { ...half, limit: 1, used: 1 } }, 100],
  ["a coupon for the plan that it was recorded under", { coupon: { ...half, planIds: [basic.price.planId] } }, 50],
  ["a coupon for another plan", { coupon: { ...half, planIds: ["plan_Other"] } }, 100],
  ["a discount", { discounts: loyal }, 50],
];
for (const [what, reduced, rand] of REDUCED_USAGE) {
  test(`usage that is billed at the end is lowered by ${what}`, () => {
    const [bill] = end({ ...USED, ...reduced }, day("2027-01-20"), "cancelled").bills;
    assert.equal(bill?.subtotal, fromRand(rand));
  });

  test(`usage of an item that goes with its plan is lowered by ${what}`, () => {
    const other = termsOf(priceOf("Other", 0));
    const [bill] = billDue(withTerms({ ...USED, ...reduced }, other, day("2027-01-10")).sub, day("2027-02-01")).bills;
    const usage = bill?.lines.filter(({ reason }) => reason.kind === "usage") ?? [];
    assert.deepEqual(
      usage.map(({ amount }) => amount),
      [fromRand(rand)],
    );
  });
}

for (const [what, reduced, rand] of REDUCED_USAGE)
  test(`usage of an item that stays when its plan changes is lowered by ${what}`, () => {
    const other = termsOf(priceOf("Other", 0), { items: [metered("Calls", 1)] });
    const { after } = change(
      { ...USED, ...reduced },
      { terms: other, proration: "none", invoiceNow: true, creditId: "left" },
      day("2027-01-10"),
    );
    const [bill] = billDue(after, day("2027-02-01")).bills;
    const usage = bill?.lines.filter(({ reason }) => reason.kind === "usage") ?? [];
    assert.deepEqual(
      usage.map(({ amount }) => amount),
      [fromRand(rand)],
    );
  });

test("a discount that lowered the last bill is used", () => {
  assert.deepEqual(end({ ...USED, discounts: loyal }, day("2027-01-20"), "cancelled").after.discounts, []);
  const idle = subscribed(basic, "2027-01-01");
  assert.deepEqual(end({ ...idle, discounts: loyal }, day("2027-01-20"), "cancelled").after.discounts, loyal);
});
