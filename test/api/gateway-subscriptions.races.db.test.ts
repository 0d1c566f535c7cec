import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { realTime } from "../../src/flows/context.ts";
import { askForRetry, recordRetry, settleRetry } from "../../src/flows/gateway-subscriptions/retry-subscription.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, eventsOf } from "../support/cards.ts";
import { chargesNow, openSubscriptionShop, subscribe, subscriptionNow } from "../support/gateway-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const twenty = <T>(call: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, call));

test("twenty updates at once mail one replacement, and twenty notifications of its payment replace once", async () => {
  const shop = await openSubscriptionShop(api, "sandbox_cancel_only");
  const { id } = await subscribe(shop);
  const path = `/subscriptions/${id}/update`;
  const updates = await twenty(() => shop.shop.post<{ result: { checkoutUrl: string } }>(path, { amount: 150 }));
  const links = new Set(updates.map(({ body }) => body.result.checkoutUrl));
  assert.equal(links.size, 1);
  const { reference } = await begin(shop, String([...links][0]));
  await shop.staff("POST", "/sandbox/notify", { reference, status: "complete", times: 20 });
  const { subscriptionId } = (await shop.shop.get(`/transactions/${reference}`)).body;
  assert.deepEqual(
    (await eventsOf(shop, "subscription.%")).map(({ type, subject }) => [type, subject]).toSorted(),
    [
      ["subscription.activated", id],
      ["subscription.activated", subscriptionId],
      ["subscription.cancelled", id],
    ].toSorted(),
  );
  const { data } = (await shop.shop.get<{ data: { status: string }[] }>("/subscriptions")).body;
  assert.deepEqual(
    data.map(({ status }) => status),
    ["active", "cancelled"],
  );
});

test("twenty who each pay one of two replacements: one replaces, one is cancelled and flagged", async () => {
  const shop = await openSubscriptionShop(api, "sandbox_cancel_only");
  const { id } = await subscribe(shop);
  const begun = [];
  for (const amount of [150, 160]) {
    const { body } = await shop.shop.post<{ result: { checkoutUrl: string } }>(`/subscriptions/${id}/update`, {
      amount,
    });
    begun.push(await begin(shop, body.result.checkoutUrl));
  }
  const notify = (reference: string) =>
    shop.staff("POST", "/sandbox/notify", { reference, status: "complete", times: 10 });
  await Promise.all(begun.map(({ reference }) => notify(reference)));
  const flags = await Promise.all(
    begun.map(async ({ reference }) => (await shop.shop.get(`/transactions/${reference}`)).body["flags"]),
  );
  assert.deepEqual(flags.map(String).toSorted(), ["", "overpaid"]);
  const { data } = (await shop.shop.get<{ data: { status: string }[] }>("/subscriptions")).body;
  assert.deepEqual(data.map(({ status }) => status).toSorted(), ["active", "cancelled", "cancelled"]);
});

test("paused, and cancelled, while the card is charged: the charge is booked, and the subscription stays as it is", async () => {
  for (const [action, status] of [
    ["pause", "paused"],
    ["cancel", "cancelled"],
  ] as const) {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    const ctx = await shop.shop.ctx();
    const asked = { amount: null, receivedAt: realTime() };
    const { charge } = await api.services.db.transaction(ctx.organisation.id, (tx) => recordRetry(tx, ctx, id, asked));
    assert.ok(charge);
    const answer = await askForRetry(api.services, ctx, charge.id, false);
    assert.equal((await shop.shop.call("POST", `/subscriptions/${id}/${action}`)).body["status"], status);
    await api.services.db.transaction(ctx.organisation.id, (tx) => settleRetry(tx, ctx, charge.id, answer));
    assert.equal((await subscriptionNow(shop, id))["status"], status);
    const [booked] = await chargesNow(shop, id);
    assert.deepEqual([booked?.["reference"], booked?.["status"]], [charge.reference, "complete"]);
    assert.equal((await eventsOf(shop, "subscription.charged")).length, 1);
    await shop.move("2027-04-02T10:00:00Z");
    assert.equal((await chargesNow(shop, id)).length, 2, "it is not collected");
  }
});
