import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { MASTERCARD } from "../support/cards.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
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
type Shop = Pick<SubscriptionShop, "staff">;
const revenues = async ({ staff }: Shop) => {
  const answer = await staff<{ recurringRevenue: Revenue[] }>("GET", "/overview");
  assert.equal(answer.status, 200, answer.text);
  return answer.body.recurringRevenue;
};
const revenue = async (shop: Shop, currency = "ZAR") => {
  const found = (await revenues(shop)).find((one) => one.currency === currency);
  assert.ok(found);
  return found;
};
const listOf = async ({ staff }: Shop, { list }: Figure) => {
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
const assertListed = async (shop: Shop, of: Revenue) => {
  assert.equal((await listOf(shop, of.mrr)).length, of.mrr.count);
  for (const [kind, figure] of Object.entries(of.movements)) {
    const listed = await listOf(shop, figure);
    const cents = listed.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    assert.deepEqual([listed.length, cents / 100], [figure.count, figure.amount], kind);
    assert.ok(listed.every((one) => one["kind"] === kind && one["currency"] === of.currency));
  }
  for (const [figure, field] of [
    [of.failed, "amountDue"],
    [of.recovered, "total"],
  ] as const) {
    const listed = await listOf(shop, figure);
    const cents = listed.reduce((sum, invoice) => sum + Math.round(Number(invoice[field]) * 100), 0);
    assert.deepEqual([listed.length, cents / 100], [figure.count, figure.amount], field);
    assert.ok(listed.every(({ currency }) => currency === of.currency));
  }
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

describe("what subscriptions could not collect", () => {
  const DECLINED = "4000000000000341";
  const missed = ({ failed, recovered }: Revenue) => ({
    failed: [failed.amount, failed.count],
    recovered: [recovered.amount, recovered.count],
  });
  const at = (day: string) => `2027-${day}T12:00:00.000Z`;

  test("is failed until it is paid, then recovered, each for 30 days", async () => {
    const shop = await openCollectingShop(api);
    const one = await shop.subscribe();
    const other = await shop.subscribe({ quantity: 2 });
    const charged = await shop.subscribe({ quantity: 4 });
    await shop.pay(one, DECLINED);
    await shop.pay(other, DECLINED);
    await shop.pay(charged, MASTERCARD);
    await shop.move(at("04-02"));
    // A charge that is under way has not failed, and a first payment on a page is nothing that was recovered.
    assert.deepEqual(missed(await revenue(shop)), { failed: [0, 0], recovered: [0, 0] });
    await shop.move(at("04-05"));
    const failed = await revenue(shop);
    assert.deepEqual(missed(failed), { failed: [300, 2], recovered: [0, 0] });
    assert.deepEqual(
      figures(failed)["mrr"],
      figures(await revenue(shop))["mrr"],
      "a past due one is worth what it was",
    );
    await assertListed(shop, failed);
    await shop.pay(await shop.now(other.id), MASTERCARD);
    const recovered = await revenue(shop);
    assert.deepEqual(missed(recovered), { failed: [100, 1], recovered: [200, 1] });
    await assertListed(shop, recovered);
    // A second failure of the same invoice is the same failure.
    await shop.move(at("04-20"));
    assert.deepEqual(missed(await revenue(shop)), { failed: [100, 1], recovered: [200, 1] });
    const { lastInvoice } = await shop.now(one.id);
    assert.equal((await shop.shop.post(`/invoices/${lastInvoice?.id}/cancel`, {})).status, 200);
    const cancelled = await revenue(shop);
    assert.deepEqual(missed(cancelled), { failed: [0, 0], recovered: [200, 1] });
    await assertListed(shop, cancelled);
    assert.equal((await shop.shop.post(`/customer-subscriptions/${one.id}/cancel`, { when: "now" })).status, 200);
    await shop.move(at("05-06"));
    assert.deepEqual(missed(await revenue(shop)), { failed: [0, 0], recovered: [0, 0] });
  });

  test("counts what is due of an invoice that was paid in part by hand", async () => {
    const shop = await openCollectingShop(api);
    const made = await shop.subscribe();
    await shop.pay(made, DECLINED);
    await shop.move(at("04-05"));
    const { lastInvoice } = await shop.now(made.id);
    const paid = await shop.shop.post(`/invoices/${lastInvoice?.id}/payments`, { amount: 30, method: "eft" });
    assert.equal(paid.status, 201, paid.text);
    const part = await revenue(shop);
    assert.deepEqual(missed(part), { failed: [70, 1], recovered: [0, 0] });
    await assertListed(shop, part);
    await shop.shop.post(`/invoices/${lastInvoice?.id}/payments`, { amount: 70, method: "eft" });
    const whole = await revenue(shop);
    assert.deepEqual(missed(whole), { failed: [0, 0], recovered: [100, 1] });
    await assertListed(shop, whole);
  });
});
