import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, openPage, postForm } from "../support/cards.ts";
import { endSale, openSale, PAYER, postSale, salePath, startSale } from "../support/checkout.ts";
import { type CollectingShop, openCollectingShop } from "../support/collected-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* The plan's limit of payments a month (interface 8), where subscriptions begin and are collected. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const limit = (stage: CollectingShop, monthlyTransactions: number) =>
  stage.shop.change({ limits: JSON.stringify({ monthlyTransactions }) });
const at = (day: string) => `2027-${day}T12:00:00.000Z`;
const attempts = async (stage: CollectingShop, id: string) =>
  (await stage.shop.get<{ data: Record<string, unknown>[] }>(`/customer-subscriptions/${id}/attempts`)).body.data;

describe("a checkout", () => {
  /** A shop whose package is sold, with a coupon that can be redeemed once. */
  async function open() {
    const stage = await openCollectingShop(api);
    const plan = (await stage.shop.get<{ packageId: string }>(`/plans/${stage.planId}`)).body;
    const [found] = (await stage.shop.get<{ data: { id: string }[] }>("/packages")).body.data;
    const coupon = await stage.staff<{ id: string }>("POST", "/coupons", {
      code: "ONCE",
      percent: 10,
      maxRedemptions: 1,
    });
    assert.equal(coupon.status, 201, coupon.text);
    return {
      stage,
      page: salePath(stage, "package", plan.packageId ?? found?.id ?? ""),
      redemptions: async () =>
        (await stage.staff<{ redemptions: number }>("GET", `/coupons/${coupon.body.id}`)).body.redemptions,
    };
  }

  test("that meets the limit when its payment is to start gives the coupon back, and goes on later", async () => {
    const { stage, page, redemptions } = await open();
    // Somebody else is at the gateway: the page still opens, and no further payment can start.
    const other = await startSale(stage, page, { email: "other@example.co.za", plan: stage.planId });
    await limit(stage, 1);
    assert.match((await openSale(stage, page)).text, /<form/);
    const fields = { ...PAYER, gateway: stage.account.id, plan: stage.planId, couponCode: "ONCE" };
    const refused = await postSale(stage, page, fields);
    assert.equal(refused.status, 200, refused.text);
    assert.match(refused.text, /reached its number of online payments/);
    assert.equal(await redemptions(), 0);
    await endSale(stage, other, "cancelled");
    await limit(stage, 2);
    const attempt = await startSale(stage, page, { plan: stage.planId, couponCode: "ONCE" });
    assert.equal(await redemptions(), 1);
    const { page: result } = await endSale(stage, attempt, "complete", { card: "4242424242424242", saveCard: "on" });
    assert.equal(result.status, 200);
    assert.equal(await redemptions(), 1);
    const listed = await stage.shop.get<{ data: { status: string; amount: number }[] }>(
      "/customer-subscriptions?status=active",
    );
    assert.equal(listed.body.data.length, 1);
  });

  test("keeps the coupon of an attempt that is still at the gateway, when a second one meets the limit", async () => {
    const { stage, page, redemptions } = await open();
    const session = await stage.shop.post<{ checkoutUrl: string }>("/checkout-sessions", {
      planId: stage.planId,
      couponCode: "ONCE",
    });
    assert.equal(session.status, 201, session.text);
    const url = session.body.checkoutUrl;
    const first = await startSale(stage, url, { plan: stage.planId, couponCode: "ONCE" });
    await limit(stage, 1);
    const refused = await postSale(stage, url, {
      ...PAYER,
      gateway: stage.account.id,
      plan: stage.planId,
      couponCode: "ONCE",
    });
    assert.match(refused.text, /reached its number of online payments/);
    assert.equal(await redemptions(), 1);
    assert.ok(page);
    await endSale(stage, first, "complete", { card: "4242424242424242", saveCard: "on" });
    assert.equal(await redemptions(), 1);
  });
});

describe("a first charge by API", () => {
  test("at the limit: the subscription waits, its page says so, and it begins when payments are possible", async () => {
    const stage = await openCollectingShop(api);
    await limit(stage, 0);
    const made = await stage.subscribe();
    assert.deepEqual([made.status, made.payment.due], ["pending", true]);
    const url = String(made.payment.url);
    const page = await openPage(api, url);
    assert.doesNotMatch(page.text, /name="gateway"/);
    assert.equal((await postForm(api, url, { gateway: stage.account.id })).status, 200);
    await limit(stage, 1);
    await stage.pay(await stage.now(made.id));
    assert.equal((await stage.now(made.id)).status, "active");
  });

  test("that fills up while the payer is at the gateway is honoured", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe();
    const { gatewayUrl } = await begin(stage, String(made.payment.url));
    await limit(stage, 0);
    const answer = await postForm(api, gatewayUrl, {
      outcome: "complete",
      card: "4242424242424242",
      saveCard: "on",
    });
    assert.equal(answer.status, 303);
    assert.equal((await stage.now(made.id)).status, "active");
  });
});

describe("a renewal", () => {
  test("at the limit is billed and waits, without an attempt; it is charged when the month is over", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe({ billingAnchorDay: 20 });
    await stage.pay(made);
    await limit(stage, 1);
    await stage.move(at("03-28"));
    const waiting = await stage.now(made.id);
    assert.deepEqual([waiting.status, waiting["currentPeriodStart"]], ["active", "2027-03-20"]);
    assert.equal(waiting.lastInvoice?.status, "sent");
    assert.deepEqual(await attempts(stage, made.id), []);
    const refused = await stage.shop.post<{ error: string }>(`/customer-subscriptions/${made.id}/retry`, {});
    assert.deepEqual([refused.status, refused.body.error], [403, "plan_limit"]);
    await stage.move(at("04-06"));
    const charged = await stage.now(made.id);
    assert.deepEqual([charged.status, charged.lastInvoice?.status], ["active", "paid"]);
    assert.deepEqual(
      (await attempts(stage, made.id)).map(({ cause, status, createdAt }) => [cause, status, createdAt]),
      [["renewal", "complete", "2027-03-31T22:00:00.000Z"]],
    );
  });

  test("of nineteen at once, one fits: the others wait, and are charged when there is room", async () => {
    const stage = await openCollectingShop(api);
    const first = await stage.subscribe();
    await stage.pay(first);
    const paidUntil = { paidThrough: "2027-03-10" };
    const others = [];
    for (let n = 0; n < 19; n++) others.push(await stage.subscribe(paidUntil));
    await limit(stage, 2);
    await stage.move(at("03-10"));
    const [{ charges = 0 } = {}] = await api.query<{ charges: number }>(
      "select count(*)::integer as charges from transactions where organisation_id = $1 and type = 'card_debit'",
      stage.shop.organisation.id,
    );
    assert.equal(charges, 1);
    await limit(stage, 100);
    await stage.move(at("03-16"));
    for (const { id } of others) assert.equal((await stage.now(id)).lastInvoice?.status, "paid");
  });
});
