import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gatherBy } from "../../src/flows/debit-batches/change-batch.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { atTheGateway, batchesOf, batchNow, debitOf, gathered, mandateIs } from "../support/debit-batches.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/*
 * What becomes of debits while an organisation is suspended, cancelled, or its trial is over (decisions.md#passed-dates-are-not-collected).
 */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

describe("an organisation that the operator has stopped", () => {
  for (const state of ["suspended", "cancelled"] as const)
    test(`${state}: nothing is gathered, also by work that staff began; dates that pass are not made up for`, async () => {
      const shop = await openMandateShop(api);
      const mandate = await addActiveMandate(shop, { debitDay: 5 });
      await shop.shop.change({ state });
      await gatherBy(api.services, await shop.shop.ctx(), "2027-03-05");
      await shop.move("2027-05-20T10:00:00Z");
      assert.deepEqual(await batchesOf(shop), []);
      await mandateIs(shop, mandate, { status: "active", nextDebitDate: "2027-06-05" });
      await shop.shop.change({ state: "active" });
      await shop.move("2027-06-20T10:00:00Z");
      assert.deepEqual(
        (await batchesOf(shop)).map(({ actionDate, count }) => [actionDate, count]),
        [["2027-06-07", 1]],
      );
      assert.equal((await debitOf(shop, mandate, "20270605"))["status"], "complete");
    });

  test("an open batch waits, and goes out when the account is active again in time", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addActiveMandate(shop, { debitDay: 5 });
    const batch = await gathered(shop, "2027-03-05");
    await shop.shop.change({ state: "suspended" });
    await shop.move("2027-03-04T10:00:00Z");
    assert.equal((await batchNow(shop, batch)).status, "open");
    await shop.shop.change({ state: "active" });
    await shop.move("2027-03-20T10:00:00Z");
    assert.partialDeepStrictEqual(await batchNow(shop, batch), { status: "submitted", movedFrom: null });
    assert.equal((await debitOf(shop, mandate, "20270305"))["status"], "complete");
  });

  test("an open batch whose date passes is cancelled: nothing is debited, and nothing counts as unpaid", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addActiveMandate(shop, { debitDay: 5 });
    const batch = await gathered(shop, "2027-03-05");
    await shop.shop.change({ state: "suspended" });
    await shop.move("2027-03-06T10:00:00Z");
    assert.partialDeepStrictEqual(await batchNow(shop, batch), { status: "cancelled", count: 0, amount: 0 });
    assert.equal((await debitOf(shop, mandate, "20270305"))["status"], "cancelled");
    await mandateIs(shop, mandate, { status: "active", failureCount: 0, nextDebitDate: "2027-04-05" });
    await shop.shop.change({ state: "active" });
    await shop.move("2027-03-30T10:00:00Z");
    assert.deepEqual(await atTheGateway(shop), []);
  });

  test("what the gateway has is settled all the same", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addActiveMandate(shop, { debitDay: 5 });
    await shop.move("2027-03-04T10:00:00Z");
    await shop.shop.change({ state: "cancelled" });
    await shop.move("2027-03-20T10:00:00Z");
    assert.equal((await debitOf(shop, mandate, "20270305"))["status"], "complete");
  });
});

test("after the end of a trial debits go on", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 5 });
  await shop.shop.change({ state: "trial", trial_ends_at: "2027-03-02T00:00:00Z" });
  await shop.move("2027-03-20T10:00:00Z");
  assert.equal((await debitOf(shop, mandate, "20270305"))["status"], "complete");
});
