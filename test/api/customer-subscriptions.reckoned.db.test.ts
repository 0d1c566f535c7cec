import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop, shownOf } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/*
 * Interface 16, what a second reckoner found: sequences of several actions, each with what it costs. `closeVerified`
 * verifies all of them.
 */

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

describe("what a change leaves alone", () => {
  test("a list of items keeps a credit that waits", async () => {
    const planId = await shop.addPlan({ name: "Listed" });
    const { id } = await shop.subscribe({
      planId,
      items: [{ code: "a", kind: "addon", description: "A", unitAmount: 10 }],
    });
    await shop.act(id, "items", { kind: "one_time", description: "Sorry", unitAmount: -30 });
    await shop.act(id, "change-plan", { items: [{ code: "b", kind: "addon", description: "B", unitAmount: 20 }] });
    const items = (await shop.now(id))["items"] as { description: string }[];
    assert.deepEqual(
      items.map(({ description }) => description),
      ["B", "Sorry"],
    );
  });

  test("a dry run shows no invoice where none would be made", async () => {
    const planId = await shop.addPlan({ name: "Free", amount: 0 });
    const given = { customer: { id: shop.customer }, planId, collectionMethod: "invoice", dryRun: true };
    const { body } = await shop.shop.post<{ preview: { invoice: unknown } }>("/customer-subscriptions", given);
    assert.equal(body.preview.invoice, null);
  });
});

describe("a pause", () => {
  test("after which what was changed in it is prorated from that day on", async () => {
    await shop.move("2027-05-01");
    const [small, large] = [
      await shop.addPlan({ name: "Small", amount: 310 }),
      await shop.addPlan({ name: "Large", amount: 620 }),
    ];
    const { id } = await shop.subscribe({ planId: small });
    await shop.act(id, "pause");
    const { body } = await shop.act(id, "change-plan", { planId: large, proration: "now" });
    assert.equal(body["charge"], null);
    await shop.move("2027-05-16");
    await shop.act(id, "resume");
    await shop.act(id, "pause");
    await shop.act(id, "resume");
    assert.deepEqual(await subtotals(id), [310, 160]);
  });
});

describe("the data of an event is the subscription as it was at that step", () => {
  const said = async (id: string, field: string) =>
    (await shop.events(id)).map(({ type, data }) => [type.replace("subscription.", ""), data[field]]);

  test("also of one that is past due when it is resumed or reactivated", async () => {
    await shop.staff("PATCH", "/settings", { dueDays: 5 });
    const planId = await shop.addPlan({ name: "Late", frequency: "annually" });
    const { id } = await shop.subscribe({ planId });
    const paused = await shop.subscribe({ planId });
    await shop.act(id, "pause");
    await shop.act(paused.id, "cancel", { when: "now" });
    await shop.move("2027-05-28");
    assert.equal((await shop.act(id, "resume")).body.status, "past_due");
    await shop.act(id, "pause");
    await shop.act(id, "resume");
    assert.equal((await shop.act(paused.id, "reactivate")).body.status, "past_due");
    await shop.move("2027-05-30");
    await shop.staff("PATCH", "/settings", { dueDays: 365 });
    assert.deepEqual(await said(id, "status"), [
      ["created", "active"],
      ["activated", "active"],
      ["paused", "paused"],
      ["resumed", "past_due"],
      ["past_due", "past_due"],
      ["paused", "paused"],
      ["resumed", "past_due"],
    ]);
    assert.deepEqual((await said(paused.id, "status")).slice(2), [
      ["cancelled", "cancelled"],
      ["reactivated", "past_due"],
      ["past_due", "past_due"],
    ]);
  });

  test("also of a trial that ended, once", async () => {
    const planId = await shop.addPlan({ name: "Tried", trialDays: 3 });
    const { id } = await shop.subscribe({ planId });
    await shop.act(id, "cancel", { when: "period_end" });
    await shop.move("2027-06-10");
    await shop.act(id, "reactivate");
    const told = await shop.told(id);
    assert.equal(told.filter((type) => type === "trial_ended").length, 1, told.join());
  });
});
