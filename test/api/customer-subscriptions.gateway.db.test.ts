import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addCard, begin, cardsNow, choose, MASTERCARD, openPage, VISA } from "../support/cards.ts";
import { openCollectingShop, type ShownCollected } from "../support/collected-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

describe("the first charge of a subscription collected from a card", () => {
  test("is paid on a hosted page, which keeps the card; until then the subscription is pending", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe();
    assert.equal(made.status, "pending");
    assert.equal(made.payment.due, true);
    assert.match(String(made.payment.url), /\/pay\//);
    assert.equal(made.card, null);
    assert.deepEqual(await stage.told(made.id), ["subscription.created"]);
    assert.equal((await mailsOf(api.services, stage.shop.organisation, { kind: "invoice" })).length, 0);
    await stage.pay(made);
    const paid = await stage.now(made.id);
    assert.equal(paid.status, "active");
    assert.deepEqual(paid.payment, { due: false, url: null });
    assert.equal(paid.lastInvoice?.status, "paid");
    const [card, ...others] = await cardsNow(stage);
    assert.deepEqual(others, []);
    assert.equal(card?.["isDefault"], true);
    assert.deepEqual(
      { ...paid.card, isDefault: card?.["isDefault"] },
      { id: card?.["id"], brand: "visa", last4: "4242", expiryMonth: null, expiryYear: null, isDefault: true },
    );
    assert.deepEqual(await stage.told(made.id), ["subscription.created", "subscription.activated"]);
    assert.deepEqual(await stage.payments(), [
      { type: "invoice", status: "complete", amount: 100, renewal: false, on: "2027-03-01" },
    ]);
  });

  test("stays due after a payment that failed", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe();
    await stage.pay(made, "", { outcome: "failed" });
    const still = await stage.now(made.id);
    assert.equal(still.status, "pending");
    assert.deepEqual(still.payment, made.payment);
    await stage.pay(still);
    assert.equal((await stage.now(made.id)).status, "active");
  });

  test("offers neither bank transfer nor a part of the amount", async () => {
    const stage = await openCollectingShop(api);
    await stage.shop.addGateway({
      type: "manual_eft",
      credentials: {
        bankName: "Bank",
        accountName: "Shop",
        accountNumber: "1234567890",
        branchCode: "250655",
        accountType: "current",
      },
    } as never);
    const page = await openPage(api, String((await stage.subscribe()).payment.url));
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /Bank transfer|Pay a part/);
    assert.match(page.text, /name="gateway"/);
  });

  test("is paid by a saved card on the page too: that card is kept", async () => {
    const stage = await openCollectingShop(api);
    const card = await addCard(stage, MASTERCARD);
    // Cards are not offered on what a key without the permission has made.
    const body = { customer: { id: stage.customer }, planId: stage.planId, collectionMethod: "gateway" };
    const { body: made } = await stage.staff<ShownCollected>("POST", "/customer-subscriptions", body);
    assert.equal(made.status, "pending", "the default card is not charged unasked");
    await stage.payBySavedCard(made, String(card["id"]));
    assert.equal((await stage.now(made.id)).status, "pending");
    await stage.move("2027-03-03T12:00:00.000Z");
    const paid = await stage.now(made.id);
    assert.equal(paid.status, "active");
    assert.equal(paid.card?.id, card["id"]);
  });

  test("is recorded by hand: the subscription becomes active, without a card", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe();
    const paid = await stage.shop.post(`/invoices/${made.lastInvoice?.id}/payments`, { amount: 100, method: "cash" });
    assert.equal(paid.status, 201, paid.text);
    await stage.move("2027-03-01T10:00:01.000Z");
    assert.equal((await stage.now(made.id)).status, "active");
  });

  test("that is never paid ends the subscription with its period, and is cancelled", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe();
    await stage.move("2027-03-31T20:00:00.000Z");
    assert.equal((await stage.now(made.id)).status, "pending");
    await stage.move("2027-03-31T22:00:00.000Z");
    const ended = await stage.now(made.id);
    assert.equal(ended.status, "expired");
    assert.deepEqual(ended.payment, { due: false, url: null });
    assert.equal(ended["nextBillingAt"], null);
    assert.equal(ended.lastInvoice?.status, "cancelled");
    assert.deepEqual(await stage.told(made.id), ["subscription.created", "subscription.expired"]);
    assert.equal((await stage.invoices(made.id)).length, 1);
  });

  test("whose invoice the merchant cancels ends the subscription with it", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe();
    const invoice = made.lastInvoice?.id ?? "";
    assert.equal((await stage.shop.post(`/invoices/${invoice}/cancel`, { reason: "A mistake" })).status, 200);
    await stage.move("2027-03-01T10:00:01.000Z");
    const ended = await stage.now(made.id);
    assert.deepEqual(
      [ended.status, ended.payment, ended["nextBillingAt"], ended["cancelledAt"], ended["cancelReason"]],
      [
        "cancelled",
        { due: false, url: null },
        null,
        "2027-03-01T10:00:00.000Z",
        "The invoice of its first charge was cancelled.",
      ],
    );
    assert.deepEqual(await stage.told(made.id), ["subscription.created", "subscription.cancelled"]);
    const again = await stage.shop.post<ShownCollected>(`/customer-subscriptions/${made.id}/reactivate`, {});
    assert.deepEqual([again.status, again.body["error"]], [409, "invalid_state"]);
    await stage.move("2027-05-01T10:00:00.000Z");
    assert.deepEqual([await stage.now(made.id), (await stage.invoices(made.id)).length], [ended, 1]);
  });

  test("of a short first period can be paid for a week; what fell due meanwhile is then billed", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe({ billingAnchorDay: 3 });
    await stage.move("2027-03-06T10:00:00.000Z");
    const still = await stage.now(made.id);
    assert.equal(still.status, "pending");
    await stage.pay(still);
    await stage.move("2027-03-06T10:00:01.000Z");
    assert.equal((await stage.now(made.id))["cyclesBilled"], 2);
  });

  test("of zero needs none: active at once", async () => {
    const stage = await openCollectingShop(api);
    const items = [{ kind: "one_time", description: "Welcome", unitAmount: -100 }];
    const made = await stage.subscribe({ items });
    assert.equal(made.status, "active");
    assert.deepEqual(made.payment, { due: false, url: null });
  });

  test("after a trial is asked for by mail without a card", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe({ trialDays: 5 });
    assert.equal(made.status, "trialing");
    assert.deepEqual(made.payment, { due: false, url: null });
    await stage.move("2027-03-05T22:00:00.000Z");
    const waiting = await stage.now(made.id);
    assert.equal(waiting.status, "pending");
    assert.equal(waiting.payment.due, true);
    assert.equal((await mailsOf(api.services, stage.shop.organisation, { kind: "invoice" })).length, 1);
    await stage.pay(waiting);
    assert.equal((await stage.now(made.id)).status, "active");
  });

  test("that is not paid yet goes with a cancellation, whatever was used: nothing is billed", async () => {
    const stage = await openCollectingShop(api);
    const items = [{ code: "calls", kind: "metered", description: "Calls", unitAmount: 1 }];
    const { id } = await stage.subscribe({ items });
    const used = await stage.shop.post(`/customer-subscriptions/${id}/items/calls/usage`, { quantity: 30 });
    assert.equal(used.status, 200, used.text);
    const cancelled = await stage.shop.post(`/customer-subscriptions/${id}/cancel`, undefined);
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.deepEqual(
      (await stage.invoices(id)).map(({ status, total }) => [status, total]),
      [["cancelled", 100]],
    );
  });

  test("that credit has paid is paid: cancelled a moment later, it was active", async () => {
    const stage = await openCollectingShop(api);
    const { id } = await stage.subscribe();
    const credit = { customerId: stage.customer, amount: 100, reason: "Goodwill" };
    assert.equal((await stage.staff("POST", "/credit-notes", credit)).status, 201);
    const cancelled = await stage.shop.post(`/customer-subscriptions/${id}/cancel`, undefined);
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.deepEqual(await stage.told(id), [
      "subscription.created",
      "subscription.activated",
      "subscription.cancelled",
    ]);
  });

  test("without the plan's feature it is refused", async () => {
    const shop = await api.addMerchant({ plan: "starter" });
    const staff = await shop.signIn("owner");
    const answer = await staff("POST", "/customer-subscriptions", {
      customer: { id: "cus_x" },
      planId: "plan_x",
      collectionMethod: "gateway",
    });
    assert.equal(answer.status, 403, answer.text);
  });
});

test("twenty payers of one first charge activate once", async () => {
  const stage = await openCollectingShop(api);
  const made = await stage.subscribe();
  const begun: string[] = [];
  for (let at = 0; at < 20; at++) begun.push((await begin(stage, String(made.payment.url))).gatewayUrl);
  await Promise.all(begun.map((page) => choose(stage, page, { outcome: "complete", card: VISA })));
  const events = await stage.told(made.id);
  assert.equal(events.filter((type) => type === "subscription.activated").length, 1);
  assert.equal((await cardsNow(stage)).length, 1);
});
