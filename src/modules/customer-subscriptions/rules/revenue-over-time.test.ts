import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../../test/support/property.ts";
import { cents } from "../../../kernel/money.ts";
import { addDays, type CalendarDay } from "../../../kernel/time.ts";
import { MOVEMENT_KINDS } from "../types.ts";
import { type MovementOfDay, revenueOver } from "./revenue-over-time.ts";

const FIRST = "2027-01-01" as CalendarDay;
const ranges = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }))
  .map(([from, days]) => ({ from: addDays(FIRST, from), to: addDays(FIRST, from + days) }));
const movements = fc.array(
  fc.record({
    kind: fc.constantFrom(...MOVEMENT_KINDS),
    day: fc.integer({ min: 0, max: 90 }).map((day) => addDays(FIRST, day)),
    amount: fc.integer({ min: -5000, max: 5000 }).map(cents),
    count: fc.integer({ min: 1, max: 5 }),
  }),
);

test("opening and what moved it are closing, and the closing of days is the opening of the next", () => {
  fc.assert(
    fc.property(ranges, movements, fc.nat(100_000), ({ from, to }, all, amount) => {
      const since = all.filter(({ day }) => day >= from);
      const now = { amount: cents(amount), count: 40 };
      const { opening, moved, closing } = revenueOver({ from, to }, now, since);
      const sums = Object.values(moved).reduce((sum, one) => sum + one.amount, 0);
      assert.equal(opening.amount + sums, closing.amount);
      assert.equal(opening.count + moved.new.count + moved.reactivation.count - moved.churn.count, closing.count);
      const next = revenueOver({ from: addDays(to, 1), to: addDays(to, 30) }, now, since);
      assert.deepEqual(next.opening, closing);
    }),
  );
});

test("what is now is the closing of days that end today", () => {
  const one: MovementOfDay = { kind: "new", day: FIRST, amount: cents(500), count: 1 };
  const span = revenueOver({ from: FIRST, to: FIRST }, { amount: cents(1500), count: 3 }, [one]);
  assert.deepEqual(
    [span.opening, span.closing],
    [
      { amount: 1000, count: 2 },
      { amount: 1500, count: 3 },
    ],
  );
});
