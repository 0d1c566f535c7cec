import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

describe("a discount of a customer subscription", () => {
  let api: TestApi;
  let shop: SubscriptionShop;
  before(async () => {
    api = await openApi();
    shop = await openSubscriptionShop(api);
  });
  after(() => closeVerified(api));

  const give = (id: string, body: object) =>
    shop.shop.post<Record<string, unknown>>(`/customer-subscriptions/${id}/discount`, body);

  test("is taken off the next bill, once", async () => {
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const given = await give(id, { percent: 12.5, description: "Late delivery" });
    assert.equal(given.status, 200, given.text);
    assert.deepEqual(
      (given.body["discounts"] as { percent: number; description: string }[]).map(({ percent, description }) => [
        percent,
        description,
      ]),
      [[12.5, "Late delivery"]],
    );
    await shop.move("2027-02-28");
    await shop.move("2027-03-31");
    const totals = (await shop.invoices(id)).map(({ subtotal, total }) => [subtotal, total]);
    assert.deepEqual(totals, [
      [100, 115],
      [87.5, 100.63],
      [100, 115],
    ]);
    assert.deepEqual((await shop.now(id))["discounts"], []);
  });

  for (const [what, body] of Object.entries({
    "of nothing": { percent: 0, description: "x" },
    "above all": { percent: 100.0001, description: "x" },
    "too fine": { percent: 1.00001, description: "x" },
    "without a reason": { percent: 10 },
  }))
    test(`is 400 ${what}`, async () => {
      const { id } = await shop.subscribe({ planId: await shop.addPlan() });
      const refused = await give(id, body);
      assert.equal(refused.status, 400, refused.text);
      assert.deepEqual((await shop.now(id))["discounts"], []);
    });

  test("of another organisation's subscription, or none, is 404", async () => {
    assert.equal((await give("csub_none", { percent: 10, description: "x" })).status, 404);
  });
});
