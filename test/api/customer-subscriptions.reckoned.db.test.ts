import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop, shownOf } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 16, what a second reckoner found: sequences of several actions, each with what it costs. `closeVerified` verifies all of them. */

let api: TestApi;
let shop: SubscriptionShop;
before(async () => {
  api = await openApi();
  shop = await openSubscriptionShop(api);
});
after(() => closeVerified(api));

const subtotals = async (id: string) => (await shop.invoices(id)).map(({ subtotal }) => subtotal).toReversed();

describe("a customer who has paid elsewhere", () => {
  test("is neither on trial nor charged the set-up fee after a reactivation that charges later", async () => {
    const planId = await shop.addPlan({ name: "Moved", setupFee: 40 });
    const { id } = await shop.subscribe({ planId, paidThrough: "2027-02-05" });
    await shop.act(id, "cancel", { when: "now" });
    await shop.move("2027-02-10");
    const { body } = await shop.act(id, "reactivate", { nextBillingAt: "2027-02-15" });
    assert.deepEqual(shownOf(body, "status", "trialEnd"), ["active", null]);
    await shop.move("2027-02-15");
    assert.deepEqual(await subtotals(id), [100]);
    assert.deepEqual(await shop.told(id), ["created", "activated", "cancelled", "reactivated", "renewed"]);
  });

  test("may change the plan in the paid period", async () => {
    const planId = await shop.addPlan({ name: "Paid" });
    const { id } = await shop.subscribe({ planId, paidThrough: "2027-04-01" });
    await shop.move("2027-02-16");
    const { status } = await shop.act(id, "change-plan", { quantity: 2, proration: "now" });
    assert.equal(status, 200);
  });
});

describe("a paused subscription with an open credit", () => {
  test("may change to a plan with other terms of VAT", async () => {
    const planId = await shop.addPlan({ name: "Net" });
    const gross = await shop.addPlan({ name: "Gross", amount: 115, taxInclusive: true });
    const { id } = await shop.subscribe({ planId });
    await shop.act(id, "credit", { amount: 40, description: "Sorry" });
    await shop.act(id, "pause");
    const { body } = await shop.act(id, "change-plan", { planId: gross });
    assert.equal(body["credit"], 46);
  });
});
