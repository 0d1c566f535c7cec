import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { cents } from "../../kernel/money.ts";
import { type CalendarDay, instant, toTimestamp } from "../../kernel/time.ts";
import {
  allocate,
  amountDue,
  datesAsked,
  isPastDue,
  nextReminder,
  notesWithReason,
  overdueAt,
  statusOnTransaction,
} from "./rules.ts";
import type { InvoiceStatus } from "./types.ts";

const DAY = "2027-03-14" as CalendarDay;

describe("a payment and the balance", () => {
  for (const [amount, due, applied, excess] of [
    [100, 100, 100, 0],
    [1, 100, 1, 0],
    [101, 100, 100, 1],
    [100, 0, 0, 100],
  ] as const)
    test(`of ${amount} an invoice that asks for ${due} takes ${applied}`, () => {
      assert.deepEqual(allocate(cents(amount), cents(due)), { applied, excess });
    });

  test("no cent is lost or added, and no invoice is overpaid, in any order of payments", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.array(fc.integer({ min: 1, max: 5_000 })),
        (total, payments) => {
          let paid = cents(0);
          let credit = 0;
          for (const payment of payments) {
            const { applied, excess } = allocate(cents(payment), amountDue({ total: cents(total), paid }));
            assert.ok(applied >= 0 && excess >= 0);
            paid = cents(paid + applied);
            credit += excess;
          }
          const received = payments.reduce((sum, payment) => sum + payment, 0);
          assert.deepEqual([paid, paid + credit], [Math.min(total, received), received]);
        },
      ),
    );
  });
});

describe("overdue, by South African days", () => {
  for (const [now, past] of [
    ["2027-03-13T22:00:00.000Z", false],
    ["2027-03-14T21:59:59.999Z", false],
    ["2027-03-14T22:00:00.000Z", true],
    ["2027-03-15T22:00:00.000Z", true],
  ] as const)
    test(`due on ${DAY}, at ${now}: ${past}`, () => {
      assert.equal(isPastDue({ dueDate: DAY }, instant(now)), past);
    });

  test("begins at midnight after the due date, or never", () => {
    assert.equal(toTimestamp(overdueAt({ dueDate: DAY }) ?? assert.fail()), "2027-03-14T22:00:00.000Z");
    assert.equal(overdueAt({ dueDate: null }), null);
    assert.equal(isPastDue({ dueDate: null }, instant("2099-01-01T00:00:00Z")), false);
  });
});

for (const [status, now, shown] of [
  ["draft", "2027-03-20T10:00:00Z", "draft"],
  ["sent", "2027-03-20T10:00:00Z", "sent"],
  ["overdue", "2027-03-01T10:00:00Z", "overdue"],
  ["paid", "2027-03-20T10:00:00Z", "paid"],
  ["cancelled", "2027-03-20T10:00:00Z", "cancelled"],
  ["partially_paid", "2027-03-14T10:00:00Z", "sent"],
  ["partially_paid", "2027-03-15T10:00:00Z", "overdue"],
] as const satisfies [InvoiceStatus, string, string][])
  test(`on a transaction, ${status} at ${now} shows as ${shown}`, () => {
    assert.equal(statusOnTransaction({ status, dueDate: DAY }, instant(now)), shown);
  });

describe("reminders, at 08:00 of their day", () => {
  const days = { daysBefore: [3, 0], daysAfter: [1, 7] };
  for (const [now, at] of [
    ["2027-03-01T10:00:00Z", "2027-03-11T06:00:00.000Z"],
    ["2027-03-11T05:59:59Z", "2027-03-11T06:00:00.000Z"],
    ["2027-03-11T06:00:00Z", "2027-03-14T06:00:00.000Z"],
    ["2027-03-14T06:00:00Z", "2027-03-15T06:00:00.000Z"],
    ["2027-03-15T06:00:00Z", "2027-03-21T06:00:00.000Z"],
  ] as const)
    test(`after ${now}: ${at}`, () => assert.deepEqual(nextReminder(DAY, days, instant(now)), instant(at)));

  test("none after the last, without days, or without a due date", () => {
    assert.equal(nextReminder(DAY, days, instant("2027-03-21T06:00:00Z")), null);
    assert.equal(nextReminder(DAY, { daysBefore: [], daysAfter: [] }, instant("2027-01-01T00:00:00Z")), null);
    assert.equal(nextReminder(null, days, instant("2027-01-01T00:00:00Z")), null);
  });
});

for (const [notes, reason, after] of [
  [null, null, null],
  ["Thank you.", null, "Thank you."],
  ["Thank you.", "", "Thank you."],
  [null, "twice", "Cancelled: twice"],
  ["Thank you.", "twice", "Thank you.\n\nCancelled: twice"],
] as const)
  test(`notes ${JSON.stringify(notes)}, cancelled for ${JSON.stringify(reason)}`, () => {
    assert.equal(notesWithReason(notes, reason), after);
  });

describe("the dates of an invoice made on 14 March with 7 days to pay", () => {
  for (const [issueDate, dueDate, dates] of [
    [null, null, ["2027-03-14", "2027-03-21"]],
    ["2027-03-01", null, ["2027-03-01", "2027-03-21"]],
    ["2027-03-30", null, ["2027-03-30", "2027-04-06"]],
    [null, "2027-03-14", ["2027-03-14", "2027-03-14"]],
    ["2027-03-05", "2027-03-05", ["2027-03-05", "2027-03-05"]],
    ["2027-03-05", "2027-03-04", null],
    ["2027-03-30", "2027-03-14", null],
    [null, "2027-03-13", null],
  ] as const)
    test(`issued ${issueDate}, due ${dueDate}: ${dates ?? "refused"}`, () => {
      const asked = { issueDate: issueDate as CalendarDay | null, dueDate: dueDate as CalendarDay | null };
      if (dates) assert.deepEqual(Object.values(datesAsked(asked, DAY, 7)), dates);
      else assert.throws(() => datesAsked(asked, DAY, 7), /dueDate must not be before issueDate/);
    });
});
