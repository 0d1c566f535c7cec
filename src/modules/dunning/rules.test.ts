import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { dueNow, missed, nextStep, stepAfterMiss, takenBack, withNewCard } from "./rules.ts";
import type { Collection } from "./types.ts";

const NEW: Collection = {
  invoiceId: "inv_1" as never,
  subscriptionId: "csub_1" as never,
  missedAt: null,
  retries: 0,
  isHard: false,
  newCardId: null,
  ended: null,
  createdAt: instant("2027-04-01T00:00:00Z"),
};
/** Failed at 14:00 South African time of 5 April. */
const MISSED: Collection = { ...NEW, missedAt: instant("2027-04-05T12:00:00Z") };
const DEFAULT = { retryDays: [1, 3, 5, 7] };

describe("what follows a missed attempt", () => {
  const ROWS: [string, Partial<Collection>, readonly number[], string, string | null][] = [
    ["the first day", {}, [1, 3, 5, 7], "2027-04-05T12:00:00Z", "retry 2027-04-05T22:00:00.000Z"],
    ["the second", { retries: 1 }, [1, 3, 5, 7], "2027-04-06T12:00:00Z", "retry 2027-04-07T22:00:00.000Z"],
    ["the last", { retries: 3 }, [1, 3, 5, 7], "2027-04-11T12:00:00Z", "retry 2027-04-11T22:00:00.000Z"],
    [
      "a day that has passed: at once",
      { retries: 1 },
      [1, 3, 5, 7],
      "2027-04-10T12:00:00Z",
      "retry 2027-04-10T12:00:00.000Z",
    ],
    [
      "after the last, the end",
      { retries: 4 },
      [1, 3, 5, 7],
      "2027-04-14T12:00:00Z",
      "give_up 2027-04-14T12:00:00.000Z",
    ],
    ["without days, the end", {}, [], "2027-04-05T12:00:00Z", "give_up 2027-04-05T12:00:00.000Z"],
    [
      "a hard decline: the end, on the last day",
      { isHard: true },
      [1, 3, 5, 7],
      "2027-04-05T12:00:00Z",
      "give_up 2027-04-11T22:00:00.000Z",
    ],
    [
      "a hard decline at last: at once",
      { isHard: true, retries: 4 },
      [1, 3],
      "2027-04-14T12:00:00Z",
      "give_up 2027-04-14T12:00:00.000Z",
    ],
    ["a hard decline without days", { isHard: true }, [], "2027-04-05T12:00:00Z", "give_up 2027-04-05T12:00:00.000Z"],
    ["once it has ended, nothing", { ended: "given_up" }, [1, 3, 5, 7], "2027-04-05T12:00:00Z", null],
    ["while nothing was missed, nothing", { missedAt: null }, [1, 3, 5, 7], "2027-04-05T12:00:00Z", null],
  ];
  for (const [what, fields, retryDays, now, expected] of ROWS)
    test(what, () => {
      const next = nextStep({ ...MISSED, ...fields }, { retryDays }, instant(now));
      assert.equal(next && `${next.step} ${new Date(next.at as never).toISOString()}`, expected);
    });
});

test("right after a miss, a retry whose day has passed is made tomorrow, and any other on its day", () => {
  const at = (retries: number, now: string) => stepAfterMiss({ ...MISSED, retries }, DEFAULT, instant(now));
  assert.deepEqual(at(1, "2027-04-10T12:00:00Z"), { step: "retry", at: instant("2027-04-10T22:00:00Z") });
  assert.deepEqual(at(0, "2027-04-05T12:00:00Z"), { step: "retry", at: instant("2027-04-05T22:00:00Z") });
  const withCard = { ...MISSED, retries: 1, newCardId: "card_1" as never };
  const now = instant("2027-04-06T12:00:00Z");
  assert.deepEqual(stepAfterMiss(withCard, DEFAULT, now), { step: "retry", at: now }, "a new card");
  assert.deepEqual(at(4, "2027-04-14T12:00:00Z"), { step: "give_up", at: instant("2027-04-14T12:00:00Z") });
});

test("days are counted from the first failure, however many follow", () => {
  const first = missed(NEW, { isHard: false, now: instant("2027-04-05T12:00:00Z") });
  const second = missed(first, { isHard: true, now: instant("2027-04-08T12:00:00Z") });
  assert.deepEqual(second, { ...MISSED, isHard: true });
});

describe("what is due", () => {
  const now = instant("2027-04-05T22:00:00Z");
  const ROWS: [string, Collection, unknown][] = [
    ["a new one: its first attempt", NEW, { attempt: "renewal" }],
    ["one that has ended: nothing", { ...NEW, ended: "stopped" }, null],
    ["on a retry day: a retry", MISSED, { attempt: "retry" }],
    ["before it: again then", { ...MISSED, retries: 1 }, { again: instant("2027-04-07T22:00:00Z") }],
    ["after the last: the end", { ...MISSED, retries: 4 }, { giveUp: true }],
    ["with a new card: that one", { ...MISSED, retries: 1, newCardId: "card_1" as never }, { attempt: "new_card" }],
    [
      "with a new card after the end too",
      { ...MISSED, ended: "given_up", newCardId: "card_1" as never },
      { attempt: "new_card" },
    ],
  ];
  for (const [what, collection, expected] of ROWS)
    test(what, () => assert.deepEqual(dueNow(collection, DEFAULT, now), expected));
});

describe("a new card", () => {
  test("after soft declines leaves the retries that were not made", () =>
    assert.equal(
      withNewCard({ ...MISSED, retries: 1 }, "card_1" as never, DEFAULT, instant("2027-04-20T12:00:00Z")).retries,
      1,
    ));
  test("after a hard decline leaves the retries whose day is in the future", () =>
    assert.equal(
      withNewCard({ ...MISSED, isHard: true }, "card_1" as never, DEFAULT, instant("2027-04-08T12:00:00Z")).retries,
      2,
    ));
});

describe("what a bank reversed", () => {
  const now = instant("2027-05-05T12:00:00Z");
  for (const [of, before, method, isHard, ended] of [
    ["a card that had paid", { ended: "paid" }, "gateway", false, "taken_back"],
    [
      "a card that had paid at the third attempt",
      { ...MISSED, retries: 2, ended: "paid" },
      "gateway",
      true,
      "taken_back",
    ],
    ["a card, while another is to be tried", { ...MISSED, newCardId: "card_1" }, "gateway", false, "taken_back"],
    ["a debit that was returned", { ended: "paid" }, "debit_order", false, null],
    ["a debit that was disputed", { ended: "paid" }, "debit_order", true, "taken_back"],
  ] as [string, Partial<Collection>, "gateway" | "debit_order", boolean, Collection["ended"]][])
    test(`${of}: missed now, ${ended === null ? "to be collected again" : "not collected unasked"}`, () => {
      const after = takenBack({ ...NEW, ...before }, { method, isHard, now });
      assert.deepEqual([after.missedAt, after.isHard, after.newCardId, after.ended], [now, isHard, null, ended]);
      if (ended !== null) assert.equal(dueNow(after, DEFAULT, now), null);
    });
});
