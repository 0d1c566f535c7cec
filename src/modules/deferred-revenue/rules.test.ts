import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import type { CustomerId, InvoiceId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { addDays, addMonths, type CalendarDay } from "../../kernel/time.ts";
import { addedUp, movedIn, proportions, unearned } from "./rules.ts";
import type { Month, Movement, ServiceInvoice, TakenBack } from "./types.ts";

const day = (text: string) => text as CalendarDay;
const month = (first: string): Month => ({ first: day(first), last: addDays(addMonths(day(first), 1), -1) });
const invoiceOf = (
  posted: string,
  services: readonly (readonly [start: string, end: string, amount: number])[],
  takenBack: readonly (readonly [day: string, amount: number | "all"])[] = [],
): ServiceInvoice => ({
  ...{ id: "inv_1" as InvoiceId, number: "INV-1", customerId: "cus_1" as CustomerId, customerName: null },
  posted: day(posted),
  lines: services.map(([start, end, amount], at) => ({
    ...{ line: at + 1, description: "Service", start: day(start), end: day(end), amount: cents(amount) },
  })),
  takenBack: takenBack.map(([on, amount]) => ({ day: day(on), amount: amount === "all" ? amount : cents(amount) })),
});
const figures = (moved: Movement | undefined) =>
  moved ? [moved.opening, moved.deferred, moved.recognised, moved.reversed, moved.closing] : null;
const over = (invoice: ServiceInvoice, ...months: string[]) =>
  months.map((first) => figures(movedIn(invoice, month(first))?.moved));

test("a period is earned by its days in whole cents, and its last day takes the rounding", () => {
  const week = { start: day("2027-01-29"), end: day("2027-02-04"), amount: cents(100) };
  for (const [on, left] of [
    ["2027-01-28", 100],
    ["2027-01-29", 86],
    ["2027-01-31", 58],
    ["2027-02-03", 15],
    ["2027-02-04", 0],
    ["2027-03-01", 0],
  ] as const)
    assert.equal(unearned(week, day(on)), left, on);
});

test("what days after the month's end bear is deferred, and recognised in their months", () => {
  for (const [name, invoice, expected] of [
    [
      "a year in advance",
      invoiceOf("2027-01-15", [["2027-01-01", "2027-12-31", 36_500]]),
      [
        [0, 33_400, 0, 0, 33_400],
        [33_400, 0, 2_800, 0, 30_600],
        [30_600, 0, 3_100, 0, 27_500],
      ],
    ],
    [
      "before its period",
      invoiceOf("2027-01-15", [["2027-03-01", "2027-03-31", 500]]),
      [
        [0, 500, 0, 0, 500],
        [500, 0, 0, 0, 500],
        [500, 0, 500, 0, 0],
      ],
    ],
    ["in arrears", invoiceOf("2027-02-01", [["2027-01-01", "2027-01-31", 500]]), [null, null, null]],
    [
      "partly in arrears: what is past is earned when it is posted",
      invoiceOf("2027-02-10", [["2027-01-01", "2027-03-01", 600]]),
      [null, [0, 10, 0, 0, 10], [10, 0, 10, 0, 0]],
    ],
    [
      "cancelled: what is not earned is reversed, and nothing is recognised any more",
      invoiceOf("2027-01-15", [["2027-01-01", "2027-12-31", 36_500]], [["2027-02-11", "all"]]),
      [[0, 33_400, 0, 0, 33_400], [33_400, 0, 1_000, 32_400, 0], null],
    ],
    [
      "cancelled in its month",
      invoiceOf("2027-01-15", [["2027-01-01", "2027-12-31", 36_500]], [["2027-01-20", "all"]]),
      [null, null, null],
    ],
    [
      "a credit note takes what is not earned first, and the days that are left bear the rest",
      invoiceOf(
        "2027-01-15",
        [["2027-01-01", "2027-03-31", 9_000]],
        [
          ["2027-03-02", 3_100],
          ["2027-03-11", 999_999],
        ],
      ),
      [
        [0, 5_900, 0, 0, 5_900],
        [5_900, 0, 2_800, 0, 3_100],
        [3_100, 0, 100, 3_000, 0],
      ],
    ],
    [
      "a credit note takes of each line in proportion",
      invoiceOf(
        "2027-01-15",
        [
          ["2027-02-01", "2027-02-28", 300],
          ["2027-03-01", "2027-03-31", 100],
        ],
        [["2027-01-16", 200]],
      ),
      [
        [0, 200, 0, 0, 200],
        [200, 0, 150, 0, 50],
        [50, 0, 50, 0, 0],
      ],
    ],
  ] as const)
    assert.deepEqual(over(invoice, "2027-01-01", "2027-02-01", "2027-03-01"), expected, name);
});

const START = day("2027-01-01");
const someDay = (most: number) => fc.integer({ min: 0, max: most }).map((days) => addDays(START, days));
const someInvoice = fc
  .record({
    posted: someDay(60),
    lines: fc.array(
      fc.record({
        start: someDay(150),
        days: fc.integer({ min: 0, max: 400 }),
        amount: fc.integer({ min: 0, max: 99_999 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    notes: fc.array(fc.record({ after: fc.nat(400), amount: fc.integer({ min: 1, max: 60_000 }) }), { maxLength: 3 }),
    cancelled: fc.option(fc.nat(400)),
  })
  .map(({ posted, lines, notes, cancelled }): ServiceInvoice => {
    const taken: TakenBack[] = notes.map(({ after, amount }) => ({
      day: addDays(posted, after),
      amount: cents(amount),
    }));
    taken.sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)));
    const services = lines.map(({ start, days, amount }) => [start, addDays(start, days), amount] as const);
    const last = taken.at(-1)?.day ?? posted;
    if (cancelled !== null) taken.push({ day: addDays(last, cancelled), amount: "all" });
    return { ...invoiceOf(posted, services), takenBack: taken };
  });
const MONTHS = Array.from({ length: 36 }, (_, at) => month(addMonths(START, at)));

/** The cents of each day of each line, computed day by day; reversed amounts are computed again. */
function dayByDay({ posted, lines, takenBack }: ServiceInvoice) {
  const spread = (from: CalendarDay, until: CalendarDay, amount: number) => {
    const days: CalendarDay[] = [];
    for (let one = from; one <= until; one = addDays(one, 1)) days.push(one);
    let rest = amount;
    return new Map(
      days.map((one, at) => {
        const share = amount - rest;
        const upTo = Number((BigInt(amount) * BigInt(at + 1)) / BigInt(days.length));
        rest -= upTo - share;
        return [one, upTo - share] as const;
      }),
    );
  };
  const from = (cells: ReadonlyMap<CalendarDay, number>, on: CalendarDay) =>
    [...cells].reduce((sum, [one, amount]) => sum + (one >= on ? amount : 0), 0);
  const cells = lines.map(({ start, end, amount }) => spread(start, end, amount));
  const balances = new Map<string, number>();
  const taken = new Map<string, number>();
  let next = 0;
  for (const { first, last } of MONTHS) {
    for (let one = takenBack[next]; one && one.day <= last; one = takenBack[++next]) {
      const on = one.day;
      const left = cells.map((of) => from(of, on));
      const shares = proportions(
        cents(
          Math.min(
            one.amount === "all" ? Number.MAX_SAFE_INTEGER : one.amount,
            left.reduce((a, b) => a + b, 0),
          ),
        ),
        left.map(cents),
      );
      for (const [at, line] of lines.entries()) {
        if (!shares[at]) continue;
        const isBegun = on > line.start;
        const anew = spread(isBegun ? on : line.start, line.end, (left[at] ?? 0) - shares[at]);
        for (const [when, amount] of anew) cells[at]?.set(when, amount);
        taken.set(first, (taken.get(first) ?? 0) + shares[at]);
      }
    }
    balances.set(first, posted > last ? 0 : cells.reduce((sum, of) => sum + from(of, addDays(last, 1)), 0));
  }
  return { balances, taken };
}

test("every cent is recognised or taken back once, a month opens as the last one closed, and a count day by day says the same", () => {
  fc.assert(
    fc.property(someInvoice, (invoice) => {
      const { balances, taken } = dayByDay(invoice);
      let before = 0;
      for (const one of MONTHS) {
        const lines = movedIn(invoice, one)?.lines.map((line) => line.moved) ?? [];
        const { opening, deferred, recognised, reversed, closing } = addedUp(lines);
        assert.equal(opening, before, `${one.first} opens as the last one closed`);
        assert.equal(opening + deferred - recognised - reversed, closing);
        for (const of of lines) assert.ok(Math.min(...Object.values(of)) >= 0, JSON.stringify(of));
        assert.equal(closing, balances.get(one.first), one.first);
        assert.equal(reversed, opening === 0 ? 0 : (taken.get(one.first) ?? 0), one.first);
        before = closing;
      }
      assert.equal(before, 0);
    }),
  );
});

test("shares add up, and none exceeds its part", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9_999), { minLength: 1 }), fc.nat(100), (parts, percent) => {
      const total = parts.reduce((a, b) => a + b, 0);
      const amount = Math.floor((total * percent) / 100);
      const shares = proportions(cents(amount), parts.map(cents));
      assert.equal(
        shares.reduce((a: number, b) => a + b, 0),
        amount,
      );
      for (const [at, share] of shares.entries()) assert.ok(share >= 0 && share <= (parts[at] ?? 0));
    }),
  );
});
