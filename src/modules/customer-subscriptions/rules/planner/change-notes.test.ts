import assert from "node:assert/strict";
import { test } from "node:test";
import { day, priceOf, shownBill, subscribed, termsOf } from "../../../../../test/support/customer-subscription.ts";
import { toDecimalText } from "../../../../kernel/money.ts";
import { type Change, type ChangeOutcome, change, endingNote } from "./change.ts";
import { end } from "./due.ts";
import { moveNextBilling, reactivate, resume } from "./move-and-resume.ts";
import type { Subscription, Terms } from "./types.ts";

const basic = termsOf(priceOf("Basic", 310));
const pro = termsOf(priceOf("Pro", 620));
const yearly = termsOf(priceOf("Yearly", 3650, { frequency: "annually" }));
const JANUARY = subscribed(basic, "2027-01-01");

const changed = (sub: Subscription, terms: Terms, today: string, given: Partial<Change> = {}): ChangeOutcome =>
  change(sub, { terms, proration: "now", invoiceNow: true, creditId: `on ${today}`, ...given }, day(today));

const extended = moveNextBilling(JANUARY, day("2027-03-01"));
const pending = { ...JANUARY, pendingChange: yearly };
const NOTED: [what: string, sub: Subscription, terms: Terms, given: Partial<Change>, note: string | null][] = [
  ["a change as any other", JANUARY, pro, {}, null],
  [
    "free days that a moved date gave",
    extended,
    pro,
    {},
    "The days from 2027-02-01 to 2027-02-28 are free: nothing is charged or credited for them.",
  ],
  ["free days, at the next renewal", extended, pro, { proration: "next_renewal" }, null],
  [
    "invoiceNow false and another frequency",
    JANUARY,
    yearly,
    { invoiceNow: false },
    "Another frequency begins a new period, which is charged on its first day: invoiceNow does not put that off.",
  ],
  [
    "another quantity while a change waits",
    pending,
    { ...basic, quantity: 2 },
    { proration: "none" },
    "The change to Yearly that waited for the renewal on 2027-02-01 is replaced.",
  ],
  ["the change that waits, again", pending, yearly, { proration: "next_renewal" }, null],
  [
    "a pause",
    JANUARY,
    pro,
    { isPaused: true },
    "The subscription is paused: nothing is charged or credited until it resumes. The days that are then left of its period are prorated on that day.",
  ],
];
for (const [what, sub, terms, given, note] of NOTED)
  test(`the note of ${what}`, () => {
    assert.equal(changed(sub, terms, "2027-01-16", given).preview.note, note);
  });

test("a change now in a pause is prorated from the day of the resume on", () => {
  const waiting = changed(JANUARY, pro, "2027-01-11", { isPaused: true });
  assert.deepEqual([waiting.bills, waiting.preview.proration], [[], "none"]);
  const again = (today: string) => resume(waiting.after, day(today), "c");
  assert.deepEqual(again("2027-01-16").bills.map(shownBill), [
    "proration 2027-01-16 to 2027-01-31; Pro in place of Basic (16 of 31 days) 160; total 184",
  ]);
  assert.deepEqual(again("2027-02-10").bills.map(shownBill), ["cycle 2027-02-10 to 2027-03-09; Pro 620; total 713"]);
  const down = changed(subscribed(pro, "2027-01-01"), basic, "2027-01-11", { isPaused: true });
  const resumed = resume(down.after, day("2027-01-16"), "c");
  assert.deepEqual(
    resumed.creditsMade.map(({ amount }) => toDecimalText(amount)),
    ["160.00"],
  );
  assert.equal(resumed.after.onResume, undefined);
  const longer = resume(changed(JANUARY, yearly, "2027-01-11", { isPaused: true }).after, day("2027-01-16"), "c");
  assert.deepEqual(longer.bills.map(shownBill), [
    "proration 2027-01-16 to 2028-01-15; Yearly, less unused days of Basic (16 of 31 days) 3490; total 4013.5",
  ]);
  const ended = reactivate(
    end(waiting.after, day("2027-01-12"), "cancelled").after,
    { nextBillingAt: null, chargeNow: null, creditId: "c" },
    day("2027-01-13"),
  ).after;
  assert.deepEqual(resume(ended, day("2027-01-16"), "c").bills, []);
});

const ENDING = { ...JANUARY, cancelAtPeriodEnd: true };
const CANCELLED = "The subscription is still cancelled at the end of its period, 2027-01-31.";
// What a change on 16 January says of the end of the subscription.
const NOTES: [what: string, Subscription, Terms, Partial<Change>, note: string | null][] = [
  ["one that goes on", JANUARY, pro, {}, null],
  ["a scheduled cancellation and an upgrade", ENDING, pro, {}, CANCELLED],
  ["a scheduled cancellation and no proration", ENDING, pro, { proration: "none" }, CANCELLED],
  [
    "a scheduled cancellation and a change that waits",
    ENDING,
    pro,
    { proration: "next_renewal" },
    `${CANCELLED} The change would come after that, and never takes effect.`,
  ],
  [
    "a scheduled cancellation and a new period",
    ENDING,
    yearly,
    {},
    "The subscription is still cancelled at the end of its period, 2028-01-15.",
  ],
  [
    "a scheduled cancellation and a credit",
    { ...subscribed(pro, "2027-01-01"), cancelAtPeriodEnd: true },
    basic,
    {},
    `${CANCELLED} No renewal uses the credit of R\u00a0160.00: what its last bill leaves of it stays with the subscription, for when it is reactivated, and is not paid out.`,
  ],
  [
    "the last cycle",
    JANUARY,
    termsOf(priceOf("Once", 620, { cycles: 1 })),
    {},
    "The subscription ends with 2027-01-31: all cycles of Once are billed by then.",
  ],
  [
    "the last cycle, with the renewal",
    JANUARY,
    termsOf(priceOf("Once", 620, { cycles: 1 })),
    { proration: "next_renewal" },
    "The subscription ends with 2027-01-31: all cycles of Once are billed by then.",
  ],
];
for (const [what, sub, terms, given, note] of NOTES)
  test(`what a change says of the end: ${what}`, () => {
    const outcome = changed(sub, terms, "2027-01-16", given);
    assert.equal(endingNote(outcome), note);
    const { preview } = outcome;
    assert.equal(preview.nextInvoice === null, note !== null);
  });
