import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import {
  openSubscriptionShop,
  type ShownSubscription,
  type SubscriptionShop,
} from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8: changes of subscriptions that may not be, and their previews. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const path = (id: string, action: string) => `/customer-subscriptions/${id}/${action}`;

describe("a change that is refused", () => {
  let shop: SubscriptionShop;
  let basic: string;
  let gold: string;
  before(async () => {
    shop = await openSubscriptionShop(api);
    basic = await shop.addPlan({ name: "Basic", amount: 100 });
    gold = await shop.addPlan({ name: "Gold", amount: 310, code: "gold" });
  });

  const REFUSED: readonly [what: string, body: () => object, field: string][] = [
    ["nothing", () => ({}), "plan"],
    ["only how", () => ({ proration: "now" }), "plan"],
    ["two plans", () => ({ planId: gold, plan: "gold" }), "plan"],
    ["an unknown plan", () => ({ planId: "plan_none" }), "planId"],
    ["an unknown code", () => ({ plan: "none" }), "plan"],
    ["an unknown proration", () => ({ planId: gold, proration: "later" }), "proration"],
    ["a quantity of zero", () => ({ quantity: 0 }), "quantity"],
    ["a negative quantity", () => ({ quantity: -3 }), "quantity"],
    ["a quantity of one and a half", () => ({ quantity: 1.5 }), "quantity"],
    ["a new item without a price", () => ({ items: [{ code: "x", kind: "addon", description: "X" }] }), "items"],
    ["a negative add-on", () => ({ items: [{ kind: "addon", description: "X", unitAmount: -1 }] }), "items"],
    [
      "a negative quantity of an item",
      () => ({ items: [{ kind: "addon", description: "X", unitAmount: 1, quantity: -1 }] }),
      "items",
    ],
    [
      "101 items",
      () => ({ items: Array.from({ length: 101 }, () => ({ kind: "addon", description: "x", unitAmount: 1 })) }),
      "items",
    ],
    [
      "more than an invoice may be",
      () => ({
        quantity: 1_000_000,
        items: [{ kind: "addon", description: "X", unitAmount: 10_000_000, quantity: 100 }],
      }),
      "quantity",
    ],
    ["a truth that is a text", () => ({ planId: gold, proration: "now", invoiceNow: "yes" }), "invoiceNow"],
  ];
  test("says which field is wrong, as its preview does, and changes nothing", async () => {
    const { id } = await shop.subscribe({ planId: basic });
    const untouched = await shop.now(id);
    for (const [what, body, field] of REFUSED)
      for (const action of ["preview-change", "change-plan"]) {
        const answer = await shop.shop.post<{ error: string; issues: { path: unknown[] }[] }>(path(id, action), body());
        const seen = [answer.status, answer.body.error, answer.body.issues[0]?.path[0]];
        assert.deepEqual(seen, [400, "invalid_request", field], `${what} ${answer.text}`);
      }
    assert.deepEqual(await shop.now(id), untouched);
  });

  test("leads to a plan that was disabled after the preview, or is in another currency", async () => {
    const { id } = await shop.subscribe({ planId: basic });
    const late = await shop.addPlan({ name: "Late" });
    assert.equal((await shop.shop.post(path(id, "preview-change"), { planId: late })).status, 200);
    await shop.staff("PATCH", `/packages/${shop.packageId}/plans/${late}`, { enabled: false });
    const dollars = await shop.addPlan({ name: "Dollars", currency: "USD" });
    for (const planId of [late, dollars]) {
      const refused = await shop.shop.post<{ error: string }>(path(id, "change-plan"), { planId });
      assert.deepEqual([refused.status, refused.body.error], [400, "invalid_request"], refused.text);
    }
    assert.equal((await shop.invoices(id)).length, 1);
  });

  test("is of a subscription that does not exist", async () => {
    for (const action of ["preview-change", "change-plan"])
      assert.equal((await shop.shop.post(path("csub_none", action), { planId: gold })).status, 404);
    assert.equal((await shop.shop.call("DELETE", path("csub_none", "pending-change"))).status, 404);
  });

  test("because it was made with the same Idempotency-Key answers what it answered then", async () => {
    const { id } = await shop.subscribe({ planId: basic });
    const again = () =>
      shop.shop.post<ShownSubscription>(
        path(id, "change-plan"),
        { planId: gold, proration: "now" },
        { headers: { "idempotency-key": `k-${id}` } },
      );
    const [first, second] = [await again(), await again()];
    assert.deepEqual(second.body, first.body);
    assert.equal((await shop.invoices(id)).length, 2);
  });
});
