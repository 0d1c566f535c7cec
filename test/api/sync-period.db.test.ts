import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { type ExternalShop, NO_TRACES, openExternalShop } from "../support/external-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8, mirror mode: periods that the other platform reports. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const SHOWN = ["status", "currentPeriodStart", "currentPeriodEnd", "cyclesBilled"] as const;

/** `[start, end, status]` as it is sent; null leaves the status out. */
type Sent = readonly [start: string, end: string, status: string | null];
/** The subscription afterwards; null: as before. A text is the refusal. */
type After = readonly [status: string, start: string, end: string, cycles: number] | null | `${number} ${string}`;

const bodyOf = ([currentPeriodStart, currentPeriodEnd, status]: Sent) => ({
  currentPeriodStart,
  currentPeriodEnd,
  ...(status === null ? {} : { status }),
});

/* Each row has a name, what was recorded, the day, what is sent, and the result. */
const TABLE: readonly [what: string, recorded: Sent, today: string, sent: Sent, after: After][] = [
  [
    "the successor is a renewal",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-15",
    ["2027-02-15", "2027-03-15", null],
    ["active", "2027-02-15", "2027-03-15", 1],
  ],
  [
    "a renewal may be reported early",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-10",
    ["2027-02-15", "2027-03-15", "active"],
    ["active", "2027-02-15", "2027-03-15", 1],
  ],
  [
    "a renewal of another length",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-15",
    ["2027-02-15", "2028-02-15", "active"],
    ["active", "2027-02-15", "2028-02-15", 1],
  ],
  [
    "the first period after a trial is a renewal",
    ["2027-01-15", "2027-02-15", "trialing"],
    "2027-02-15",
    ["2027-02-15", "2027-03-15", "active"],
    ["active", "2027-02-15", "2027-03-15", 1],
  ],
  [
    "a renewal that was not paid",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-16",
    ["2027-02-15", "2027-03-15", "past_due"],
    ["past_due", "2027-02-15", "2027-03-15", 1],
  ],
  [
    "a renewal that was not paid and is over",
    ["2027-01-15", "2027-02-15", "past_due"],
    "2027-06-01",
    ["2027-02-15", "2027-03-15", null],
    ["past_due", "2027-02-15", "2027-03-15", 1],
  ],
  [
    "the recorded period and status again",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-01-15", "2027-02-15", "active"],
    null,
  ],
  [
    "the recorded period without a status",
    ["2027-01-15", "2027-02-15", "past_due"],
    "2027-02-01",
    ["2027-01-15", "2027-02-15", null],
    null,
  ],
  [
    "the recorded period again when it is over",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-03-01",
    ["2027-01-15", "2027-02-15", "active"],
    null,
  ],
  [
    "another status of the recorded period",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-01-15", "2027-02-15", "past_due"],
    ["past_due", "2027-01-15", "2027-02-15", 0],
  ],
  [
    "past due of a recorded period that is over",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-03-01",
    ["2027-01-15", "2027-02-15", "past_due"],
    ["past_due", "2027-01-15", "2027-02-15", 0],
  ],
  [
    "active of a recorded period that is over",
    ["2027-01-15", "2027-02-15", "past_due"],
    "2027-03-01",
    ["2027-01-15", "2027-02-15", "active"],
    "400 invalid_request",
  ],
  [
    "another end of the recorded period",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-01-15", "2027-02-20", null],
    ["active", "2027-01-15", "2027-02-20", 0],
  ],
  [
    "an earlier end of the recorded period",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-01-15", "2027-02-10", null],
    ["active", "2027-01-15", "2027-02-10", 0],
  ],
  [
    "a period after a gap is no renewal",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-03-01",
    ["2027-02-20", "2027-03-20", "active"],
    ["active", "2027-02-20", "2027-03-20", 0],
  ],
  [
    "a period that overlaps is no renewal",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-12",
    ["2027-02-10", "2027-03-10", "active"],
    ["active", "2027-02-10", "2027-03-10", 0],
  ],
  [
    "an earlier start with the same end",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-01-01", "2027-02-15", "active"],
    ["active", "2027-01-01", "2027-02-15", 0],
  ],
  [
    "an earlier period",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2026-12-15", "2027-01-15", "active"],
    "409 stale_period",
  ],
  [
    "an earlier period without a status",
    ["2027-01-15", "2027-02-15", "past_due"],
    "2027-02-01",
    ["2026-12-15", "2027-01-15", null],
    "409 stale_period",
  ],
  [
    "an earlier period that overlaps",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-01-10", "2027-02-10", "active"],
    "409 stale_period",
  ],
  [
    "an earlier period that is over, with another status",
    ["2027-01-15", "2027-02-15", "past_due"],
    "2027-02-01",
    ["2026-12-15", "2027-01-15", "active"],
    "400 invalid_request",
  ],
  [
    "an earlier period that became past due",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2026-12-15", "2027-01-15", "past_due"],
    ["past_due", "2026-12-15", "2027-01-15", 0],
  ],
  [
    "a renewal that ends today",
    ["2026-12-15", "2027-01-15", "past_due"],
    "2027-02-15",
    ["2027-01-15", "2027-02-15", "active"],
    "400 invalid_request",
  ],
  [
    "a renewal that is over",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-06-01",
    ["2027-02-15", "2027-03-15", null],
    "400 invalid_request",
  ],
  [
    "a trial that is over",
    ["2027-01-15", "2027-02-15", "past_due"],
    "2027-03-01",
    ["2027-02-15", "2027-02-20", "trialing"],
    "400 invalid_request",
  ],
  [
    "a trial",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-01-15", "2027-02-20", "trialing"],
    ["trialing", "2027-01-15", "2027-02-20", 0],
  ],
  [
    "an end before the start",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-02-15", "2027-02-14", "active"],
    "400 invalid_request",
  ],
  [
    "an empty period",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-02-15", "2027-02-15", "active"],
    "400 invalid_request",
  ],
  [
    "another status",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-02-15", "2027-03-15", "paused"],
    "400 invalid_request",
  ],
  [
    "an end in 9999",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["2027-02-15", "9999-12-31", "active"],
    "400 invalid_request",
  ],
  [
    "a start in year 1",
    ["2027-01-15", "2027-02-15", "active"],
    "2027-02-01",
    ["0001-06-01", "2027-03-15", "active"],
    "400 invalid_request",
  ],
];

const recorded = (shop: ExternalShop, [currentPeriodStart, paidThrough, status]: Sent) =>
  shop.record({ currentPeriodStart, paidThrough, status });

describe("a reported period", () => {
  for (const [what, first, today, sent, after] of TABLE)
    test(what, async () => {
      const shop = await openExternalShop(api);
      const { created: _, ...made } = await recorded(shop, first);
      await shop.move(`${today}T08:00:00.000Z`);
      const answer = await shop.sync(made.id, bodyOf(sent));
      const now = await shop.now(made.id);
      if (typeof after === "string") {
        assert.equal(`${answer.status} ${answer.body.error}`, after, answer.text);
        assert.deepEqual(now, made, "nothing has changed");
      } else {
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.body, now);
        if (after === null) assert.deepEqual(now, made, "nothing has changed");
        else
          assert.deepEqual(
            SHOWN.map((field) => now[field]),
            after,
          );
      }
      const { periods: _periods, ...traces } = await shop.traces();
      assert.deepEqual(traces, { ...NO_TRACES, subscriptions: 1 });
    });

  test("may be sent as date-times, which count by their South African day", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    const { body } = await shop.sync(id, {
      currentPeriodStart: "2027-02-14T22:00:00Z",
      currentPeriodEnd: "2027-03-15T00:00:00+02:00",
    });
    assert.deepEqual(
      SHOWN.map((field) => body[field]),
      ["active", "2027-02-15", "2027-03-15", 1],
    );
    assert.equal(body["nextBillingAt"], "2027-03-14T22:00:00.000Z");
  });
});
