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
  shownSpan,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import { cents } from "../../../../kernel/money.ts";
import type { Creation } from "./start.ts";
import type { Terms } from "./types.ts";

const BASIC = priceOf("Basic", 310);
const basic = termsOf(BASIC);
const yearly = termsOf(priceOf("Yearly", 3650, { frequency: "annually", setupFee: cents(500_00) }));
const inclusive = termsOf(priceOf("Gross", 115, { taxInclusive: true }));

interface Row {
  readonly what: string;
  readonly terms: Terms;
  readonly today: string;
  readonly given?: Partial<Creation>;
  /** Without one nothing is billed. */
  readonly bill?: string;
  /** The running period; null for a scheduled start. */
  readonly period: string | null;
  readonly due: string;
  readonly anchor: number;
}

const ROWS: Row[] = [
  {
    what: "a full first period",
    terms: basic,
    today: "2027-01-31",
    bill: "first 2027-01-31 to 2027-02-27; Basic 310; total 356.5",
    period: "2027-01-31 to 2027-02-27",
    due: "2027-02-28",
    anchor: 31,
  },
  {
    what: "before the anchor day",
    terms: basic,
    today: "2027-01-16",
    given: { billingAnchorDay: 1 },
    bill: "first 2027-01-16 to 2027-01-31; Basic (16 of 31 days) 160; total 184",
    period: "2027-01-16 to 2027-01-31",
    due: "2027-02-01",
    anchor: 1,
  },
  {
    what: "on the anchor day",
    terms: basic,
    today: "2027-01-16",
    given: { billingAnchorDay: 16 },
    bill: "first 2027-01-16 to 2027-02-15; Basic 310; total 356.5",
    period: "2027-01-16 to 2027-02-15",
    due: "2027-02-16",
    anchor: 16,
  },
  {
    what: "after the anchor day",
    terms: basic,
    today: "2027-01-16",
    given: { billingAnchorDay: 15 },
    bill: "first 2027-01-16 to 2027-02-14; Basic (30 of 31 days) 300; total 345",
    period: "2027-01-16 to 2027-02-14",
    due: "2027-02-15",
    anchor: 15,
  },
  {
    what: "a year shortened by an anchor day, with the set-up fee in full",
    terms: yearly,
    today: "2027-01-10",
    given: { billingAnchorDay: 15 },
    bill: "first 2027-01-10 to 2027-01-14; Yearly (5 of 365 days) 50; Yearly: set-up fee 500; total 632.5",
    period: "2027-01-10 to 2027-01-14",
    due: "2027-01-15",
    anchor: 15,
  },
  {
    what: "a trial of 14 days",
    terms: yearly,
    today: "2027-01-18",
    given: { trialDays: 14 },
    period: "2027-01-18 to 2027-01-31",
    due: "2027-02-01",
    anchor: 1,
  },
  {
    what: "a trial with an anchor day",
    terms: basic,
    today: "2027-01-18",
    given: { trialDays: 14, billingAnchorDay: 31 },
    period: "2027-01-18 to 2027-01-31",
    due: "2027-02-01",
    anchor: 31,
  },
  {
    what: "a start in the future",
    terms: basic,
    today: "2027-01-18",
    given: { startsOn: day("2027-03-31") },
    period: null,
    due: "2027-03-31",
    anchor: 31,
  },
  {
    what: "a start in the future with a trial",
    terms: basic,
    today: "2027-01-18",
    given: { startsOn: day("2027-03-31"), trialDays: 7 },
    period: null,
    due: "2027-03-31",
    anchor: 7,
  },
  {
    what: "paid elsewhere until a date",
    terms: yearly,
    today: "2027-01-18",
    given: { paidThrough: day("2027-02-28") },
    period: "2027-01-18 to 2027-02-27",
    due: "2027-02-28",
    anchor: 28,
  },
  {
    what: "paid elsewhere, with an anchor day that is clamped",
    terms: basic,
    today: "2027-01-18",
    given: { paidThrough: day("2027-02-28"), billingAnchorDay: 31 },
    period: "2027-01-18 to 2027-02-27",
    due: "2027-02-28",
    anchor: 31,
  },
  {
    what: "quantity, add-ons and one-time items; usage is of no period yet",
    terms: termsOf(BASIC, {
      quantity: 3,
      items: [addon("Seats", 12.5, "4"), metered("Calls", 0.005, "900"), oneTime("Delivery", 80)],
    }),
    today: "2027-01-16",
    given: { billingAnchorDay: 1 },
    bill: "first 2027-01-16 to 2027-01-31; Basic (16 of 31 days) 480; Seats (16 of 31 days) 25.81; Delivery 80; total 673.68",
    period: "2027-01-16 to 2027-01-31",
    due: "2027-02-01",
    anchor: 1,
  },
  {
    what: "a coupon off set-up fee and first period",
    terms: yearly,
    today: "2027-01-01",
    given: { coupon: coupon({ percent: 10 }) },
    bill: "first 2027-01-01 to 2027-12-31; Yearly 3285; Yearly: set-up fee 450; total 4295.25",
    period: "2027-01-01 to 2027-12-31",
    due: "2028-01-01",
    anchor: 1,
  },
  {
    what: "a coupon of everything: the first charge is zero",
    terms: basic,
    today: "2027-01-01",
    given: { coupon: coupon({ percent: 100 }) },
    bill: "first 2027-01-01 to 2027-01-31; Basic 0; total 0",
    period: "2027-01-01 to 2027-01-31",
    due: "2027-02-01",
    anchor: 1,
  },
  {
    what: "prices with VAT, less a credit and a negative one-time item",
    terms: { ...inclusive, items: [oneTime("Welcome", -20)] },
    today: "2027-01-01",
    given: { credits: [credit("older", 10)] },
    bill: "first 2027-01-01 to 2027-01-31; Gross 85; total 85",
    period: "2027-01-01 to 2027-01-31",
    due: "2027-02-01",
    anchor: 1,
  },
  {
    what: "a plan that costs nothing",
    terms: termsOf(priceOf("Free", 0)),
    today: "2027-01-01",
    bill: "first 2027-01-01 to 2027-01-31; Free 0; total 0",
    period: "2027-01-01 to 2027-01-31",
    due: "2027-02-01",
    anchor: 1,
  },
];
for (const { what, terms, today, given, bill, period, due, anchor } of ROWS)
  test(`${today}: ${what}`, () => {
    const { bills, after, nextDue, ends } = created(terms, today, given);
    assert.deepEqual(bills.map(shownBill), bill === undefined ? [] : [bill]);
    assert.equal(after.period && shownSpan(after.period), period);
    assert.deepEqual([nextDue, after.anchor.day, ends], [due, anchor, null]);
    assert.equal(after.cyclesBilled, bills.length);
  });

test("prices with VAT keep the gross, and a bill's VAT is taken out of it", () => {
  const [bill] = created(inclusive, "2027-01-01").bills;
  assert.deepEqual([bill?.subtotal, bill?.tax, bill?.total], [100_00, 15_00, 115_00]);
});
