import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop, shownOf } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 3.11, 4.8 and 16.18: reactivate, and PATCH. The clock stands at 31 January 2027, 10:00. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

describe("a reactivation", () => {
  const cancelledOn = async (shop: SubscriptionShop, day: string) => {
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.act(id, "cancel");
    await shop.move(day);
    return id;
  };
  const CASES: readonly [what: string, day: string, body: object, expected: unknown[], billed: unknown[]][] = [
    [
      "while the paid period runs bills nothing",
      "2027-02-20",
      {},
      ["active", "2027-01-31", "2027-02-27T22:00:00.000Z"],
      [],
    ],
    [
      "while it runs, with chargeNow, begins a new period, less what is paid already: 100 - 8/28 x 100",
      "2027-02-20",
      { chargeNow: true },
      ["active", "2027-02-20", "2027-03-19T22:00:00.000Z"],
      [["2027-02-20", "2027-03-19", 82.14]],
    ],
    [
      "while it runs, with chargeNow and a date, charges the days until then: (44/31 - 8/28) x 100",
      "2027-02-20",
      { chargeNow: true, nextBillingAt: "2027-04-05" },
      ["active", "2027-02-20", "2027-04-04T22:00:00.000Z"],
      [["2027-02-20", "2027-04-04", 130.38]],
    ],
    [
      "after it begins a new period",
      "2027-03-10",
      {},
      ["active", "2027-03-10", "2027-04-09T22:00:00.000Z"],
      [["2027-03-10", "2027-04-09", 115]],
    ],
    [
      "with a date is charged then",
      "2027-03-10",
      { nextBillingAt: "2027-04-01" },
      ["active", "2027-03-10", "2027-03-31T22:00:00.000Z"],
      [],
    ],
    [
      "with a date and chargeNow is charged for the days until then",
      "2027-03-10",
      { nextBillingAt: "2027-04-01T00:00:00+02:00", chargeNow: true },
      ["active", "2027-03-10", "2027-03-31T22:00:00.000Z"],
      [["2027-03-10", "2027-03-31", 81.62]],
    ],
    [
      "with chargeNow false is charged a period later",
      "2027-03-10",
      { chargeNow: false },
      ["active", "2027-03-10", "2027-04-09T22:00:00.000Z"],
      [],
    ],
  ];
  for (const [what, day, body, expected, billed] of CASES)
    test(what, async () => {
      const shop = await openSubscriptionShop(api);
      const id = await cancelledOn(shop, day);
      const answer = await shop.act(id, "reactivate", body);
      assert.deepEqual(shownOf(answer.body, "status", "currentPeriodStart", "nextBillingAt"), expected);
      assert.deepEqual(shownOf(answer.body, "cancelledAt", "cancelReason", "cancelAtPeriodEnd"), [null, null, false]);
      assert.deepEqual((await shop.periods(id)).slice(1), billed);
      const told = (await shop.events(id)).slice(3);
      assert.deepEqual(
        told.map(({ type, data }) => [type, data["invoice"] !== null]),
        [
          ["subscription.reactivated", billed.length > 0],
          ...(billed.length > 0 ? [["subscription.renewed", true]] : []),
        ],
      );
      const { nextBillingAt } = answer.body;
      await shop.move(new Date(Date.parse(String(nextBillingAt)) + 1000).toISOString());
      assert.equal((await shop.periods(id)).length, 2 + billed.length);
    });

  test("with chargeNow undoes a cancellation at the period's end too, once; not while it is paused, nor above the largest invoice", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan({ amount: 10_000_000 }) });
    await shop.act(id, "cancel", { when: "period_end" });
    await shop.move("2027-02-20");
    const tooMuch = await shop.act(id, "reactivate", { chargeNow: true, nextBillingAt: "2036-12-31" });
    assert.deepEqual([tooMuch.status, tooMuch.body.issues?.[0]?.path], [400, ["nextBillingAt"]]);
    await shop.act(id, "pause");
    assert.equal((await shop.act(id, "reactivate", { chargeNow: true })).body.error, "invalid_state");
    await shop.act(id, "resume");
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop.act(id, "reactivate", { chargeNow: true })));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array<number>(7).fill(409)]);
    assert.deepEqual((await shop.told(id)).slice(2), ["updated", "paused", "resumed", "reactivated", "renewed"]);
    assert.deepEqual(
      (await shop.periods(id)).map(([start]) => start),
      ["2027-01-31", "2027-02-20"],
    );
    assert.equal((await shop.now(id))["cancelAtPeriodEnd"], false);
  });

  test("of one that expired may have its cycles again", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan({ cycles: 1 }) });
    await shop.move("2027-03-05");
    assert.equal((await shop.act(id, "reactivate")).body.status, "active");
    await shop.move("2027-04-05");
    assert.equal((await shop.now(id)).status, "expired");
    assert.equal((await shop.periods(id)).length, 2);
  });

  test("of one that goes on is 200 without a body and 409 with one", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    assert.equal((await shop.act(id, "reactivate", {})).status, 200);
    for (const body of [{ chargeNow: true }, { nextBillingAt: "2027-03-01" }])
      assert.deepEqual([(await shop.act(id, "reactivate", body)).body.error], ["invalid_state"]);
  });

  test("to a date that is not ahead is 400, and changes nothing", async () => {
    const shop = await openSubscriptionShop(api);
    const id = await cancelledOn(shop, "2027-03-10");
    const was = await shop.now(id);
    for (const nextBillingAt of ["2027-03-10", "0001-01-01", "9999-12-31", "soon", "2027-02-30", 5]) {
      const { status, body } = await shop.act(id, "reactivate", { nextBillingAt });
      assert.deepEqual([status, body.issues?.[0]?.path[0]], [400, "nextBillingAt"], String(nextBillingAt));
    }
    assert.deepEqual(await shop.now(id), was);
  });
});

describe("PATCH", () => {
  test("nextBillingAt moves the running period's end, and is the anchor from then on", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    for (const [day, end] of [
      ["2027-02-15", "2027-02-14"],
      ["2027-03-20T22:30:00Z", "2027-03-20"],
    ]) {
      const { body } = await shop.patch(id, { nextBillingAt: day });
      assert.equal(body["currentPeriodEnd"], end);
    }
    await shop.move("2027-04-25");
    assert.deepEqual(await shop.periods(id), [
      ["2027-01-31", "2027-02-27", 115],
      ["2027-03-21", "2027-04-20", 115],
      ["2027-04-21", "2027-05-20", 115],
    ]);
    assert.deepEqual(await shop.told(id), ["created", "activated", "updated", "updated", "renewed", "renewed"]);
  });

  test("billingAnchorDay keeps the period's end; the next one is the bridge", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan({ amount: 310 }) });
    const { body } = await shop.patch(id, { billingAnchorDay: 15 });
    assert.deepEqual(shownOf(body, "billingAnchorDay", "currentPeriodEnd"), [15, "2027-02-27"]);
    await shop.move("2027-03-20");
    assert.deepEqual((await shop.periods(id)).slice(1), [
      ["2027-02-28", "2027-03-14", 190.98],
      ["2027-03-15", "2027-04-14", 356.5],
    ]);
  });

  test("moves the start of a scheduled one; to today it starts now", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), startDate: "2027-03-10" });
    const { body } = await shop.patch(id, { nextBillingAt: "2027-02-20" });
    assert.deepEqual(shownOf(body, "status", "startDate", "nextBillingAt"), [
      "scheduled",
      "2027-02-20",
      "2027-02-19T22:00:00.000Z",
    ]);
    assert.equal((await shop.patch(id, { nextBillingAt: "2027-01-31" })).body.status, "active");
    assert.deepEqual(await shop.periods(id), [["2027-01-31", "2027-02-27", 115]]);
    assert.deepEqual(await shop.told(id), ["created", "updated", "updated", "activated"]);
  });

  test("a scheduled one that begins with a trial by itself is announced as updated", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), startDate: "2027-02-10", trialDays: 7 });
    await shop.move("2027-02-10");
    assert.equal((await shop.now(id)).status, "trialing");
    assert.deepEqual(await shop.told(id), ["created", "updated"]);
  });

  test("of a trial moves its end, and its notice with it", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), trialDays: 14 });
    assert.equal((await shop.patch(id, { nextBillingAt: "2027-03-01" })).body["trialEnd"], "2027-02-28");
    await shop.move("2027-02-25");
    assert.deepEqual(await shop.told(id), ["created", "updated"]);
    await shop.move("2027-02-26");
    assert.deepEqual(await shop.told(id), ["created", "updated", "trial_ending"]);
    await shop.patch(id, { nextBillingAt: "2027-03-11" });
    await shop.move("2027-03-12");
    assert.deepEqual((await shop.told(id)).slice(3), ["updated", "trial_ending", "trial_ended", "activated"]);
    assert.deepEqual(await shop.periods(id), [["2027-03-11", "2027-04-10", 115]]);
  });

  test("of today bills today", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.move("2027-02-10");
    assert.equal((await shop.patch(id, { nextBillingAt: "2027-02-10" })).body["cyclesBilled"], 2);
    assert.deepEqual((await shop.periods(id)).at(-1), ["2027-02-10", "2027-03-09", 115]);
  });

  test("metadata and reference can be changed at any time, and cleared", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const { id } = await shop.subscribe({ planId, metadata: { a: 1 }, externalReference: "A" });
    await shop.subscribe({ planId, externalReference: "B" });
    await shop.act(id, "cancel");
    const changed = await shop.patch(id, { metadata: { b: true }, externalReference: "C" });
    assert.deepEqual(shownOf(changed.body, "metadata", "externalReference"), [{ b: "true" }, "C"]);
    const taken = await shop.patch(id, { externalReference: "B" });
    assert.deepEqual([taken.status, taken.body.error], [409, "external_reference_conflict"]);
    const cleared = await shop.patch(id, { metadata: null, externalReference: null });
    assert.deepEqual(shownOf(cleared.body, "metadata", "externalReference"), [{}, null]);
    const told = await shop.told(id);
    assert.deepEqual((await shop.patch(id, {})).body, cleared.body);
    assert.deepEqual((await shop.patch(id, { metadata: {} })).body, cleared.body);
    assert.deepEqual(await shop.told(id), told);
  });

  test("what it may not say", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.move("2027-02-10");
    const was = await shop.now(id);
    for (const [body, path] of [
      [{ nextBillingAt: "2027-02-09" }, "nextBillingAt"],
      [{ nextBillingAt: "0001-01-01" }, "nextBillingAt"],
      [{ nextBillingAt: "9999-12-31" }, "nextBillingAt"],
      [{ nextBillingAt: "10000-01-01" }, "nextBillingAt"],
      [{ nextBillingAt: 20270301 }, "nextBillingAt"],
      [{ billingAnchorDay: 0 }, "billingAnchorDay"],
      [{ billingAnchorDay: 32 }, "billingAnchorDay"],
      [{ billingAnchorDay: 1.5 }, "billingAnchorDay"],
      [{ metadata: { a: [] } }, "metadata"],
      [{ externalReference: "" }, "externalReference"],
      [{ nextBillingAt: "2027-03-01", billingAnchorDay: 40 }, "billingAnchorDay"],
    ] as const) {
      const answer = await shop.patch(id, body);
      assert.deepEqual([answer.status, answer.body.issues?.[0]?.path[0]], [400, path], JSON.stringify(body));
    }
    assert.deepEqual(await shop.now(id), was);
    const fresh = await shop.subscribe({ planId: await shop.addPlan() });
    assert.equal((await shop.patch(fresh.id, { nextBillingAt: "2027-02-10" })).status, 400, "a period has a day");
    assert.equal((await shop.patch(fresh.id, { nextBillingAt: "2027-02-11" })).status, 200);
  });
});
