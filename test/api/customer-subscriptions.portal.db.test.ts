import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { buttonsOf, formTokenIn, portalRequest, sealIn, signInToPortal } from "../support/portal.ts";
import { closeVerified } from "../support/verified.ts";

/* The customer's own page of a subscription, below /portal: what they see and may do. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** Signs the shop's customer in. */
async function signIn(shop: SubscriptionShop, customer = shop.customer) {
  const portal = await signInToPortal(api, shop.shop, customer);
  return {
    home: () => portal.see(""),
    see: (id: string) => portal.see(`/subscriptions/${id}`),
    send: (id: string, fields: Record<string, string>) => portal.send(`/subscriptions/${id}`, fields),
  };
}

describe("a signed-in customer", () => {
  test("sees plan, next bill and why each line is what it is, and may do what the state allows", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    await shop.addPlan({ name: "Silver", amount: 40 });
    const { id } = await shop.subscribe({ planId, quantity: 2 });
    await shop.shop.post(`/customer-subscriptions/${id}/credit`, { amount: 30, description: "Sorry" });
    const portal = await signIn(shop);
    assert.match((await portal.home()).text, /Gold/);
    const page = await portal.see(id);
    assert.equal(page.status, 200);
    for (const text of [
      "Active",
      "R 230.00",
      "Next bill",
      "28 February 2027",
      "R 170.00",
      "28 February 2027 to 30 March 2027",
      "Sorry",
      "Silver",
    ])
      assert.ok(page.text.includes(text), `${text} in ${page.text}`);
    assert.deepEqual(buttonsOf(page), ["preview", "pause", "cancel"]);
  });

  test("cancels with a reason at the period's end, and undoes it", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const portal = await signIn(shop);
    assert.equal((await portal.send(id, { action: "cancel", reason: "x".repeat(501) })).status, 400);
    assert.equal((await portal.send(id, { action: "cancel", reason: "Too dear" })).status, 303);
    const ending = await shop.now(id);
    assert.deepEqual(
      [ending.status, ending["cancelAtPeriodEnd"], ending["cancelReason"]],
      ["active", true, "Too dear"],
    );
    const page = await portal.see(id);
    assert.match(page.text, /Ends after 27 February 2027/);
    assert.deepEqual(buttonsOf(page), ["undo"]);
    assert.equal((await portal.send(id, { action: "undo" })).status, 303);
    assert.equal((await shop.now(id))["cancelAtPeriodEnd"], false);
  });

  test("pauses and resumes", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const portal = await signIn(shop);
    await portal.send(id, { action: "pause" });
    assert.equal((await shop.now(id)).status, "paused");
    assert.deepEqual(buttonsOf(await portal.see(id)), ["resume", "cancel"]);
    await portal.send(id, { action: "resume" });
    assert.equal((await shop.now(id)).status, "active");
  });

  test("changes the plan at what was shown, and not when it costs something else by then", async () => {
    const shop = await openSubscriptionShop(api);
    const gold = await shop.addPlan();
    const silver = await shop.addPlan({ name: "Platinum", amount: 380 });
    const { id } = await shop.subscribe({ planId: gold });
    await shop.move("2027-02-14T20:00:00Z");
    const portal = await signIn(shop);
    const offer = await portal.send(id, { action: "preview", plan: silver });
    assert.equal(offer.status, 200);
    // 14 of 28 days: 190.00 less 50.00, with VAT.
    assert.match(offer.text, /R 161\.00 is to pay now/);
    const fields = { action: "change", plan: silver, seal: sealIn(offer) };
    await shop.move("2027-02-15T00:00:00Z");
    const late = await portal.send(id, fields);
    assert.deepEqual([late.status, (await shop.now(id))["amount"]], [409, 100]);
    const again = await portal.send(id, { action: "preview", plan: silver });
    const seal = sealIn(again);
    assert.equal((await portal.send(id, { ...fields, seal })).status, 303);
    assert.equal((await shop.now(id))["amount"], 380);
  });

  test("may do nothing that the settings keep to staff, and nothing with what another platform bills", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const other = await shop.addPlan({ name: "Silver" });
    const { id } = await shop.subscribe({ planId });
    const external = await shop.subscribe({
      planId,
      collectionMethod: "external",
      externalReference: "M",
      paidThrough: "2027-03-01",
    });
    await shop.staff("PATCH", "/settings", { portal: { changePlan: false, pause: false, cancel: false } });
    const portal = await signIn(shop);
    assert.deepEqual(buttonsOf(await portal.see(id)), []);
    const tokens = { formToken: formTokenIn(await portal.home()) };
    assert.ok(tokens.formToken);
    await shop.staff("PATCH", "/settings", { portal: { cancel: true } });
    for (const fields of [
      { action: "pause" },
      { action: "preview", plan: other },
      { action: "change", plan: other },
      { action: "undo" },
    ] as const)
      assert.equal((await portal.send(id, fields)).status, 403, fields.action);
    await shop.staff("PATCH", "/settings", { portal: null });
    assert.deepEqual(buttonsOf(await portal.see(external.id)), []);
    assert.equal((await shop.now(id)).status, "active");
  });

  test("sees nobody else's, and signs in first", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const other = await shop.shop.post<{ id: string }>("/customers", { email: "other@example.co.za" });
    const stranger = await signIn(shop, other.body.id);
    assert.equal((await stranger.see(id)).status, 404);
    const signedOut = await portalRequest(api, `/portal/${shop.shop.organisation.slug}/subscriptions/${id}`, "");
    assert.deepEqual([signedOut.status, signedOut.location], [303, `/portal/${shop.shop.organisation.slug}`]);
  });
});
