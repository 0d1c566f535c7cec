import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { cents } from "../../kernel/money.ts";
import { type CalendarDay, type Instant, instant } from "../../kernel/time.ts";
import {
  afterCollection,
  afterReport,
  amountOfCollection,
  dateAfter,
  laterDate,
  type ReportedStatus,
} from "./rules.ts";

const at = (second: number): Instant => instant(Date.UTC(2027, 0, 1, 0, 0, second));
const START = {
  status: "active" as const,
  paused: { value: false, asOf: at(0) },
  pastDue: { value: false, asOf: at(0) },
};
type News =
  | { readonly status: ReportedStatus; readonly second: number }
  | { readonly missed: boolean; readonly second: number };
const heard = (news: readonly News[]) =>
  news.reduce<Parameters<typeof afterReport>[0]>(
    (subscription, one) =>
      "status" in one
        ? afterReport(subscription, one.status, at(one.second))
        : afterCollection(subscription, one.missed, at(one.second)),
    START,
  );

describe("reports of a subscription", () => {
  const TABLE: readonly (readonly [readonly News[], string])[] = [
    [[], "active"],
    [[{ missed: true, second: 1 }], "past_due"],
    [
      [
        { missed: true, second: 1 },
        { missed: false, second: 2 },
      ],
      "active",
    ],
    [
      [
        { missed: false, second: 2 },
        { missed: true, second: 1 },
      ],
      "active",
    ],
    [
      [
        { missed: true, second: 1 },
        { missed: false, second: 1 },
      ],
      "active",
    ],
    [[{ status: "paused", second: 1 }], "paused"],
    [
      [
        { status: "paused", second: 1 },
        { missed: false, second: 2 },
      ],
      "paused",
    ],
    [
      [
        { missed: true, second: 2 },
        { status: "paused", second: 1 },
      ],
      "paused",
    ],
    [
      [
        { status: "paused", second: 2 },
        { status: "active", second: 1 },
      ],
      "paused",
    ],
    [
      [
        { status: "paused", second: 1 },
        { status: "past_due", second: 2 },
      ],
      "past_due",
    ],
    [
      [
        { status: "cancelled", second: 1 },
        { status: "active", second: 2 },
      ],
      "cancelled",
    ],
    [
      [
        { status: "active", second: 2 },
        { status: "cancelled", second: 1 },
      ],
      "cancelled",
    ],
  ];
  for (const [news, status] of TABLE)
    test(`${JSON.stringify(news)} lead to ${status}`, () => assert.equal(heard(news).status, status));

  test("lead to the same in any order, and repeated", () => {
    const second = fc.integer({ min: 0, max: 4 });
    const one: fc.Arbitrary<News> = fc.oneof(
      fc.record({ status: fc.constantFrom<ReportedStatus>("active", "past_due", "paused", "cancelled"), second }),
      fc.record({ missed: fc.boolean(), second }),
    );
    const orders = fc
      .array(one, { maxLength: 6 })
      .chain((news) =>
        fc.tuple(fc.constant(news), fc.shuffledSubarray([...news, ...news], { minLength: news.length * 2 })),
      );
    fc.assert(fc.property(orders, ([news, other]) => assert.deepEqual(heard(other).status, heard(news).status)));
  });
});

test("the next date is the later of two reports", () => {
  const day = (text: string | null) => text as CalendarDay | null;
  for (const [known, reported, next] of [
    [null, null, null],
    [null, "2027-04-01", "2027-04-01"],
    ["2027-04-01", null, "2027-04-01"],
    ["2027-04-01", "2027-05-01", "2027-05-01"],
    ["2027-05-01", "2027-04-01", "2027-05-01"],
  ] as const)
    assert.equal(laterDate(day(known), day(reported)), next);
});

test("after a missing collection the gateway's next date is expected, or one period later", () => {
  const missing = "2027-01-31" as CalendarDay;
  assert.equal(dateAfter({ frequency: "monthly" }, missing, null), "2027-02-28");
  assert.equal(dateAfter({ frequency: "annually" }, missing, missing), "2028-01-31");
  assert.equal(dateAfter({ frequency: "monthly" }, missing, "2027-02-10" as CalendarDay), "2027-02-10");
});

test("a collection has the subscription's amount, or the other one that a change allows at its time", () => {
  const [old, now, third] = [cents(100), cents(150), cents(120)];
  const confirmed = { amount: now, otherAmount: { amount: old, until: at(5) } };
  const unclear = { amount: old, otherAmount: { amount: now, until: null } };
  const unchanged = { amount: old, otherAmount: null };
  for (const [subscription, amount, second, expected] of [
    [confirmed, now, 4, now],
    [confirmed, old, 5, old],
    [confirmed, old, 6, now],
    [confirmed, third, 4, now],
    [confirmed, null, 4, now],
    [unclear, now, 9, now],
    [unclear, old, 9, old],
    [unclear, third, 9, old],
    [unchanged, now, 9, old],
  ] as const)
    assert.equal(amountOfCollection(subscription, { amount, at: at(second) }), expected);
});
