import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.4: what subscriptions are worth a month, how that moved, and the list of each figure. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Figure {
  readonly amount: number;
  readonly count: number;
  readonly list: string;
}
interface Revenue {
  readonly currency: string;
  readonly mrr: Figure;
  readonly movements: Readonly<Record<"new" | "expansion" | "contraction" | "churn" | "reactivation", Figure>>;
  readonly failed: Figure;
  readonly recovered: Figure;
}
const revenues = async ({ staff }: SubscriptionShop) => {
  const answer = await staff<{ recurringRevenue: Revenue[] }>("GET", "/overview");
  assert.equal(answer.status, 200, answer.text);
  return answer.body.recurringRevenue;
};
const revenue = async (shop: SubscriptionShop, currency = "ZAR") => {
  const found = (await revenues(shop)).find((one) => one.currency === currency);
  assert.ok(found);
  return found;
};
const listOf = async ({ staff }: SubscriptionShop, { list }: Figure) => {
  const answer = await staff<{ data: Record<string, unknown>[] }>(
    "GET",
    `${list.replace("/dashboard/api", "")}&limit=100`,
  );
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};
const figures = ({ mrr, movements }: Revenue) => ({
  mrr: [mrr.amount, mrr.count],
  ...Object.fromEntries(
    Object.entries(movements)
      .filter(([, { count }]) => count > 0)
      .map(([kind, { amount, count }]) => [kind, [amount, count]]),
  ),
});
/** Each figure is what its list adds up to. */
const assertListed = async (shop: SubscriptionShop, of: Revenue) => {
  assert.equal((await listOf(shop, of.mrr)).length, of.mrr.count);
  for (const [kind, figure] of Object.entries(of.movements)) {
    const listed = await listOf(shop, figure);
    const cents = listed.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    assert.deepEqual([listed.length, cents / 100], [figure.count, figure.amount], kind);
    assert.ok(listed.every((one) => one["kind"] === kind && one["currency"] === of.currency));
  }
  for (const figure of [of.failed, of.recovered]) assert.equal((await listOf(shop, figure)).length, figure.count);
};
const change = async ({ shop }: SubscriptionShop, id: string, body: object) => {
  const answer = await shop.post(`/customer-subscriptions/${id}/change-plan`, body);
  assert.equal(answer.status, 200, answer.text);
};

describe("recurring revenue", () => {
  test("is nothing without subscriptions, and staff who may not read it are refused", async () => {
    const shop = await openSubscriptionShop(api);
    const [only, ...more] = await revenues(shop);
    assert.ok(only);
    assert.deepEqual([only.currency, figures(only), more], ["ZAR", { mrr: [0, 0] }, []]);
    await assertListed(shop, only);
    assert.equal((await shop.staff("GET", "/subscription-movements?kind=lost")).status, 400);
    assert.equal((await shop.staff("GET", "/invoices?missed=maybe")).status, 400);
  });

  test("is what plan and add-ons cost a month without VAT, while a subscription runs", async () => {
    const shop = await openSubscriptionShop(api);
    const monthly = await shop.addPlan();
    const yearly = await shop.addPlan({ name: "Year", amount: 1200, frequency: "annually", taxInclusive: true });
    const items = [
      { kind: "addon", description: "Seat", unitAmount: 10.5, quantity: 2 },
      { kind: "metered", description: "Calls", unitAmount: 1 },
      { kind: "one_time", description: "Welcome", unitAmount: -30 },
    ];
    await shop.subscribe({ planId: monthly, items });
    await shop.subscribe({ planId: yearly });
    await shop.subscribe({ planId: monthly, trialDays: 14 });
    await shop.subscribe({ planId: monthly, startDate: "2027-02-05" });
    // 1200.00 with 15 % VAT is 1043.48 without, a twelfth of which is 86.96.
    const now = await revenue(shop);
    assert.deepEqual(figures(now), { mrr: [207.96, 2], new: [207.96, 2] });
    await assertListed(shop, now);
    await shop.move("2027-02-05");
    assert.deepEqual(figures(await revenue(shop)), { mrr: [307.96, 3], new: [307.96, 3] });
    await shop.move("2027-02-14");
    const later = await revenue(shop);
    assert.deepEqual(figures(later), { mrr: [407.96, 4], new: [407.96, 4] });
    await assertListed(shop, later);
    // What is new is no more so after 30 days.
    await shop.move("2027-03-10");
    assert.deepEqual(figures(await revenue(shop)), { mrr: [407.96, 4], new: [100, 1] });
  });

  test("moves with each change, and with the end", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const ending = await shop.subscribe({ planId: await shop.addPlan({ name: "Short", cycles: 1 }) });
    await change(shop, id, { quantity: 3, proration: "now" });
    await change(shop, id, { quantity: 2, proration: "none" });
    await change(shop, id, { quantity: 5, proration: "next_renewal" });
    const before = await revenue(shop);
    assert.deepEqual(figures(before), { mrr: [300, 2], new: [200, 2], expansion: [200, 1], contraction: [-100, 1] });
    await assertListed(shop, before);
    await shop.move("2027-02-28");
    const after = await revenue(shop);
    assert.equal((await shop.now(ending.id)).status, "expired");
    assert.deepEqual(figures(after), {
      mrr: [500, 1],
      new: [200, 2],
      expansion: [500, 2],
      contraction: [-100, 1],
      churn: [-100, 1],
    });
    await assertListed(shop, after);
    const [churned] = await listOf(shop, after.movements.churn);
    assert.ok(churned);
    assert.deepEqual(
      [churned["subscriptionId"], (churned["customer"] as { id: string }).id, churned["happenedAt"]],
      [ending.id, shop.customer, "2027-02-27T22:00:00.000Z"],
    );
  });

  test("stops with a pause and a cancellation, and begins again", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const act = async (action: string, body = {}) => {
      const answer = await shop.shop.post(`/customer-subscriptions/${id}/${action}`, body);
      assert.equal(answer.status, 200, answer.text);
    };
    await act("pause");
    assert.deepEqual(figures(await revenue(shop)), { mrr: [0, 0], new: [100, 1], churn: [-100, 1] });
    await act("resume");
    await act("cancel", { when: "period_end" });
    await act("reactivate");
    const running = await revenue(shop);
    assert.deepEqual(figures(running), { mrr: [100, 1], new: [100, 1], churn: [-100, 1], reactivation: [100, 1] });
    await act("cancel", { when: "now" });
    await act("reactivate");
    const again = await revenue(shop);
    assert.deepEqual(figures(again), { mrr: [100, 1], new: [100, 1], churn: [-200, 2], reactivation: [200, 2] });
    await assertListed(shop, again);
  });

  test("is told for each currency apart", async () => {
    const shop = await openSubscriptionShop(api);
    await shop.subscribe({ planId: await shop.addPlan() });
    await shop.subscribe({ planId: await shop.addPlan({ name: "Dollars", currency: "USD", amount: 7 }) });
    const [rand, dollars] = [await revenue(shop), await revenue(shop, "USD")];
    assert.deepEqual(
      [figures(rand), figures(dollars)],
      [
        { mrr: [100, 1], new: [100, 1] },
        { mrr: [7, 1], new: [7, 1] },
      ],
    );
    await assertListed(shop, rand);
    await assertListed(shop, dollars);
  });
});
