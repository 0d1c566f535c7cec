import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type Days, daysBefore, divided, moneyPlaces, receivedSpans } from "./rules.ts";
import type { MoneyAccount, MoneyPart } from "./types.ts";

const days = (from: string, to: string) => ({ from, to }) as Days;

test("the overview reads from the month before on, and always thirty days", () => {
  const spans = (day: string) => {
    const { thisMonth, lastMonth, shown, from } = receivedSpans(day as CalendarDay);
    return [thisMonth.from, lastMonth.from, lastMonth.to, shown.from, from];
  };
  assert.deepEqual(spans("2027-03-15"), ["2027-03-01", "2027-02-01", "2027-02-28", "2027-02-14", "2027-02-01"]);
  assert.deepEqual(spans("2027-03-31"), ["2027-03-01", "2027-02-01", "2027-02-28", "2027-03-02", "2027-02-01"]);
  assert.deepEqual(spans("2027-01-01"), ["2027-01-01", "2026-12-01", "2026-12-31", "2026-12-03", "2026-12-01"]);
});

test("days are compared with as many days before them", () => {
  assert.deepEqual(daysBefore(days("2027-04-01", "2027-04-14")), days("2027-03-18", "2027-03-31"));
  assert.deepEqual(daysBefore(days("2027-01-01", "2027-01-01")), days("2026-12-31", "2026-12-31"));
  assert.deepEqual(daysBefore(days("2027-02-01", "2027-02-28")), days("2027-01-04", "2027-01-31"));
});

test("days are divided by days, weeks from Monday, and months, which may be cut at both ends", () => {
  assert.deepEqual(divided(days("2027-04-01", "2027-04-02"), "day"), [
    days("2027-04-01", "2027-04-01"),
    days("2027-04-02", "2027-04-02"),
  ]);
  assert.deepEqual(divided(days("2027-04-01", "2027-04-13"), "week"), [
    days("2027-04-01", "2027-04-04"),
    days("2027-04-05", "2027-04-11"),
    days("2027-04-12", "2027-04-13"),
  ]);
  assert.deepEqual(divided(days("2026-12-31", "2027-02-01"), "month"), [
    days("2026-12-31", "2026-12-31"),
    days("2027-01-01", "2027-01-31"),
    days("2027-02-01", "2027-02-01"),
  ]);
});

const held = (account: MoneyAccount, amount: number) => ({ account, amount: cents(amount) });
const partOf = (name: string | null, amount: number, id: string | null = null): MoneyPart => ({
  name,
  id,
  amount: cents(amount),
});
for (const [name, of, known, expected] of [
  ["nothing", [], {}, []],
  ["an account that is zero is left out", [held("bank", 5), held("bank", -5)], {}, []],
  [
    "accounts are in the order of the money's way, whatever that of the rows",
    [held("own_transfers", -3), held("gateway_fees", 1), held("bank", 2), held("bank_reconciled", 9)],
    {},
    [
      ["bank_reconciled", 9],
      ["bank", 2],
      ["gateway_fees", 1],
      ["own_transfers", -3],
    ],
  ],
  [
    "parts add up, the most first",
    [held("gateway_clearing", 10), held("gateway_clearing", 30)],
    { gateway_clearing: [partOf("One", 10, "a"), partOf("Two", 30, "b")] },
    [["gateway_clearing", 40, partOf("Two", 30, "b"), partOf("One", 10, "a")]],
  ],
  [
    "what is in no known account is a part",
    [held("bank_reconciled", 100)],
    { bank_reconciled: [partOf("Cheque", 70), partOf("Empty", 0)] },
    [["bank_reconciled", 100, partOf("Cheque", 70), partOf(null, 30)]],
  ],
  [
    "also where known accounts hold more than all",
    [held("bank_reconciled", 100)],
    { bank_reconciled: [partOf("Cheque", 130)] },
    [["bank_reconciled", 100, partOf("Cheque", 130), partOf(null, -30)]],
  ],
  [
    "all is of no account",
    [held("bank_reconciled", 7)],
    { bank_reconciled: [] },
    [["bank_reconciled", 7, partOf(null, 7)]],
  ],
  ["accounts are not told", [held("bank_reconciled", 7)], {}, [["bank_reconciled", 7]]],
] as const)
  test(`where the money is: ${name}`, () => {
    assert.deepEqual(
      moneyPlaces(of, known).map(({ place, amount, parts }) => [place, amount, ...parts]),
      expected,
    );
  });
