import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import {
  openSubscriptionShop,
  type SubscriptionAnswer,
  type SubscriptionShop,
} from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 3.11: what each action does in each status. The clock stands at 31 January 2027, 10:00. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** Makes a subscription that is in each status, at once or on the day of `LATER`. */
const IN: Readonly<Record<string, (shop: SubscriptionShop) => Promise<string>>> = {
  scheduled: async (shop) => (await shop.subscribe({ planId: await shop.addPlan(), startDate: "2027-02-10" })).id,
  trialing: async (shop) => (await shop.subscribe({ planId: await shop.addPlan(), trialDays: 14 })).id,
  active: async (shop) => (await shop.subscribe({ planId: await shop.addPlan() })).id,
  past_due: async (shop) => {
    await shop.staff("PATCH", "/settings", { dueDays: 0 });
    return (await shop.subscribe({ planId: await shop.addPlan() })).id;
  },
  ending: async (shop) => {
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "cancel", { when: "period_end", reason: "Too dear" });
    return id;
  },
  paused: async (shop) => {
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "pause");
    return id;
  },
  cancelled: async (shop) => {
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "cancel");
    return id;
  },
  expired: async (shop) => (await shop.subscribe({ planId: await shop.addPlan({ cycles: 1 }) })).id,
};
const LATER: Readonly<Record<string, string>> = { past_due: "2027-02-01", expired: "2027-02-28" };

const ACTIONS: Readonly<Record<string, (shop: SubscriptionShop, id: string) => Promise<SubscriptionAnswer>>> = {
  pause: (shop, id) => shop.act(id, "pause"),
  resume: (shop, id) => shop.act(id, "resume"),
  "cancel now": (shop, id) => shop.act(id, "cancel", { when: "now" }),
  "cancel at the period's end": (shop, id) => shop.act(id, "cancel", { when: "period_end" }),
  reactivate: (shop, id) => shop.act(id, "reactivate"),
  "move nextBillingAt": (shop, id) => shop.patch(id, { nextBillingAt: "2027-03-15" }),
};

/** The status after each action, "same" when nothing changes, or 409. `+end`: to be cancelled at the period's end. */
const TABLE: Readonly<Record<keyof typeof IN, readonly [string, string, string, string, string, string]>> = {
  //          pause          resume       cancel now   cancel at end   reactivate  move
  scheduled: ["paused", "same", "cancelled", "cancelled", "same", "scheduled"],
  trialing: ["paused", "same", "cancelled", "trialing+end", "same", "trialing"],
  active: ["paused", "same", "cancelled", "active+end", "same", "active"],
  past_due: ["paused", "same", "cancelled", "past_due+end", "same", "past_due"],
  ending: ["paused+end", "same", "cancelled", "same", "active", "active+end"],
  paused: ["same", "active", "cancelled", "paused+end", "409", "paused"],
  cancelled: ["409", "409", "same", "same", "active", "409"],
  expired: ["409", "409", "409", "409", "active", "409"],
};

describe("the table of transitions", () => {
  for (const [from, cells] of Object.entries(TABLE))
    test(`from ${from}`, async () => {
      const shop = await openSubscriptionShop(api);
      const ids: string[] = [];
      for (const _ of cells) ids.push(await (IN[from] as NonNullable<(typeof IN)[string]>)(shop));
      if (LATER[from]) await shop.move(LATER[from]);
      for (const [index, [action, run]] of Object.entries(ACTIONS).entries()) {
        const id = ids[index] ?? "";
        const [was, told] = [await shop.now(id), await shop.told(id)];
        const answer = await run(shop, id);
        const wanted = cells[index];
        const where = `${action}: ${JSON.stringify(answer.body)}`;
        if (wanted === "409") {
          assert.deepEqual([answer.status, answer.body.error], [409, "invalid_state"], where);
          assert.deepEqual(await shop.now(id), was, where);
        } else {
          assert.equal(answer.status, 200, where);
          assert.deepEqual(await shop.now(id), answer.body, where);
          const shown = answer.body.status + (answer.body["cancelAtPeriodEnd"] ? "+end" : "");
          if (wanted === "same") assert.deepEqual(answer.body, was, where);
          else assert.equal(shown, wanted, where);
        }
        if (wanted === "same" || wanted === "409") assert.deepEqual(await shop.told(id), told, where);
        const again = await run(shop, id);
        assert.equal(again.status, wanted === "409" ? 409 : 200, `twice ${where}`);
        if (wanted !== "409") assert.deepEqual(again.body, answer.body, `twice ${where}`);
      }
    });

  test("an unknown subscription, or another organisation's, is 404", async () => {
    const [shop, stranger] = await Promise.all([openSubscriptionShop(api), openSubscriptionShop(api)]);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    for (const [of, asked] of [
      [shop, "csub_none"],
      [stranger, id],
    ] as const)
      for (const run of Object.values(ACTIONS)) assert.equal((await run(of, asked)).status, 404);
  });
});
