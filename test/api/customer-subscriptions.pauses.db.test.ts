import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, shownOf } from "../support/customer-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 3.11, 4.8 and 16.17: pause, resume and cancel. The clock stands at 31 January 2027, 10:00. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

describe("a pause", () => {
  test("stops billing; resumed before the period's end nothing changes", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const paused = (await shop.act(id, "pause")).body;
    assert.deepEqual(shownOf(paused, "status", "pausedAt", "nextBillingAt", "currentPeriodEnd"), [
      "paused",
      "2027-01-31T08:00:00.000Z",
      null,
      "2027-02-27",
    ]);
    await shop.move("2027-02-20");
    const resumed = (await shop.act(id, "resume")).body;
    assert.deepEqual(shownOf(resumed, "status", "pausedAt", "nextBillingAt"), [
      "active",
      null,
      "2027-02-27T22:00:00.000Z",
    ]);
    await shop.move("2027-02-28");
    assert.deepEqual(await shop.periods(id), [
      ["2027-01-31", "2027-02-27", 115],
      ["2027-02-28", "2027-03-30", 115],
    ]);
    assert.deepEqual(await shop.told(id), ["created", "activated", "paused", "resumed", "renewed"]);
    const mails = await mailsOf(api.services, shop.shop.organisation, { kind: "subscription_change" });
    assert.equal(mails.length, 2);
  });

  test("past the period's end: a new period begins on the day of resuming", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "pause");
    await shop.move("2027-05-10");
    assert.equal((await shop.periods(id)).length, 1);
    const { body } = await shop.act(id, "resume");
    assert.deepEqual(shownOf(body, "status", "currentPeriodStart", "nextBillingAt", "cyclesBilled"), [
      "active",
      "2027-05-10",
      "2027-06-09T22:00:00.000Z",
      2,
    ]);
    assert.deepEqual((await shop.periods(id)).at(-1), ["2027-05-10", "2027-06-09", 115]);
    const [resumed, renewed] = (await shop.events(id)).slice(-2);
    assert.deepEqual([resumed?.type, renewed?.type], ["subscription.resumed", "subscription.renewed"]);
    assert.deepEqual(resumed?.data["invoice"], renewed?.data["invoice"]);
    assert.ok(resumed?.data["invoice"]);
  });

  test("on the renewal day, before midnight's work or after it, bills the period once", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "pause");
    await shop.move("2027-02-28");
    await shop.act(id, "resume");
    assert.deepEqual((await shop.periods(id)).at(-1), ["2027-02-28", "2027-03-30", 115]);
    await shop.act(id, "pause");
    await shop.act(id, "resume");
    assert.equal((await shop.periods(id)).length, 2);
  });

  test("of a trial: resumed in it the trial goes on, after it the first charge is made", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const [early, late] = [
      await shop.subscribe({ planId, trialDays: 14 }),
      await shop.subscribe({ planId, trialDays: 14 }),
    ];
    for (const { id } of [early, late]) await shop.act(id, "pause");
    await shop.move("2027-02-05");
    assert.deepEqual(shownOf((await shop.act(early.id, "resume")).body, "status", "trialEnd"), [
      "trialing",
      "2027-02-13",
    ]);
    await shop.move("2027-03-01");
    assert.deepEqual(shownOf((await shop.act(late.id, "resume")).body, "status", "trialEnd"), ["active", null]);
    assert.deepEqual(await shop.periods(early.id), [["2027-02-14", "2027-03-13", 115]]);
    assert.deepEqual(await shop.periods(late.id), [["2027-03-01", "2027-03-31", 115]]);
    assert.deepEqual(await shop.told(late.id), ["created", "paused", "resumed", "trial_ended", "activated"]);
  });

  test("of a scheduled one: it starts on its day, or on the day of resuming", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const [early, late] = [
      await shop.subscribe({ planId, startDate: "2027-02-10" }),
      await shop.subscribe({ planId, startDate: "2027-02-10" }),
    ];
    for (const { id } of [early, late]) await shop.act(id, "pause");
    assert.equal((await shop.act(early.id, "resume")).body.status, "scheduled");
    await shop.move("2027-02-20");
    assert.equal((await shop.act(late.id, "resume")).body.status, "active");
    assert.equal((await shop.periods(early.id))[0]?.[0], "2027-02-10");
    assert.equal((await shop.periods(late.id))[0]?.[0], "2027-02-20");
  });

  test("keeps a cancellation at the period's end: it ends then", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "cancel", { atPeriodEnd: true });
    await shop.act(id, "pause");
    await shop.move("2027-02-27");
    assert.equal((await shop.now(id)).status, "paused");
    await shop.move("2027-02-28");
    assert.deepEqual(shownOf(await shop.now(id), "status", "pausedAt"), ["cancelled", null]);
    assert.equal((await shop.periods(id)).length, 1);
  });

  test("past its period's end cannot be cancelled at a period's end: it is cancelled now", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "pause");
    await shop.move("2027-03-05");
    assert.equal((await shop.act(id, "cancel", { when: "period_end" })).body.status, "cancelled");
  });

  test("of a manual one that awaits a payment: the payment moves the period, nothing more is billed until it is resumed", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), collectionMethod: "manual" });
    await shop.move("2027-02-28");
    await shop.act(id, "pause");
    const [bill] = await shop.invoices(id);
    await shop.shop.post(`/invoices/${bill?.["id"]}/payments`, { amount: 115, method: "eft" });
    await shop.move("2027-06-01");
    assert.deepEqual(shownOf(await shop.now(id), "status", "currentPeriodStart", "nextBillingAt"), [
      "paused",
      "2027-02-28",
      null,
    ]);
    await shop.act(id, "resume");
    assert.deepEqual((await shop.periods(id)).at(-1)?.[0], "2027-06-01");
  });
});

describe("a cancellation", () => {
  test("at the period's end is told, mailed, and undone", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const { body } = await shop.act(id, "cancel", { when: "period_end", reason: "  Too dear " });
    assert.deepEqual(shownOf(body, "status", "cancelAtPeriodEnd", "cancelReason", "nextBillingAt", "cancelledAt"), [
      "active",
      true,
      "Too dear",
      null,
      null,
    ]);
    const undone = (await shop.act(id, "reactivate")).body;
    assert.deepEqual(shownOf(undone, "status", "cancelAtPeriodEnd", "cancelReason", "nextBillingAt"), [
      "active",
      false,
      null,
      "2027-02-27T22:00:00.000Z",
    ]);
    await shop.move("2027-02-28");
    assert.deepEqual(await shop.told(id), ["created", "activated", "updated", "reactivated", "renewed"]);
  });

  test("at the period's end takes effect then, with its reason, and nothing is billed", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "cancel", { when: "period_end", reason: "Moving" });
    await shop.move("2027-02-28");
    assert.deepEqual(shownOf(await shop.now(id), "status", "cancelReason", "cancelAtPeriodEnd", "cancelledAt"), [
      "cancelled",
      "Moving",
      false,
      "2027-02-27T22:00:00.000Z",
    ]);
    assert.equal((await shop.periods(id)).length, 1);
    assert.deepEqual(await shop.told(id), ["created", "activated", "updated", "cancelled"]);
  });

  test("of a trial at its end: nothing is ever charged", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), trialDays: 14 });
    assert.equal((await shop.act(id, "cancel", { when: "period_end" })).body.status, "trialing");
    await shop.move("2027-04-01");
    assert.deepEqual(await shop.periods(id), []);
    assert.deepEqual(await shop.told(id), ["created", "updated", "trial_ended", "cancelled"]);
  });

  test("is mailed to the payer unless sendEmail is false", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const mails = async () =>
      (await mailsOf(api.services, shop.shop.organisation, { kind: "subscription_change" })).length;
    for (const [body, sent] of [
      [{ when: "now", sendEmail: false }, 0],
      [{ when: "period_end", sendEmail: false }, 0],
      [{ when: "now" }, 1],
      [{ when: "period_end", sendEmail: true }, 2],
    ] as const) {
      const { id } = await shop.subscribe({ planId });
      await shop.act(id, "cancel", body);
      assert.equal(await mails(), sent, JSON.stringify(body));
    }
  });

  test("what a body may not say", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    for (const [body, path] of [
      [{ when: "later" }, "when"],
      [{ when: "now", atPeriodEnd: true }, "atPeriodEnd"],
      [{ when: "period_end", atPeriodEnd: false }, "atPeriodEnd"],
      [{ atPeriodEnd: "yes" }, "atPeriodEnd"],
      [{ reason: "x".repeat(501) }, "reason"],
      [{ reason: 5 }, "reason"],
      [{ sendEmail: "no" }, "sendEmail"],
    ] as const) {
      const { status, body: refused } = await shop.act(id, "cancel", body);
      assert.deepEqual([status, refused.issues?.[0]?.path[0]], [400, path], JSON.stringify(body));
    }
    assert.equal((await shop.now(id)).status, "active");
    assert.equal((await shop.act(id, "cancel", { atPeriodEnd: false })).body.status, "cancelled");
  });

  test("without a body, and again, is one cancellation now", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const [one, two] = [await shop.act(id, "cancel"), await shop.act(id, "cancel", { reason: "Other" })];
    assert.deepEqual([one.status, one.body.status, two.body], [200, "cancelled", one.body]);
    assert.deepEqual(await shop.told(id), ["created", "activated", "cancelled"]);
  });

  test("of a manual one whose bill awaits its payment: the payment still counts when it is reactivated", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), collectionMethod: "manual" });
    await shop.move("2027-02-28");
    assert.equal((await shop.act(id, "cancel", { when: "period_end" })).body.status, "cancelled");
    const [bill] = await shop.invoices(id);
    await shop.shop.post(`/invoices/${bill?.["id"]}/payments`, { amount: 115, method: "eft" });
    await shop.move("2027-03-10");
    const { body } = await shop.act(id, "reactivate");
    assert.deepEqual(shownOf(body, "status", "currentPeriodStart", "nextBillingAt"), [
      "active",
      "2027-02-28",
      "2027-03-30T22:00:00.000Z",
    ]);
  });
});
