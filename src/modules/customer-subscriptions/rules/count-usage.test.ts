import assert from "node:assert/strict";
import { test } from "node:test";
import {
  day,
  metered,
  priceOf,
  shownBill,
  subscribed,
  termsOf,
} from "../../../../test/support/customer-subscription.ts";
import { fc } from "../../../../test/support/property.ts";
import type { Decimal } from "../../../kernel/decimal.ts";
import { type CalendarDay, startOfDay, toTimestamp } from "../../../kernel/time.ts";
import { counted, placeOf, type Use } from "./count-usage.ts";
import { billDue } from "./planner/due.ts";
import { moveNextBilling } from "./planner/move-and-resume.ts";
import type { Aggregation, Metered, Subscription } from "./planner/types.ts";

const CALLS = metered("Calls", 1);
const PLAN = priceOf("Basic", 0, { taxRate: "0" as Decimal });

/** Billed until the end of January 2027. */
const running = (item: Metered = CALLS, given = {}): Subscription =>
  subscribed(termsOf(PLAN, { items: [item] }), "2027-01-01", given);

const useOf = (sub: Subscription, on: string, quantity: number, value?: Use["value"]): Use => ({
  quantity: String(quantity) as Decimal,
  at: toTimestamp(startOfDay(day(on))),
  place: placeOf(sub, false, day(on)),
  ...(value && { value }),
});

/** The subscription after an event of its item. */
function after(sub: Subscription, on: string, quantity: number, value?: Use["value"]): Subscription {
  const items = sub.terms.items.map((item) =>
    item.kind === "metered" ? counted(item, useOf(sub, on, quantity, value)) : item,
  );
  return { ...sub, terms: { ...sub.terms, items } };
}

const billed = (sub: Subscription, on: string): string[] =>
  billDue(sub, day(on)).bills.map((bill) => shownBill(bill).replace("; Basic 0", ""));

test("an event counts in the period of its day, late in the next bill, and free in a trial that is over", () => {
  const tried = billDue(running(CALLS, { trialDays: 14 }), day("2027-01-20")).after;
  const rows: [sub: Subscription, isPaused: boolean, on: string, place: unknown][] = [
    [running(), false, "2027-01-01", "open"],
    [running(), false, "2027-01-31", "open"],
    [running(), false, "2027-02-01", { from: "2027-02-01" }],
    [running(), true, "2027-02-01", "open"],
    [running(), false, "2026-12-31", "late"],
    [tried, false, "2027-01-14", "free"],
    [tried, false, "2027-01-15", "open"],
    [tried, false, "2026-12-31", "late"],
    [running(CALLS, { startsOn: day("2027-03-01") }), false, "2027-01-01", "open"],
  ];
  for (const [sub, isPaused, on, place] of rows) assert.deepEqual(placeOf(sub, isPaused, day(on)), place, on);
});

test("what is used after the period's end waits for the bill of the next period", () => {
  const sub = after(after(running(), "2027-01-31", 5), "2027-02-01", 7);
  assert.deepEqual(billed(sub, "2027-03-01"), [
    "cycle 2027-02-01 to 2027-02-28; Calls 5; total 5",
    "cycle 2027-03-01 to 2027-03-31; Calls 7; total 7",
  ]);
});

test("when the period's end moves, what was used by then is billed with it", () => {
  for (const [aggregation, amount] of [
    ["sum", 12],
    ["max", 7],
    ["last", 7],
  ] as [Aggregation, number][]) {
    const sub = after(after(running({ ...CALLS, aggregation }), "2027-01-31", 5), "2027-02-01", 7);
    const [bill] = billed(moveNextBilling(sub, day("2027-02-11")), "2027-02-11");
    assert.equal(bill, `cycle 2027-02-11 to 2027-03-10; Calls ${amount}; total ${amount}`, aggregation);
  }
});

test("late usage is named, once", () => {
  const late = after(after(running(), "2026-12-30", 3), "2027-01-02", 4);
  assert.deepEqual(billed(late, "2027-02-01"), ["cycle 2027-02-01 to 2027-02-28; Calls (of which 3 late) 7; total 7"]);
  const largest = after(running({ ...CALLS, aggregation: "max" }), "2026-12-30", 3);
  assert.deepEqual(billed(largest, "2027-02-01"), [
    "cycle 2027-02-01 to 2027-02-28; Calls (with 1 late event) 3; total 3",
  ]);
  assert.deepEqual(billDue(late, day("2027-02-01")).after.terms.items, [CALLS]);
});

test("whatever the order, sum, max and last of a period come to the same, and each event is in its own", () => {
  const days = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 99 })), {
    minLength: 1,
    maxLength: 20,
  });
  const dayOf = (place: number): CalendarDay => day(`2027-01-${String(place + 1).padStart(2, "0")}`);
  fc.assert(
    fc.property(days, fc.constantFrom("sum", "max", "last"), (uses, aggregation: Aggregation) => {
      // Of one time there is one event.
      const own = [...new Map(uses.map((use) => [use[0], use])).values()];
      const total = (events: typeof own) => {
        const sub = events.reduce(
          (all, [on, quantity]) => after(all, dayOf(on), quantity),
          running({ ...CALLS, aggregation }),
        );
        const [item] = sub.terms.items;
        return item?.kind === "metered" ? Number(item.usage) : -1;
      };
      const quantities = own.map(([, quantity]) => quantity);
      const expected = {
        sum: quantities.reduce((all, one) => all + one, 0),
        max: Math.max(...quantities),
        last: own.toSorted(([one], [other]) => one - other).at(-1)?.[1] ?? 0,
        unique: 0,
      }[aggregation];
      assert.equal(total(own), expected);
      assert.equal(total(own.toReversed()), expected);
      assert.equal(total(own.toSorted((a, b) => a[1] - b[1])), expected);
    }),
  );
});
