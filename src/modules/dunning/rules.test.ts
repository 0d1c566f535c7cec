import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { instant } from "../../kernel/time.ts";
import {
  dueNow,
  handedOver,
  missed,
  nextStep,
  stepAfterMiss,
  takenBack,
  wasCardChanged,
  withNewCard,
} from "./rules.ts";
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

describe("a collection whose subscription gets another payment method", () => {
  const CARD = { method: "gateway", card: "card_2" as never } as const;
  const DEBIT = { method: "debit_order" } as const;
  const INVOICE = { method: "invoice" } as const;
  const NOW = instant("2027-04-07T12:00:00Z");
  const MISSED_HARD = { ...MISSED, isHard: true };
  type Row = [what: string, Collection, typeof CARD | typeof DEBIT | typeof INVOICE, Partial<Collection>, string];
  const ROWS: readonly Row[] = [
    ["what was not tried yet keeps its time", NEW, CARD, {}, "stays"],
    ["what was missed is tried with the new card now", MISSED, CARD, { newCardId: "card_2" as never }, "now"],
    ["a hard decline leaves the days to come", MISSED_HARD, CARD, { newCardId: "card_2" as never, retries: 1 }, "now"],
    [
      "what was given up is tried once",
      { ...MISSED, ended: "given_up" },
      CARD,
      { newCardId: "card_2" as never },
      "now",
    ],
    ["what was mailed meanwhile is collected again", { ...NEW, ended: "stopped" }, CARD, { ended: null }, "now"],
    [
      "so is what was missed before it was mailed",
      { ...MISSED, ended: "stopped" },
      CARD,
      { ended: null, newCardId: "card_2" as never },
      "now",
    ],
    ["what a bank took back is never charged by itself", { ...MISSED, ended: "taken_back" }, CARD, {}, "none"],
    ["a mandate collects what was not tried", NEW, DEBIT, {}, "none"],
    ["and what the old card will never pay", MISSED_HARD, DEBIT, { isHard: false }, "none"],
    ["and what was given up", { ...MISSED, ended: "given_up" }, DEBIT, { ended: null }, "none"],
    [
      "but what was taken back only by a later mandate",
      { ...MISSED, ended: "taken_back" },
      DEBIT,
      { isHard: true },
      "none",
    ],
    [
      "no new card is tried beside a mandate",
      { ...MISSED, newCardId: "card_1" as never },
      DEBIT,
      { newCardId: null },
      "none",
    ],
    ["what is mailed is collected no more", MISSED, INVOICE, { ended: "stopped" }, "none"],
    ["what had ended stays so", { ...MISSED, ended: "given_up" }, INVOICE, {}, "none"],
  ];
  for (const [what, before, to, changes, work] of ROWS)
    test(what, () =>
      assert.deepEqual(handedOver(before, to, DEFAULT, NOW), { collection: { ...before, ...changes }, work }),
    );
});

describe("the outcome of a charge", () => {
  const PRESENT = { id: "card_2", isChargeable: true };
  const ROWS: [string, Parameters<typeof wasCardChanged>[0], boolean][] = [
    [
      "is about the subscription's card",
      { cause: "renewal", charged: "card_2", present: PRESENT, newCardId: null },
      false,
    ],
    [
      "is about a card that was replaced meanwhile",
      { cause: "retry", charged: "card_1", present: PRESENT, newCardId: null },
      true,
    ],
    [
      "is about the default card, since its own cannot be charged",
      { cause: "renewal", charged: "card_1", present: { ...PRESENT, isChargeable: false }, newCardId: null },
      false,
    ],
    ["is about a new default card", { cause: "new_card", charged: "card_1", present: PRESENT, newCardId: null }, false],
    [
      "is about a new default card, after which another was chosen",
      { cause: "new_card", charged: "card_1", present: PRESENT, newCardId: "card_2" as never },
      true,
    ],
    ["is about its first card", { cause: "renewal", charged: "card_1", present: null, newCardId: null }, false],
  ];
  for (const [what, charge, changed] of ROWS) test(what, () => assert.equal(wasCardChanged(charge), changed));
});
