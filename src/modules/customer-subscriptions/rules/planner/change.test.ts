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
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { toDecimalText } from "../../../../kernel/money.ts";
import { type Change, type ChangeOutcome, change } from "./change.ts";
import { billDue, nextBill } from "./due.ts";
import type { Subscription, Terms } from "./types.ts";

const basic = termsOf(priceOf("Basic", 310));
const pro = termsOf(priceOf("Pro", 620));
const yearly = termsOf(priceOf("Yearly", 3650, { frequency: "annually" }));
const quarterly = termsOf(priceOf("Quarterly", 900, { frequency: "quarterly" }));
const JANUARY = subscribed(basic, "2027-01-01");

const changed = (sub: Subscription, terms: Terms, today: string, given: Partial<Change> = {}): ChangeOutcome =>
  change(sub, { terms, proration: "now", invoiceNow: true, creditId: `on ${today}`, ...given }, day(today));

/** What each change of a row costs: the bill, else the credit that is left, else nothing. */
const costOf = ({ bills: [bill], creditsMade: [made] }: ChangeOutcome): string => {
  const shown = [bill && shownBill(bill), made && `credit ${toDecimalText(made.amount)}`].filter((one) => one);
  return shown.join("; ") || "nothing";
};

interface Row {
  readonly what: string;
  readonly sub: Subscription;
  /** Days and new terms, one after the other, and what each costs. */
  readonly changes: readonly (readonly [today: string, terms: Terms, cost: string, given?: Partial<Change>])[];
  /** The next renewal. */
  readonly next: string;
}

const FEBRUARY = "cycle 2027-02-01 to 2027-02-28";
const ROWS: Row[] = [
  {
    what: "on the first day: the old price is unused as a whole",
    sub: JANUARY,
    changes: [
      ["2027-01-01", pro, "proration 2027-01-01 to 2027-01-31; Pro in place of Basic (31 of 31 days) 310; total 356.5"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "on a middle day, which belongs to the new price",
    sub: JANUARY,
    changes: [
      ["2027-01-16", pro, "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 160; total 184"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "on the last day",
    sub: JANUARY,
    changes: [
      ["2027-01-31", pro, "proration 2027-01-31 to 2027-01-31; Pro in place of Basic (1 of 31 days) 10; total 11.5"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "credit and charge are rounded each once: 322.58 - 51.61",
    sub: subscribed(termsOf(priceOf("Small", 100)), "2027-01-01"),
    changes: [
      [
        "2027-01-16",
        termsOf(priceOf("Large", 625)),
        "proration 2027-01-16 to 2027-01-31; Large in place of Small (16 of 31 days) 270.97; total 311.62",
      ],
    ],
    next: `${FEBRUARY}; Large 625; total 718.75`,
  },
  {
    what: "a downgrade: the credit goes to the next renewal",
    sub: subscribed(pro, "2027-01-01"),
    changes: [["2027-01-16", basic, "credit 160.00"]],
    next: `${FEBRUARY}; Basic 150; total 172.5`,
  },
  {
    what: "a downgrade whose credit is larger than the next renewal is carried on",
    sub: subscribed(pro, "2027-01-01"),
    changes: [["2027-01-02", termsOf(priceOf("Tiny", 31)), "credit 570.00"]],
    next: `${FEBRUARY}; Tiny 0; total 0`,
  },
  {
    what: "twice in a period: the second credits what the first charged",
    sub: JANUARY,
    changes: [
      ["2027-01-11", pro, "proration 2027-01-11 to 2027-01-31; Pro in place of Basic (21 of 31 days) 210; total 241.5"],
      ["2027-01-21", basic, "credit 110.00"],
    ],
    next: `${FEBRUARY}; Basic 200; total 230`,
  },
  {
    what: "three times in a period, twice on one day",
    sub: JANUARY,
    changes: [
      ["2027-01-11", pro, "proration 2027-01-11 to 2027-01-31; Pro in place of Basic (21 of 31 days) 210; total 241.5"],
      ["2027-01-21", basic, "credit 110.00"],
      ["2027-01-21", pro, "proration 2027-01-21 to 2027-01-31; Pro in place of Basic (11 of 31 days) 0; total 0"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "in a shortened period the total is that of the full one",
    sub: subscribed(basic, "2027-01-16", { billingAnchorDay: 1 }),
    changes: [
      ["2027-01-22", pro, "proration 2027-01-22 to 2027-01-31; Pro in place of Basic (10 of 31 days) 100; total 115"],
      ["2027-01-27", basic, "credit 50.00"],
    ],
    next: `${FEBRUARY}; Basic 260; total 299`,
  },
  {
    what: "in a period that was paid elsewhere",
    sub: subscribed(basic, "2027-01-10", { paidThrough: day("2027-02-01") }),
    changes: [
      ["2027-01-22", pro, "proration 2027-01-22 to 2027-01-31; Pro in place of Basic (10 of 31 days) 100; total 115"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "quantity alone",
    sub: JANUARY,
    changes: [
      [
        "2027-01-16",
        { ...basic, quantity: 3 },
        "proration 2027-01-16 to 2027-01-31; Basic (16 of 31 days) 320; total 368",
      ],
    ],
    next: `${FEBRUARY}; Basic 930; total 1069.5`,
  },
  {
    what: "an add-on that is added, then removed",
    sub: JANUARY,
    changes: [
      [
        "2027-01-11",
        { ...basic, items: [addon("Seats", 31, "2")] },
        "proration 2027-01-11 to 2027-01-31; Basic (21 of 31 days) 42; total 48.3",
      ],
      ["2027-01-21", basic, "credit 22.00"],
    ],
    next: `${FEBRUARY}; Basic 288; total 331.2`,
  },
  {
    what: "one-time items and usage are not prorated",
    sub: { ...JANUARY, terms: { ...basic, items: [metered("Calls", 0.5, "10")] } },
    changes: [
      [
        "2027-01-16",
        { ...pro, items: [metered("Calls", 0.5), oneTime("Visit", 100)] },
        "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 160; total 184",
      ],
    ],
    next: `${FEBRUARY}; Pro 620; Calls 5; Visit 100; total 833.75`,
  },
  {
    what: "usage of an item that is removed, or costs something else from now on, waits at the price it had",
    sub: {
      ...JANUARY,
      terms: { ...basic, items: [metered("Calls", 0.5, "10"), metered("Mails", 1, "3"), metered("Gone", 2, "0")] },
    },
    changes: [["2027-01-16", { ...basic, items: [metered("Mails", 4)] }, "nothing", { proration: "none" }]],
    next: `${FEBRUARY}; Basic 310; Calls 5; Mails 3; total 365.7`,
  },
  {
    what: "a discount in force reduces credit and charge",
    sub: billDue(
      {
        ...subscribed(basic, "2026-12-01"),
        discounts: [{ id: "d", description: "Loyal", percent: "50" as never }],
      },
      day("2027-01-01"),
    ).after,
    changes: [
      ["2027-01-16", pro, "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 80; total 92"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "a coupon of percent, in force in this period and the next",
    sub: subscribed(basic, "2027-01-01", { coupon: coupon({ percent: 10 }, 2) }),
    changes: [
      ["2027-01-16", pro, "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 144; total 165.6"],
    ],
    next: `${FEBRUARY}; Pro 558; total 641.7`,
  },
  {
    what: "a coupon of an amount is spread over the days that it was given for",
    sub: subscribed(basic, "2027-01-01", { coupon: coupon({ rand: 310 }) }),
    changes: [
      ["2027-01-16", pro, "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 160; total 184"],
      ["2027-01-16", basic, "credit 160.00"],
    ],
    next: `${FEBRUARY}; Basic 150; total 172.5`,
  },
  {
    what: "a coupon of an amount that is larger than the new price",
    sub: subscribed(basic, "2027-01-01", { coupon: coupon({ rand: 310 }) }),
    changes: [["2027-01-16", termsOf(priceOf("Tiny", 31)), "nothing"]],
    next: `${FEBRUARY}; Tiny 31; total 35.65`,
  },
  {
    what: "a coupon for one plan rests on the days of another: there and back on one day nets to nothing",
    sub: subscribed(basic, "2027-01-01", {
      coupon: { ...coupon({ percent: 50 }, null), planIds: [basic.price.planId] },
    }),
    changes: [
      [
        "2027-01-11",
        pro,
        "proration 2027-01-11 to 2027-01-31; Pro in place of Basic (21 of 31 days) 315; total 362.25",
      ],
      ["2027-01-11", basic, "credit 315.00"],
    ],
    next: `${FEBRUARY}; Basic 0; total 0`,
  },
  {
    what: "an amount off one plan rests too, also over a plan with other terms of VAT",
    sub: subscribed(basic, "2027-01-01", { coupon: { ...coupon({ rand: 155 }, 2), planIds: [basic.price.planId] } }),
    changes: [
      [
        "2027-01-11",
        termsOf(priceOf("Zero", 713, { taxInclusive: true, taxRate: "0" as Decimal })),
        "proration 2027-01-11 to 2027-01-31; Zero in place of Basic (21 of 31 days) 362.25; total 362.25",
      ],
      ["2027-01-11", basic, "credit 378.00"],
    ],
    next: `${FEBRUARY}; Basic 0; total 0`,
  },
  {
    what: "a coupon for every charge of one plan lowers a change to it",
    sub: {
      ...subscribed(basic, "2027-01-01"),
      coupon: { ...coupon({ percent: 50 }, null), planIds: [pro.price.planId] },
    },
    changes: [["2027-01-16", pro, "nothing"]],
    next: `${FEBRUARY}; Pro 310; total 356.5`,
  },
  {
    what: "a coupon for some cycles of one plan begins with its next bill",
    sub: { ...subscribed(basic, "2027-01-01"), coupon: { ...coupon({ percent: 50 }, 1), planIds: [pro.price.planId] } },
    changes: [
      ["2027-01-16", pro, "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 160; total 184"],
    ],
    next: `${FEBRUARY}; Pro 310; total 356.5`,
  },
  {
    what: "a coupon that is not for the new plan ends with the old one",
    sub: subscribed(basic, "2027-01-01", {
      coupon: { ...coupon({ percent: 50 }, null), planIds: [basic.price.planId] },
    }),
    changes: [
      ["2027-01-16", pro, "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 240; total 276"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "an older credit is used on what is to pay",
    sub: { ...JANUARY, credits: [credit("older", 100)] },
    changes: [
      ["2027-01-16", pro, "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 60; total 69"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "invoiceNow false: what is to pay waits for the renewal, which takes older credits",
    sub: { ...JANUARY, credits: [credit("older", 100)] },
    changes: [["2027-01-16", pro, "nothing", { invoiceNow: false }]],
    next: `${FEBRUARY}; Pro 520; Pro in place of Basic (16 of 31 days) 160; total 782`,
  },
  {
    what: "none: the new price from the renewal on, and a later change credits the old one, which was charged",
    sub: JANUARY,
    changes: [
      ["2027-01-16", pro, "nothing", { proration: "none" }],
      ["2027-01-22", pro, "proration 2027-01-22 to 2027-01-31; Pro in place of Basic (10 of 31 days) 100; total 115"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "next_renewal",
    sub: JANUARY,
    changes: [["2027-01-16", pro, "nothing", { proration: "next_renewal" }]],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "a change takes the place of one that is pending",
    sub: JANUARY,
    changes: [
      ["2027-01-16", pro, "nothing", { proration: "next_renewal" }],
      ["2027-01-17", { ...basic, quantity: 2 }, "nothing", { proration: "none" }],
    ],
    next: `${FEBRUARY}; Basic 620; total 713`,
  },
  {
    what: "a longer frequency: unused days are credited, the new price in full, from today",
    sub: JANUARY,
    changes: [
      [
        "2027-01-16",
        yearly,
        "proration 2027-01-16 to 2028-01-15; Yearly, less unused days of Basic (16 of 31 days) 3490; total 4013.5",
      ],
    ],
    next: "cycle 2028-01-16 to 2029-01-15; Yearly 3650; total 4197.5",
  },
  {
    what: "a shorter frequency: the credit is carried",
    sub: subscribed(yearly, "2027-01-01"),
    changes: [
      [
        "2027-01-31",
        basic,
        "proration 2027-01-31 to 2027-02-27; Basic, less unused days of Yearly (335 of 365 days) 0; total 0; credit 3040.00",
      ],
    ],
    next: "cycle 2027-02-28 to 2027-03-30; Basic 0; total 0",
  },
  {
    what: "a longer frequency and back on one day",
    sub: JANUARY,
    changes: [
      [
        "2027-01-16",
        quarterly,
        "proration 2027-01-16 to 2027-04-15; Quarterly, less unused days of Basic (16 of 31 days) 740; total 851",
      ],
      [
        "2027-01-16",
        basic,
        "proration 2027-01-16 to 2027-02-15; Basic, less unused days of Quarterly (90 of 90 days) 0; total 0; credit 590.00",
      ],
    ],
    next: "cycle 2027-02-16 to 2027-03-15; Basic 0; total 0",
  },
  {
    what: "another frequency is charged on the first day of its period, also with invoiceNow false",
    sub: JANUARY,
    changes: [
      [
        "2027-01-16",
        yearly,
        "proration 2027-01-16 to 2028-01-15; Yearly, less unused days of Basic (16 of 31 days) 3490; total 4013.5",
        { invoiceNow: false },
      ],
    ],
    next: "cycle 2028-01-16 to 2029-01-15; Yearly 3650; total 4197.5",
  },
  {
    what: "another frequency from the renewal on",
    sub: JANUARY,
    changes: [["2027-01-16", yearly, "nothing", { proration: "none" }]],
    next: "cycle 2027-02-01 to 2028-01-31; Yearly 3650; total 4197.5",
  },
  {
    what: "a coupon for a cycle is not for the period that a change of frequency begins",
    sub: subscribed(basic, "2027-01-01", { coupon: coupon({ percent: 50 }) }),
    changes: [
      [
        "2027-01-16",
        yearly,
        "proration 2027-01-16 to 2028-01-15; Yearly, less unused days of Basic (16 of 31 days) 3570; total 4105.5",
      ],
    ],
    next: "cycle 2028-01-16 to 2029-01-15; Yearly 3650; total 4197.5",
  },
  {
    what: "to a plan that costs nothing, and from it",
    sub: JANUARY,
    changes: [
      ["2027-01-16", termsOf(priceOf("Free", 0)), "credit 160.00"],
      ["2027-01-22", pro, "proration 2027-01-22 to 2027-01-31; Pro in place of Free (10 of 31 days) 40; total 46"],
    ],
    next: `${FEBRUARY}; Pro 620; total 713`,
  },
  {
    what: "prices with VAT: credit and charge are gross",
    sub: subscribed(termsOf(priceOf("Gross", 310, { taxInclusive: true })), "2027-01-01"),
    changes: [
      [
        "2027-01-16",
        termsOf(priceOf("More", 620, { taxInclusive: true })),
        "proration 2027-01-16 to 2027-01-31; More in place of Gross (16 of 31 days) 160; total 160",
      ],
    ],
    next: `${FEBRUARY}; More 620; total 620`,
  },
  {
    what: "from prices without VAT to prices with it: what is unused, and older credits, are rewritten",
    sub: { ...JANUARY, credits: [credit("older", 100)] },
    changes: [
      [
        "2027-01-16",
        termsOf(priceOf("Gross", 930, { taxInclusive: true })),
        "proration 2027-01-16 to 2027-01-31; Gross in place of Basic (16 of 31 days) 181; total 181",
      ],
    ],
    next: `${FEBRUARY}; Gross 930; total 930`,
  },
  {
    what: "from prices without VAT to prices with it: a coupon's amount and what waits are rewritten too",
    sub: subscribed(basic, "2027-01-01", { coupon: coupon({ rand: 155 }) }),
    changes: [
      ["2027-01-16", { ...basic, quantity: 2 }, "nothing", { invoiceNow: false }],
      [
        "2027-01-16",
        termsOf(priceOf("Gross", 930, { taxInclusive: true })),
        "proration 2027-01-16 to 2027-01-31; Gross in place of Basic (16 of 31 days) 112; total 112",
      ],
    ],
    next: `${FEBRUARY}; Gross 930; Basic (16 of 31 days) 184; total 1114`,
  },
  {
    what: "a trial goes on: there is nothing to prorate",
    sub: subscribed(basic, "2027-01-18", { trialDays: 14 }),
    changes: [["2027-01-20", yearly, "nothing"]],
    next: "first 2027-02-01 to 2028-01-31; Yearly 3650; total 4197.5",
  },
  {
    what: "before the start",
    sub: subscribed(basic, "2027-01-01", { startsOn: day("2027-02-01") }),
    changes: [["2027-01-20", pro, "nothing", { proration: "next_renewal" }]],
    next: "first 2027-02-01 to 2027-02-28; Pro 620; total 713",
  },
];
for (const { what, sub, changes, next } of ROWS)
  test(`change ${what}`, () => {
    let now = sub;
    for (const [today, terms, cost, given] of changes) {
      const outcome = changed(now, terms, today, given);
      assert.equal(costOf(outcome), cost);
      assert.deepEqual(outcome.preview.nextInvoice, nextBill(outcome.after));
      for (const { amount } of outcome.preview.prorationInvoice?.bill.lines ?? []) assert.ok(amount >= 0);
      now = outcome.after;
    }
    const bill = nextBill(now);
    assert.equal(bill && shownBill(bill), next);
  });
