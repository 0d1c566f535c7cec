import assert from "node:assert/strict";
import { test } from "node:test";
import {
  credit,
  day,
  priceOf,
  shownBill,
  shownSpan,
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import { cents, fromRand } from "../../../../kernel/money.ts";
import { change } from "./change.ts";
import { billDue } from "./due.ts";
import { giveAnchorDay, moveNextBilling, type Reactivation, reactivate, resume } from "./move-and-resume.ts";
import { nextDue } from "./outcomes.ts";
import type { Subscription } from "./types.ts";

const basic = termsOf(priceOf("Basic", 310, { setupFee: cents(100_00) }));
const monthly = subscribed(basic, "2027-01-01");
const withAnchor = subscribed(basic, "2027-01-01", { billingAnchorDay: 1 });

// What is patched: the running period then, and the next two bills' days and lines.
const PATCHES: [what: string, Subscription, period: string | null, bills: string[]][] = [
  [
    "nextBillingAt earlier: it is the anchor from then on",
    moveNextBilling(monthly, day("2027-01-20")),
    "2027-01-01 to 2027-01-19",
    [
      "cycle 2027-01-20 to 2027-02-19; Basic 310; total 356.5",
      "cycle 2027-02-20 to 2027-03-19; Basic 310; total 356.5",
    ],
  ],
  [
    "nextBillingAt later",
    moveNextBilling(monthly, day("2027-03-31")),
    "2027-01-01 to 2027-03-30",
    [
      "cycle 2027-03-31 to 2027-04-29; Basic 310; total 356.5",
      "cycle 2027-04-30 to 2027-05-30; Basic 310; total 356.5",
    ],
  ],
  [
    "nextBillingAt with an anchor day that was given: a bridge back to it",
    moveNextBilling(withAnchor, day("2027-02-10")),
    "2027-01-01 to 2027-02-09",
    [
      "cycle 2027-02-10 to 2027-02-28; Basic (19 of 28 days) 210.36; total 241.91",
      "cycle 2027-03-01 to 2027-03-31; Basic 310; total 356.5",
    ],
  ],
  [
    "billingAnchorDay: the period keeps its end, and the next one is the bridge",
    giveAnchorDay(monthly, 15),
    "2027-01-01 to 2027-01-31",
    [
      "cycle 2027-02-01 to 2027-02-14; Basic (14 of 31 days) 140; total 161",
      "cycle 2027-02-15 to 2027-03-14; Basic 310; total 356.5",
    ],
  ],
  [
    "billingAnchorDay 31, which February does not have",
    giveAnchorDay(monthly, 31),
    "2027-01-01 to 2027-01-31",
    [
      "cycle 2027-02-01 to 2027-02-27; Basic (27 of 28 days) 298.93; total 343.77",
      "cycle 2027-02-28 to 2027-03-30; Basic 310; total 356.5",
    ],
  ],
  [
    "both: nextBillingAt is the end, billingAnchorDay the anchor",
    giveAnchorDay(moveNextBilling(monthly, day("2027-02-28")), 31),
    "2027-01-01 to 2027-02-27",
    [
      "cycle 2027-02-28 to 2027-03-30; Basic 310; total 356.5",
      "cycle 2027-03-31 to 2027-04-29; Basic 310; total 356.5",
    ],
  ],
  [
    "nextBillingAt in a trial: its end",
    moveNextBilling(subscribed(basic, "2027-01-01", { trialDays: 14 }), day("2027-01-20")),
    "2027-01-01 to 2027-01-19",
    [
      "first 2027-01-20 to 2027-02-19; Basic 310; Basic: set-up fee 100; total 471.5",
      "cycle 2027-02-20 to 2027-03-19; Basic 310; total 356.5",
    ],
  ],
  [
    "nextBillingAt of a scheduled one: its start",
    moveNextBilling(subscribed(basic, "2027-01-01", { startsOn: day("2027-02-01") }), day("2027-01-31")),
    null,
    [
      "first 2027-01-31 to 2027-02-27; Basic 310; Basic: set-up fee 100; total 471.5",
      "cycle 2027-02-28 to 2027-03-30; Basic 310; total 356.5",
    ],
  ],
];
for (const [what, sub, period, bills] of PATCHES)
  test(`PATCH ${what}`, () => {
    assert.equal(sub.period && shownSpan(sub.period), period);
    assert.match(bills[0] ?? "", new RegExp(`^\\w+ ${nextDue(sub)} to `));
    assert.deepEqual(billDue(sub, day("2027-12-31")).bills.slice(0, 2).map(shownBill), bills);
    assert.equal(sub.credits.length + sub.carried.length, 0);
  });

// Days that a PATCH added are given, those that it cut off are lost: a change on 11 January costs the difference for the paid days.
for (const [next, line] of [
  ["2027-02-01", "Pro in place of Basic (21 of 31 days) 210"],
  ["2027-01-21", "Pro in place of Basic (10 of 31 days) 100"],
  ["2027-03-01", "Pro in place of Basic (21 of 31 days) 210"],
] as const)
  test(`a change in a period that was moved to end on ${next}`, () => {
    const wanted = { terms: termsOf(priceOf("Pro", 620)), proration: "now", invoiceNow: true, creditId: "c" } as const;
    const { bills } = change(moveNextBilling(monthly, day(next)), wanted, day("2027-01-11"));
    assert.match(bills.map(shownBill).join(), new RegExp(line.replace(/[()]/g, "\\$&")));
  });

const trial = subscribed(basic, "2027-01-01", { trialDays: 14 });
const on31 = subscribed(basic, "2027-01-31");

// Resumed on a day: the bills of that day, and when the next one is due.
const RESUMED: [what: string, Subscription, today: string, bills: string[], due: string | null][] = [
  ["before the period's end: nothing changes", monthly, "2027-01-20", [], "2027-02-01"],
  [
    "on the day of the renewal: renewed as always",
    on31,
    "2027-02-28",
    ["cycle 2027-02-28 to 2027-03-30; Basic 310; total 356.5"],
    "2027-03-31",
  ],
  [
    "after the period's end: a new period begins that day",
    monthly,
    "2027-03-10",
    ["cycle 2027-03-10 to 2027-04-09; Basic 310; total 356.5"],
    "2027-04-10",
  ],
  [
    "after it, with an anchor day that was given: the bridge to it",
    withAnchor,
    "2027-03-10",
    ["cycle 2027-03-10 to 2027-03-31; Basic (22 of 31 days) 220; total 253"],
    "2027-04-01",
  ],
  [
    "after the end of a trial: the first charge",
    trial,
    "2027-02-10",
    ["first 2027-02-10 to 2027-03-09; Basic 310; Basic: set-up fee 100; total 471.5"],
    "2027-03-10",
  ],
  ["after a cancellation at the period's end", { ...monthly, cancelAtPeriodEnd: true }, "2027-03-10", [], null],
];
for (const [what, sub, today, bills, due] of RESUMED)
  test(`resume ${what}`, () => {
    const outcome = resume(sub, day(today), "unused");
    assert.deepEqual(outcome.bills.map(shownBill), bills);
    assert.equal(outcome.nextDue, due);
  });

const threeTimes = subscribed(termsOf(priceOf("Three", 100, { cycles: 1 })), "2027-01-01");
const asked = (nextBillingAt: string | null = null, chargeNow: boolean | null = null): Reactivation => ({
  nextBillingAt: nextBillingAt === null ? null : day(nextBillingAt),
  chargeNow,
  creditId: "unused",
});

// Reactivated with a body on a day: the bills of that day, the running period, and when the next bill is due.
const REACTIVATED: [string, Subscription, Reactivation, string, string[], string, string | null][] = [
  ["while the paid period runs", monthly, asked(), "2027-01-20", [], "2027-01-01 to 2027-01-31", "2027-02-01"],
  [
    "while it runs, with another date",
    monthly,
    asked("2027-02-15"),
    "2027-01-20",
    [],
    "2027-01-01 to 2027-02-14",
    "2027-02-15",
  ],
  [
    "while it runs, charged now: a new period, less what is unused of the paid one",
    monthly,
    asked(null, true),
    "2027-01-16",
    ["proration 2027-01-16 to 2027-02-15; Basic, less unused days of Basic (16 of 31 days) 150; total 172.5"],
    "2027-01-16 to 2027-02-15",
    "2027-02-16",
  ],
  [
    "while it runs, charged now until a date",
    monthly,
    asked("2027-03-01", true),
    "2027-01-16",
    [
      "proration 2027-01-16 to 2027-02-28; Basic (44 of 28 days), less unused days of Basic (16 of 31 days) 327.14; total 376.21",
    ],
    "2027-01-16 to 2027-02-28",
    "2027-03-01",
  ],
  [
    "while it runs, charged now until the day until which it is paid: nothing is due",
    monthly,
    asked("2027-02-01", true),
    "2027-01-16",
    ["proration 2027-01-16 to 2027-01-31; Basic (16 of 31 days), less unused days of Basic (16 of 31 days) 0; total 0"],
    "2027-01-16 to 2027-01-31",
    "2027-02-01",
  ],
  [
    "in its trial, charged now: the first charge",
    subscribed(termsOf(priceOf("Fee", 310, { setupFee: cents(40_00) })), "2027-01-01", { trialDays: 30 }),
    asked(null, true),
    "2027-01-16",
    ["first 2027-01-16 to 2027-02-15; Fee 310; Fee: set-up fee 40; total 402.5"],
    "2027-01-16 to 2027-02-15",
    "2027-02-16",
  ],
  [
    "before its start, charged now: it starts",
    subscribed(basic, "2027-01-01", { startsOn: day("2027-02-01"), trialDays: 7 }),
    asked(null, true),
    "2027-01-16",
    ["first 2027-01-16 to 2027-02-15; Basic 310; Basic: set-up fee 100; total 471.5"],
    "2027-01-16 to 2027-02-15",
    "2027-02-16",
  ],
  [
    "after it: a new period",
    monthly,
    asked(),
    "2027-03-10",
    ["cycle 2027-03-10 to 2027-04-09; Basic 310; total 356.5"],
    "2027-03-10 to 2027-04-09",
    "2027-04-10",
  ],
  [
    "on the day on which it ends: the anchor stays",
    on31,
    asked(),
    "2027-02-28",
    ["cycle 2027-02-28 to 2027-03-30; Basic 310; total 356.5"],
    "2027-02-28 to 2027-03-30",
    "2027-03-31",
  ],
  [
    "after it, charged on a date",
    monthly,
    asked("2027-04-01"),
    "2027-03-10",
    [],
    "2027-03-10 to 2027-03-31",
    "2027-04-01",
  ],
  [
    "after it, charged now until a date",
    monthly,
    asked("2027-04-01", true),
    "2027-03-10",
    ["cycle 2027-03-10 to 2027-03-31; Basic (22 of 31 days) 220; total 253"],
    "2027-03-10 to 2027-03-31",
    "2027-04-01",
  ],
  [
    "after it, not charged now",
    monthly,
    asked(null, false),
    "2027-03-10",
    [],
    "2027-03-10 to 2027-04-09",
    "2027-04-10",
  ],
  [
    "with a credit that was left",
    { ...monthly, credits: [credit("a", 10)] },
    asked(),
    "2027-03-10",
    ["cycle 2027-03-10 to 2027-04-09; Basic 300; total 345"],
    "2027-03-10 to 2027-04-09",
    "2027-04-10",
  ],
  [
    "after its cycles had run out: it may have them again",
    threeTimes,
    asked(),
    "2027-03-10",
    ["cycle 2027-03-10 to 2027-04-09; Three 100; total 115"],
    "2027-03-10 to 2027-04-09",
    "2027-04-10",
  ],
];
for (const [what, sub, body, today, bills, period, due] of REACTIVATED)
  test(`reactivate ${what}`, () => {
    const outcome = reactivate(sub, body, day(today));
    assert.deepEqual(outcome.bills.map(shownBill), bills);
    assert.equal(outcome.after.period && shownSpan(outcome.after.period), period);
    assert.equal(outcome.nextDue, due);
  });

test("the unused days of a reactivated subscription that cost more than the new period are its credit", () => {
  const yearly = subscribed(termsOf(priceOf("Yearly", 3650, { frequency: "annually" })), "2027-01-01");
  const waiting = { ...yearly, pendingChange: basic };
  const { bills, creditsMade, after } = reactivate(waiting, asked(null, true), day("2027-01-01"));
  assert.deepEqual(
    [bills.map(({ total }) => total), creditsMade.map(({ amount }) => amount), after.credits, after.pendingChange],
    [[0], [3340_00], creditsMade, null],
  );
});

test("the cycles of a reactivated subscription run out again", () => {
  const again = reactivate(threeTimes, asked(), day("2027-03-10")).after;
  assert.deepEqual(billDue(again, day("2027-04-10")).ends, { on: "2027-04-10", why: "expired" });
});

test("a reactivated subscription that is charged later goes on from that date", () => {
  const later = reactivate(monthly, asked("2027-04-15"), day("2027-03-10")).after;
  assert.deepEqual(billDue(later, day("2027-04-15")).bills.map(shownBill), [
    "cycle 2027-04-15 to 2027-05-14; Basic 310; total 356.5",
  ]);
});

test("who had paid elsewhere is charged no set-up fee after a reactivation, in whatever way", () => {
  const withFee = termsOf(priceOf("Fee", 100, { setupFee: fromRand(40) }));
  const moved = subscribed(withFee, "2027-01-01", { paidThrough: day("2027-02-01") });
  for (const body of [asked("2027-04-15"), asked("2027-04-15", true), asked(null, false)]) {
    const again = reactivate(moved, body, day("2027-03-15"));
    const [bill] = again.bills.length > 0 ? again.bills : billDue(again.after, day("2027-04-15")).bills;
    assert.deepEqual([bill?.kind, bill?.subtotal], ["cycle", fromRand(100)]);
  }
});

test("a period that is not charged now, and follows without a gap, keeps the anchor", () => {
  const later = reactivate(subscribed(basic, "2026-12-31"), asked(null, false), day("2027-01-31"));
  assert.deepEqual(
    billDue(later.after, day("2027-03-31")).bills.map(({ start }) => start),
    ["2027-02-28", "2027-03-31"],
  );
});

test("a period that was billed and not paid is the last one when another begins after a pause", () => {
  const unpaid = billDue(subscribed(basic, "2027-01-01", { periodMoves: "when_paid" }), day("2027-02-01")).after;
  const { period, awaiting } = resume(unpaid, day("2027-03-10"), "unused").after;
  assert.deepEqual(
    [period, awaiting].map((span) => span && shownSpan(span)),
    ["2027-02-01 to 2027-02-28", "2027-03-10 to 2027-04-09"],
  );
});

test("a subscription that was paused or cancelled before its start starts on the day it is taken up, or later", () => {
  const scheduled = subscribed(basic, "2027-01-01", { startsOn: day("2027-02-01") });
  assert.equal(resume(scheduled, day("2027-01-15"), "unused").nextDue, "2027-02-01");
  for (const outcome of [
    resume(scheduled, day("2027-02-10"), "unused"),
    reactivate(scheduled, asked(), day("2027-02-10")),
  ])
    assert.deepEqual(
      outcome.bills.map(({ start }) => start),
      ["2027-02-10"],
    );
  assert.equal(reactivate(scheduled, asked("2027-03-03"), day("2027-01-15")).nextDue, "2027-03-03");
});
