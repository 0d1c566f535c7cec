import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Ctx } from "../../src/flows/context.ts";
import { billSubscriptions } from "../../src/flows/customer-subscriptions/bill-subscription.ts";
import { instant } from "../../src/kernel/time.ts";
import { lockCustomerSubscriptions } from "../../src/modules/customer-subscriptions/store/subscriptions.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionAnswer } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 3.11: many callers at once have the same effect as one after the other, and each thing happens once. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const CALLERS = 20;
const atOnce = (ask: (caller: number) => Promise<SubscriptionAnswer>) =>
  Promise.all(Array.from({ length: CALLERS }, (_, caller) => ask(caller)));
const statuses = (answers: readonly SubscriptionAnswer[]) => [...new Set(answers.map(({ status }) => status))];

describe(`${CALLERS} callers at once`, () => {
  test("pause once, resume once, cancel once and reactivate once; each new period is billed once", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    assert.deepEqual(statuses(await atOnce(() => shop.act(id, "pause"))), [200]);
    await shop.move("2027-05-05");
    assert.deepEqual(statuses(await atOnce(() => shop.act(id, "resume"))), [200]);
    assert.deepEqual(statuses(await atOnce(() => shop.act(id, "cancel", { when: "period_end" }))), [200]);
    assert.deepEqual(statuses(await atOnce(() => shop.act(id, "cancel"))), [200]);
    await shop.move("2027-08-08");
    assert.deepEqual(statuses(await atOnce(() => shop.act(id, "reactivate"))), [200]);
    assert.deepEqual(await shop.told(id), [
      ...["created", "activated", "paused", "resumed", "renewed", "updated", "cancelled", "reactivated", "renewed"],
    ]);
    assert.deepEqual(
      (await shop.periods(id)).map(([start]) => start),
      ["2027-01-31", "2027-05-05", "2027-08-08"],
    );
  });

  test("move the date to different days: the last one counts, and what is billed follows it", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const answers = await atOnce((caller) =>
      shop.patch(id, { nextBillingAt: `2027-02-${String(caller + 5).padStart(2, "0")}` }),
    );
    assert.deepEqual(statuses(answers), [200]);
    const end = (await shop.now(id))["nextBillingAt"];
    await shop.move(String(end).replace("22:00:00.000Z", "22:00:01.000Z"));
    assert.equal((await shop.periods(id)).length, 2);
    assert.equal((await shop.told(id)).filter((type) => type === "updated").length, CALLERS);
  });

  test("renew: every period that was missed is billed once", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const { db } = api.services;
    const later: Ctx = { ...(await shop.shop.ctx()), now: instant("2027-05-01T08:00:00.000Z") };
    // As twenty workers that have leased the same work.
    await Promise.all(
      Array.from({ length: CALLERS }, () =>
        db.transaction(shop.shop.organisation.id, async (tx) =>
          billSubscriptions(tx, later, [...(await lockCustomerSubscriptions(tx, [id])).values()]),
        ),
      ),
    );
    assert.deepEqual(
      (await shop.periods(id)).map(([start]) => start),
      ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"],
    );
    assert.deepEqual(await shop.told(id), ["created", "activated", "renewed", "renewed", "renewed"]);
    await shop.move("2027-05-02");
    assert.equal((await shop.periods(id)).length, 4);
  });

  test("move it to today: one renewal", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.move("2027-02-10");
    const answers = await atOnce(() => shop.patch(id, { nextBillingAt: "2027-02-10" }));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted(),
      [200, ...Array<number>(CALLERS - 1).fill(400)],
      "a period that began today cannot end today",
    );
    assert.equal((await shop.periods(id)).length, 2);
  });
});

describe("an action during the renewal", () => {
  for (const [action, body] of [
    ["cancel", { when: "now" }],
    ["cancel", { when: "period_end" }],
    ["pause", undefined],
  ] as const)
    test(`${action} ${JSON.stringify(body ?? {})}: the period is billed at most once, and nothing after it`, async () => {
      const shop = await openSubscriptionShop(api);
      const planId = await shop.addPlan();
      const ids = await Promise.all(Array.from({ length: CALLERS }, async () => (await shop.subscribe({ planId })).id));
      await Promise.all([shop.move("2027-02-28"), ...ids.map((id) => shop.act(id, action, body))]);
      await shop.move("2027-06-30");
      for (const id of ids) {
        const billed = await shop.periods(id);
        assert.ok(billed.length <= 2, JSON.stringify(billed));
        const renewed = (await shop.told(id)).filter((type) => type === "renewed").length;
        assert.equal(renewed, billed.length - 1);
        assert.equal((await shop.now(id)).status, action === "pause" ? "paused" : "cancelled");
      }
    });

  for (const proration of ["now", "none", "next_renewal"])
    test(`change-plan with proration ${proration}: the period is billed once, at the old or the new price`, async () => {
      const shop = await openSubscriptionShop(api);
      const planId = await shop.addPlan();
      const ids = await Promise.all(Array.from({ length: CALLERS }, async () => (await shop.subscribe({ planId })).id));
      const changed = await Promise.all([
        ...ids.map((id) => shop.act(id, "change-plan", { quantity: 3, proration })),
        shop.move("2027-02-28"),
      ]);
      assert.deepEqual(statuses(changed.slice(0, CALLERS) as SubscriptionAnswer[]), [200]);
      await shop.move("2027-03-31");
      for (const id of ids) {
        assert.deepEqual(
          (await shop.invoices(id))
            .filter(({ charge }) => charge !== "proration")
            .map(({ periodStart }) => periodStart),
          ["2027-03-31", "2027-02-28", "2027-01-31"],
        );
        assert.equal((await shop.now(id))["quantity"], 3);
      }
    });

  test("resume on the renewal day, beside the clock: one bill for the day", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const ids = await Promise.all(Array.from({ length: CALLERS }, async () => (await shop.subscribe({ planId })).id));
    for (const id of ids) await shop.act(id, "pause");
    await Promise.all([shop.move("2027-02-28"), ...ids.map((id) => shop.act(id, "resume"))]);
    await Promise.all(ids.map((id) => shop.act(id, "resume")));
    for (const id of ids)
      assert.deepEqual(
        (await shop.periods(id)).map(([start]) => start),
        ["2027-01-31", "2027-02-28"],
      );
  });

  test("pause beside cancel: what came last holds, and nothing is billed again", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await Promise.all([
      atOnce(() => shop.act(id, "pause")),
      atOnce(() => shop.act(id, "resume")),
      atOnce(() => shop.act(id, "cancel", { when: "period_end" })),
      atOnce(() => shop.act(id, "reactivate")),
    ]);
    await shop.act(id, "cancel");
    await shop.move("2027-04-30");
    assert.equal((await shop.periods(id)).length, 1);
  });
});
