import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import {
  openSubscriptionShop,
  type ShownSubscription,
  type SubscriptionShop,
} from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8 and 16.12: coupons of customer subscriptions. */

let api: TestApi;
let shop: SubscriptionShop;
let planId: string;
before(async () => {
  api = await openApi();
  shop = await openSubscriptionShop(api);
  planId = await shop.addPlan();
});
after(() => closeVerified(api));

const AT_ONCE = 20;
const PATH = "/customer-subscriptions";

let count = 0;
async function addCoupon(fields: object): Promise<{ id: string; code: string }> {
  const answer = await shop.staff("POST", "/coupons", { code: `C${count++}`, percent: 25, ...fields });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as { id: string; code: string };
}
const redemptions = async (id: string) => (await shop.staff("GET", `/coupons/${id}`)).body["redemptions"];
const create = (fields: object) =>
  shop.shop.post<ShownSubscription & { error: string; issues: { path: unknown[]; message: string }[] }>(PATH, {
    ...{ customer: { id: shop.customer }, planId, collectionMethod: "invoice" },
    ...fields,
  });
const subtotals = async (id: string) => (await shop.invoices(id)).map(({ subtotal }) => subtotal).toReversed();
/** Runs the next renewals of a subscription. */
async function renew(id: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await shop.move(String((await shop.now(id))["nextBillingAt"]));
}

describe("a coupon", () => {
  const KINDS: readonly [what: string, fields: object, expected: readonly number[], left: number | null][] = [
    ["for the first charge", {}, [75, 100, 100], 0],
    ["for two cycles", { duration: "cycles", cycles: 2, percent: 10 }, [90, 90, 100], 0],
    ["for every charge", { duration: "every", percent: null, amount: 30 }, [70, 70, 70], null],
  ];
  for (const [what, fields, expected, left] of KINDS)
    test(`${what} lowers these, says so on the line, and counts once`, async () => {
      const { id: couponId, code } = await addCoupon(fields);
      const named = left === null ? { couponId } : { couponCode: code.toLowerCase() };
      const dry = await create({ ...named, dryRun: true });
      assert.equal(dry.status, 200, dry.text);
      assert.equal(await redemptions(couponId), 0);
      const made = await create(named);
      assert.equal(made.status, 201, made.text);
      const { invoice } = dry.body["preview"] as { invoice: { subtotal: number } };
      assert.equal(invoice.subtotal, expected[0]);
      const { id } = made.body;
      assert.equal((made.body["coupon"] as { id: string }).id, couponId);
      await renew(id, 2);
      assert.deepEqual(await subtotals(id), expected);
      const shown = (await shop.now(id))["coupon"] as { code: string; chargesLeft: number | null };
      assert.deepEqual([shown.code, shown.chargesLeft], [code, left]);
      const [, , first] = await shop.invoices(id);
      const [line] = (first?.["lines"] ?? []) as { reason: { less: { by: string }[] } }[];
      assert.deepEqual(
        line?.reason.less.map(({ by }) => by),
        ["coupon"],
      );
      assert.equal(await redemptions(couponId), 1);
    });

  test("for one plan lowers nothing after a change to another", async () => {
    const other = await shop.addPlan({ name: "Other", amount: 200 });
    const { id: couponId } = await addCoupon({ duration: "every", planIds: [planId] });
    const { id } = (await create({ couponId })).body;
    await shop.shop.post(`${PATH}/${id}/change-plan`, { planId: other });
    await renew(id, 1);
    assert.deepEqual(await subtotals(id), [75, 200]);
  });

  test("for one plan and every charge rests on another: there and back on one day costs nothing", async () => {
    const untaxed = { taxRate: 0, frequency: "monthly" };
    const reed = await shop.addPlan({ name: "Reed", amount: 310, ...untaxed });
    const oak = await shop.addPlan({ name: "Oak", amount: 620, ...untaxed });
    const { id: couponId } = await addCoupon({ duration: "every", percent: 50, planIds: [reed] });
    const { id } = (await create({ couponId, planId: reed })).body;
    const change = (plan: string) => shop.act(id, "change-plan", { planId: plan, proration: "now" });
    const { body: there } = await change(oak);
    const { body: back } = await change(reed);
    const [{ amount }, credit] = [there["charge"] as { amount: number }, back["credit"]];
    assert.deepEqual([amount > 0, amount], [true, credit]);
  });

  test("for the first charge of a plan is spent with a first charge of another", async () => {
    const elm = await shop.addPlan({ name: "Elm" });
    const other = await shop.addPlan({ name: "Other" });
    const { id: couponId } = await addCoupon({ percent: 50, planIds: [elm] });
    const { id } = (await create({ couponId, planId: elm, trialDays: 5 })).body;
    await shop.act(id, "change-plan", { planId: other });
    await renew(id, 2);
    await shop.act(id, "change-plan", { planId: elm });
    await renew(id, 1);
    assert.deepEqual(await subtotals(id), [100, 100, 100]);
    assert.equal(((await shop.now(id))["coupon"] as { chargesLeft: number }).chargesLeft, 0);
  });

  test("holds for usage of an item that goes, and for that of the last bill", async () => {
    const items = [{ code: "calls", kind: "metered", description: "Calls", unitAmount: 1 }];
    const { id: couponId } = await addCoupon({ duration: "every", percent: 50 });
    const { id } = (await create({ couponId, items })).body;
    await shop.act(id, "items/calls/usage", { quantity: 100, action: "set" });
    await shop.shop.call("PATCH", `${PATH}/${id}/items/calls`, { body: { unitAmount: 2 } });
    await renew(id, 1);
    await shop.act(id, "items/calls/usage", { quantity: 50, action: "set" });
    await shop.act(id, "cancel", { when: "now" });
    assert.deepEqual(await subtotals(id), [50, 100, 50]);
  });

  test("for some charges counts the one of a period that a change of frequency begins", async () => {
    const yearly = await shop.addPlan({ name: "Yearly", amount: 1000, frequency: "annually" });
    const { id: couponId } = await addCoupon({ duration: "cycles", cycles: 2 });
    const { id } = (await create({ couponId })).body;
    const { status, body } = await shop.shop.post(`${PATH}/${id}/change-plan`, { planId: yearly, proration: "now" });
    assert.deepEqual([status, (body["coupon"] as { chargesLeft: number }).chargesLeft], [200, 0]);
    assert.deepEqual(await subtotals(id), [75, 675]);
  });

  test("that is used up is refused, whoever asks at the same time", async () => {
    const { id: couponId } = await addCoupon({ maxRedemptions: 3 });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => create({ couponId })));
    assert.equal(answers.filter(({ status }) => status === 201).length, 3);
    const [refused] = answers.filter(({ status }) => status !== 201);
    assert.deepEqual([refused?.status, refused?.body.issues[0]?.path], [400, ["couponId"]]);
    assert.equal(await redemptions(couponId), 3);
  });

  test("is redeemed once for a reference, whoever creates at the same time", async () => {
    const { id: couponId } = await addCoupon({});
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => create({ couponId, externalReference: "once" })),
    );
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.equal(await redemptions(couponId), 1);
  });

  test("that cannot be redeemed is 400 about its field, in a dry run too", async () => {
    const other = await shop.addPlan({ name: "Other" });
    const taken = await addCoupon({ maxRedemptionsPerCustomer: 1 });
    assert.equal((await create({ couponId: taken.id })).status, 201);
    const cases: readonly [fields: object, field: string][] = [
      [{ couponCode: "NONE" }, "couponCode"],
      [{ couponId: "cpn_none" }, "couponId"],
      [{ couponId: taken.id, couponCode: taken.code }, "couponCode"],
      [{ couponCode: (await addCoupon({ enabled: false })).code }, "couponCode"],
      [{ couponCode: (await addCoupon({ startsAt: "2030-01-01" })).code }, "couponCode"],
      [{ couponCode: (await addCoupon({ endsAt: "2027-01-01" })).code }, "couponCode"],
      [{ couponId: (await addCoupon({ planIds: [other] })).id }, "couponId"],
      [{ couponId: (await addCoupon({ percent: null, amount: 5, currency: "USD" })).id }, "couponId"],
      [{ couponId: taken.id }, "couponId"],
      [{ couponCode: "X".repeat(51) }, "couponCode"],
    ];
    for (const [fields, field] of cases)
      for (const dryRun of [true, false]) {
        const { status, body, text } = await create({ ...fields, dryRun });
        assert.deepEqual([status, body.error, body.issues[0]?.path], [400, "invalid_request", [field]], text);
      }
  });

  test("of an organisation without coupons is 403", async () => {
    const { code } = await addCoupon({});
    await shop.shop.change({ plan: "starter" });
    const refused = await create({ couponCode: code });
    await shop.shop.change({ plan: "business" });
    assert.deepEqual([refused.status, refused.body.error], [403, "plan_restricted"]);
  });
});

describe("a redemption", () => {
  test("whose payment never comes is given back when the subscription ends; one that was paid stays", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.staff<{ id: string }>("POST", "/coupons", {
      code: "ONCE",
      percent: 10,
      maxRedemptions: 2,
    });
    const counted = async () => (await stage.staff("GET", `/coupons/${made.body.id}`)).body["redemptions"];
    const unpaid = await stage.subscribe({ couponCode: "ONCE" });
    const paid = await stage.subscribe({ couponCode: "ONCE" });
    await stage.pay(paid);
    assert.equal(await counted(), 2);
    await stage.move("2027-04-01T00:00:00.000Z");
    assert.equal((await stage.now(unpaid.id)).status, "expired");
    assert.equal((await stage.now(paid.id)).status, "active");
    assert.equal(await counted(), 1);
    await stage.subscribe({ couponCode: "ONCE" });
    assert.equal(await counted(), 2);
  });

  test("goes with a subscription that is cancelled unpaid, and comes back when it is reactivated or paid", async () => {
    const { id: couponId } = await addCoupon({ duration: "every" });
    const { id } = (await create({ couponId })).body;
    const act = async (action: string, body: object) => {
      const answer = await shop.shop.post(`${PATH}/${id}/${action}`, body);
      assert.equal(answer.status, 200, answer.text);
      await shop.move(new Date((await shop.shop.ctx()).now.getTime() + 1000).toISOString());
      return redemptions(couponId);
    };
    assert.equal(await act("cancel", { when: "now" }), 0);
    assert.equal(await act("reactivate", {}), 1);
    assert.equal(await act("cancel", { when: "now" }), 0);
    const [invoice] = await shop.invoices(id);
    const paid = await shop.shop.post(`/invoices/${invoice?.["id"]}/payments`, { amount: 86.25, method: "eft" });
    assert.equal(paid.status, 201, paid.text);
    assert.equal(await act("cancel", { when: "now" }), 1);
    const free = await addCoupon({ percent: 100 });
    const all = (await create({ couponId: free.id })).body;
    await shop.shop.post(`${PATH}/${all.id}/cancel`, { when: "now" });
    await shop.move(new Date((await shop.shop.ctx()).now.getTime() + 1000).toISOString());
    assert.equal(await redemptions(free.id), 1);
  });
});
