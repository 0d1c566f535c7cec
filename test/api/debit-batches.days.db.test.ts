import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { batchesOf, batchNow, debitOf, gather, gathered, mandateIs, submit } from "../support/debit-batches.ts";
import { addActiveMandate, openMandateShop, type Shown } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/* On which day, and at which hour, a debit day goes out; and what is forecast of it. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface DebitDay {
  readonly clock: string;
  readonly terms: Shown;
  readonly cutOffDays?: number;
  /** 00:00 South African time of the day on which it is gathered, in UTC. */
  readonly gatheredAt: string;
  readonly actionDate: string;
  readonly unshifted: string;
  readonly next: string | null;
}

const DEBIT_DAYS: Readonly<Record<string, DebitDay>> = {
  "a business day": {
    clock: "2027-03-01T10:00:00Z",
    terms: { debitDay: 10 },
    gatheredAt: "2027-03-07T22:00:00Z",
    actionDate: "2027-03-10",
    unshifted: "20270310",
    next: "2027-04-10",
  },
  "day 31 in February, which is a Sunday": {
    clock: "2027-02-01T10:00:00Z",
    terms: { debitDay: 31 },
    gatheredAt: "2027-02-24T22:00:00Z",
    actionDate: "2027-03-01",
    unshifted: "20270228",
    next: "2027-03-31",
  },
  "a holiday on a Sunday, with the Monday after it": {
    clock: "2027-03-01T10:00:00Z",
    terms: { debitDay: 21 },
    gatheredAt: "2027-03-17T22:00:00Z",
    actionDate: "2027-03-23",
    unshifted: "20270321",
    next: "2027-04-21",
  },
  "a Sunday, as the guide for integrators has it": {
    clock: "2027-04-01T10:00:00Z",
    terms: { debitDay: 25 },
    gatheredAt: "2027-04-21T22:00:00Z",
    actionDate: "2027-04-26",
    unshifted: "20270425",
    next: "2027-05-25",
  },
  "Good Friday": {
    clock: "2027-03-01T10:00:00Z",
    terms: { debitDay: 26 },
    gatheredAt: "2027-03-23T22:00:00Z",
    actionDate: "2027-03-30",
    unshifted: "20270326",
    next: "2027-04-26",
  },
  "the end date, on a Sunday": {
    clock: "2027-03-01T10:00:00Z",
    terms: { debitDay: 7, endDate: "2027-03-07" },
    gatheredAt: "2027-03-03T22:00:00Z",
    actionDate: "2027-03-08",
    unshifted: "20270307",
    next: null,
  },
  "without a day to the cut-off": {
    clock: "2027-03-01T10:00:00Z",
    terms: { debitDay: 6 },
    cutOffDays: 0,
    gatheredAt: "2027-03-05T22:00:00Z",
    actionDate: "2027-03-08",
    unshifted: "20270306",
    next: "2027-04-06",
  },
  "five days before": {
    clock: "2027-03-01T10:00:00Z",
    terms: { debitDay: 12 },
    cutOffDays: 5,
    gatheredAt: "2027-03-04T22:00:00Z",
    actionDate: "2027-03-12",
    unshifted: "20270312",
    next: "2027-04-12",
  },
};

const shifted = (at: string, seconds: number): string => new Date(Date.parse(at) + seconds * 1000).toISOString();
const HOURS = 3600;

describe("a debit day", () => {
  for (const [what, { clock, terms, cutOffDays = 2, gatheredAt, actionDate, unshifted, next }] of Object.entries(
    DEBIT_DAYS,
  ))
    test(`${what}: it goes out on ${actionDate}`, async () => {
      const shop = await openMandateShop(api, { clockAt: new Date(clock) as never });
      const settings = await shop.staff("PATCH", "/settings", { debitOrders: { cutOffDays } });
      assert.equal(settings.status, 200, settings.text);
      const mandate = await addActiveMandate(shop, terms);
      await shop.move(shifted(gatheredAt, -1));
      assert.deepEqual(await batchesOf(shop), [], "not before 00:00");
      await shop.move(gatheredAt);
      const [batch, ...others] = await batchesOf(shop);
      assert.ok(batch);
      assert.deepEqual(others, []);
      assert.partialDeepStrictEqual(batch, { actionDate, status: "open", count: 1 });
      await mandateIs(shop, mandate, { nextDebitDate: next });
      assert.equal((await debitOf(shop, mandate, unshifted))["status"], "pending");
      await shop.move(shifted(gatheredAt, 6 * HOURS - 1));
      assert.equal((await batchNow(shop, batch)).status, "open", "not sent before 06:00");
      await shop.move(shifted(gatheredAt, 6 * HOURS));
      assert.partialDeepStrictEqual(await batchNow(shop, batch), {
        status: "submitted",
        submittedAt: shifted(gatheredAt, 6 * HOURS),
      });
    });
});

test("a forecast says what each mandate's own debits let expect, and the organisation's of one that has none", async () => {
  const shop = await openMandateShop(api);
  const good = await addActiveMandate(shop, { debitDay: 5 });
  await addActiveMandate(shop, { debitDay: 5 }, { accountNumber: "62900417702" });
  await shop.move("2027-04-20T10:00:00Z");
  await addActiveMandate(shop, { debitDay: 5 });
  const batch = await gathered(shop, "2027-05-05");
  assert.deepEqual(batch["forecast"], {
    count: 3,
    amount: 1051.5,
    expectedUnpaid: 1.5,
    // Two of four came back, and 1.5 of these three are expected to.
    unpaidPercent: 50,
    unpaidLimitPercent: 10,
    disputedPercent: 0,
    disputedLimitPercent: 0.5,
    expectedUnpaidAmount: 525.75,
    allUnpaidPercent: 50,
  });
  const reference = `${good["accountReference"]}-20270405`;
  assert.equal((await shop.staff("POST", "/sandbox/notify", { reference, status: "failed" })).status, 200);
  assert.partialDeepStrictEqual((await batchNow(shop, batch))["forecast"], {
    expectedUnpaid: 2.25,
    unpaidPercent: 75,
    disputedPercent: 14.29,
  });
  await submit(shop, batch);
  await shop.move("2027-05-20T10:00:00Z");
  assert.partialDeepStrictEqual(await batchNow(shop, batch), {
    results: { collected: 2, unpaid: 1, pending: 0 },
    forecast: { expectedUnpaid: 2.25 },
  });
});

test("of an account of which nothing is due nothing is gathered, whatever the date", async () => {
  const shop = await openMandateShop(api);
  for (const [actionDate, issue] of [
    ["2027-02-28", "must not be in the past"],
    ["2027-02-30", "actionDate"],
    ["2027-03-05T00:00:00Z", "actionDate"],
    ["2100-12-31", ""],
    ["2101-01-01", "actionDate"],
    ["", "actionDate"],
    [null, "actionDate"],
    [20270305, "actionDate"],
  ] as const) {
    const answer = await gather(shop, actionDate);
    assert.equal(answer.status, 400, `${actionDate}: ${answer.text}`);
    assert.ok(answer.text.includes(issue), answer.text);
  }
  assert.deepEqual(await batchesOf(shop), []);
});

test("today's gathering stays due when a mandate is changed before a worker has done it", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 5 });
  const gathering = "kind = 'debit_batch.gather' and organisation_id = $1";
  const { id } = shop.shop.organisation;
  await api.query(`update due_work set due_at = '2027-02-28T22:00:00Z' where ${gathering}`, id);
  const answer = await shop.shop.call("PATCH", `/mandates/${mandate["id"]}`, { body: { amount: 20 } });
  assert.equal(answer.status, 200, answer.text);
  const [work] = await api.query<{ due_at: Date }>(`select due_at from due_work where ${gathering}`, id);
  assert.equal(work?.due_at.toISOString(), "2027-02-28T22:00:00.000Z");
});
