import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addon,
  created,
  credit,
  day,
  priceOf,
  shownBill,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import { fc } from "../../../../../test/support/property.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { cents, fromRand, sum, toDecimalText } from "../../../../kernel/money.ts";
import { addDays } from "../../../../kernel/time.ts";
import { type ChangeOutcome, change } from "./change.ts";
import { billDue, end } from "./due.ts";
import { reactivate } from "./move-and-resume.ts";
import type { Bill, Credit, Outcome, Price, Subscription, Terms } from "./types.ts";
import { type HeldBill, withoutGivenBack } from "./worth.ts";

const plain = (name: string, rand: number, given: Partial<Price> = {}): Terms =>
  termsOf(priceOf(name, rand, { taxRate: "0" as Decimal, ...given }));
const reed = plain("Reed", 310);
const oak = plain("Oak", 620);
const yearly = plain("Yearly", 3650, { frequency: "annually" });
const free = plain("Free", 0);

/** A subscription whose bills can be undone, and the credit that it was given for unused days. */
class History {
  sub: Subscription;
  held: HeldBill[] = [];

  constructor({ bills, after }: Outcome) {
    this.sub = after;
    this.make(bills);
  }

  make(bills: readonly Bill[]): void {
    for (const { cycle, total, creditsUsed } of bills) {
      const charged = sum([total, ...creditsUsed.map(({ amount }) => amount)]);
      this.held.push({ cycle, charged, held: charged });
    }
  }

  change(terms: Terms, today: string, given: { readonly invoiceNow?: boolean } = {}): ChangeOutcome {
    const wanted = {
      terms,
      proration: "now",
      invoiceNow: true,
      creditId: `credit ${this.held.length}`,
      ...given,
    } as const;
    const outcome = change(this.sub, wanted, day(today), this.held);
    this.make(outcome.bills);
    this.sub = outcome.after;
    return outcome;
  }

  /** Cancels a bill, or takes back an amount of it, in rand: refunded or credited. */
  undo(place: number, rand: number | "all"): void {
    const bill = this.held[place];
    assert.ok(bill, `there is a bill ${place}`);
    const left = rand === "all" ? cents(0) : cents(Math.max(0, bill.held - fromRand(rand)));
    this.held[place] = { ...bill, held: left };
    this.sub = { ...this.sub, credits: withoutGivenBack(this.sub.credits, this.held, this.sub.terms.price).credits };
  }
}

const begun = (terms: Terms): History => new History(created(terms, "2027-01-01"));

/** What a change costs: the bill, else the credit, else nothing. */
const costOf = ({ bills: [bill], creditsMade: [made] }: ChangeOutcome): string =>
  [
    bill && bill.total > 0 ? `bill ${toDecimalText(bill.total)}` : "",
    made ? `credit ${toDecimalText(made.amount)}` : "",
  ]
    .filter(Boolean)
    .join(", ") || "nothing";

type Step = readonly ["undo", number, number | "all"] | readonly ["to", Terms, string, string];

const TABLE: readonly (readonly [what: string, from: Terms, ...steps: Step[]])[] = [
  ["an open or paid invoice counts", yearly, ["to", reed, "2027-01-11", "credit 3240.00"]],
  [
    "a cancelled invoice: nothing was paid for the days",
    yearly,
    ["undo", 0, "all"],
    ["to", reed, "2027-01-11", "bill 310.00"],
  ],
  ["half refunded: the days are worth half", oak, ["undo", 0, 310], ["to", reed, "2027-01-01", "nothing"]],
  ["half credited, in the middle of the period", oak, ["undo", 0, 310], ["to", free, "2027-01-16", "credit 160.00"]],
  [
    "a cancelled upgrade, and back",
    reed,
    ["to", oak, "2027-01-11", "bill 210.00"],
    ["undo", 1, "all"],
    ["to", reed, "2027-01-11", "nothing"],
  ],
  [
    "a cancelled upgrade, and back later",
    reed,
    ["to", oak, "2027-01-11", "bill 210.00"],
    ["undo", 1, "all"],
    ["to", reed, "2027-01-21", "nothing"],
  ],
  [
    "an upgrade, and what came before it cancelled",
    reed,
    ["to", oak, "2027-01-11", "bill 210.00"],
    ["undo", 0, "all"],
    ["to", reed, "2027-01-21", "nothing"],
  ],
  [
    "all of it cancelled: the days are billed anew",
    reed,
    ["to", oak, "2027-01-11", "bill 210.00"],
    ["undo", 0, "all"],
    ["undo", 1, "all"],
    ["to", reed, "2027-01-21", "bill 110.00"],
  ],
  [
    "a cancelled upgrade, and another",
    reed,
    ["to", oak, "2027-01-11", "bill 210.00"],
    ["undo", 1, "all"],
    ["to", oak, "2027-01-11", "bill 210.00"],
    ["to", reed, "2027-01-11", "credit 210.00"],
  ],
  [
    "what was credited is not credited again",
    oak,
    ["to", reed, "2027-01-01", "credit 310.00"],
    ["to", oak, "2027-01-01", "nothing"],
    ["to", reed, "2027-01-01", "credit 310.00"],
  ],
  [
    "credited, then refunded as far: nothing is left",
    oak,
    ["to", reed, "2027-01-01", "credit 310.00"],
    ["undo", 0, 310],
    ["to", free, "2027-01-01", "nothing"],
  ],
  [
    "credited, then refunded in part",
    oak,
    ["to", reed, "2027-01-01", "credit 310.00"],
    ["undo", 0, 155],
    ["to", free, "2027-01-01", "credit 155.00"],
  ],
  [
    "the worth of days that a new frequency took over",
    reed,
    ["to", yearly, "2027-01-01", "bill 3340.00"],
    ["undo", 0, "all"],
    ["to", free, "2027-01-01", "credit 3340.00"],
  ],
  [
    "a credit whose bill is cancelled is withdrawn, and so is what it paid of another period",
    yearly,
    ["to", reed, "2027-01-11", "credit 3240.00"],
    ["undo", 0, "all"],
    ["to", oak, "2027-01-11", "bill 620.00"],
  ],
  [
    "an add-on whose bill is cancelled",
    reed,
    ["to", { ...reed, items: [addon("seat", 31)] }, "2027-01-01", "bill 31.00"],
    ["undo", 1, "all"],
    ["to", reed, "2027-01-01", "nothing"],
  ],
  [
    "a quantity whose bill is partly refunded",
    reed,
    ["to", { ...reed, quantity: 2 }, "2027-01-01", "bill 310.00"],
    ["undo", 1, 155],
    ["to", reed, "2027-01-01", "credit 155.00"],
  ],
];

for (const [what, from, ...steps] of TABLE)
  test(what, () => {
    const history = begun(from);
    for (const step of steps)
      if (step[0] === "undo") history.undo(step[1], step[2]);
      else assert.equal(costOf(history.change(step[1], step[2])), step[3]);
  });

test("reactivated while its period runs: it is billed anew when nothing of the period is paid or owed, else not", () => {
  for (const [undone, bills] of [
    [0, []],
    [300, []],
    [310, ["cycle 2027-01-11 to 2027-02-10; Reed 310; total 310"]],
  ] as const) {
    const history = begun(reed);
    history.undo(0, undone);
    const ended = end(history.sub, day("2027-01-05"), "cancelled").after;
    const asked = { nextBillingAt: null, chargeNow: null, creditId: "again" };
    assert.deepEqual(reactivate(ended, asked, day("2027-01-11"), history.held).bills.map(shownBill), bills);
    const undoing = { ...history.sub, cancelAtPeriodEnd: true };
    assert.deepEqual(reactivate(undoing, asked, day("2027-01-11"), history.held).bills, []);
  }
});

test("a reactivation on the day on which its period had begun is billed once more", () => {
  const history = begun(reed);
  for (const kind of ["cycle", "cycle"]) {
    history.undo(history.held.length - 1, "all");
    const asked = { nextBillingAt: null, chargeNow: null, creditId: "again" };
    const outcome = reactivate(
      end(history.sub, day("2027-01-01"), "cancelled").after,
      asked,
      day("2027-01-01"),
      history.held,
    );
    assert.deepEqual(outcome.bills.map(shownBill), [`${kind} 2027-01-01 to 2027-01-31; Reed 310; total 310`]);
    history.make(outcome.bills);
    history.sub = outcome.after;
  }
});

test("a credit that staff gave stays, whatever becomes of bills", () => {
  const given = [credit("goodwill", 60)];
  assert.deepEqual(
    withoutGivenBack(given, [{ cycle: 1, charged: cents(100), held: cents(0) }], reed.price).credits,
    given,
  );
});

const actions = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ to: fc.nat(4), quantity: fc.integer({ min: 1, max: 3 }), invoiceNow: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        undo: fc.nat(9),
        rand: fc.oneof(fc.constant("all" as const), fc.integer({ min: 1, max: 700 })),
      }),
    },
    { weight: 1, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 20 }) }) },
  ),
  { maxLength: 14 },
);

test("whatever is billed, undone and changed: credit for unused days never exceeds what is still paid or owed, and without anything undone it is the plain worth", () => {
  fc.assert(
    fc.property(actions, fc.constantFrom(0, 15), fc.boolean(), (steps, rate, taxInclusive) => {
      const vat = { taxRate: String(rate) as Decimal, taxInclusive };
      const plans = [310, 620, 155, 0].map((rand) => plain(`P${rand}`, rand, vat));
      plans.push(plain("Yearly", 3650, { ...vat, frequency: "annually" }));
      const history = begun(plans[1] ?? oak);
      let credits: readonly Credit[] = [];
      let today = day("2027-01-01");
      let undone = false;
      for (const [place, step] of steps.entries()) {
        if ("pass" in step) {
          today = addDays(today, step.pass);
          const due = billDue(history.sub, today);
          history.make(due.bills);
          history.sub = due.after;
        } else if ("undo" in step) {
          history.undo(step.undo % history.held.length, step.rand);
          credits = withoutGivenBack(credits, history.held, history.sub.terms.price).credits;
          undone = true;
        } else {
          const to = { ...(plans[step.to] ?? reed), quantity: step.quantity };
          const plainly = change(history.sub, wantedOf(to), today);
          const outcome = history.change(to, today, { invoiceNow: step.invoiceNow });
          if (!undone && step.invoiceNow) assert.deepEqual(costOf(outcome), costOf(plainly));
          credits = [...credits, ...outcome.creditsMade];
          // Credits are kept apart, so that none is used.
          history.sub = { ...history.sub, credits: [] };
        }
        const withVat = credits.map(({ amount }) =>
          taxInclusive ? amount : amount + Math.round((amount * rate) / 100),
        );
        const waits = history.sub.carried.map(({ amount }) => Math.round(amount * (taxInclusive ? 1 : 1 + rate / 100)));
        const [given, there] = [[...withVat], [...history.held.map(({ held }) => held), ...waits]].map((all) =>
          (all as readonly number[]).reduce((total, amount) => total + amount, 0),
        );
        assert.ok((given ?? 0) <= (there ?? 0) + place + 2, `${given} is given back of ${there}`);
      }
    }),
    { numRuns: 400 },
  );
});

const wantedOf = (terms: Terms) => ({ terms, proration: "now", invoiceNow: true, creditId: "plain" }) as const;
