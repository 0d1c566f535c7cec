import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CalendarDay } from "../../src/kernel/time.ts";
import type { Tx } from "../../src/platform/database.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, type CardShop, cardsNow, choose, eventsOf, type Shown, VISA } from "../support/cards.ts";
import {
  addRecurringLink,
  chargesNow,
  MISSING,
  openSubscriptionShop,
  subscribe,
  subscriptionNow,
} from "../support/gateway-subscriptions.ts";
import { addMigrationAtGateway } from "../support/migrations-at-gateway.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const typesOf = async (shop: CardShop, like = "%subscription.%") =>
  (await eventsOf(shop, like)).map(({ type }) => type);

describe("recurring links", () => {
  test("are shown with frequency and amount, and with the newest subscription that they began", async () => {
    const shop = await openSubscriptionShop(api);
    const link = await addRecurringLink(shop, { recurring: { frequency: "quarterly", amount: 80 } });
    assert.deepEqual(link["recurring"], { frequency: "quarterly", amount: 80 });
    const shown = async () => (await shop.shop.get(`/payment-links/${link["id"]}`)).body;
    assert.equal((await shown())["subscription"], null);
    const payment = await begin(shop, String(link["url"]));
    assert.equal((await shop.shop.get(`/transactions/${payment.reference}`)).body["type"], "recurring");
    assert.equal((await shown())["subscription"], null, "none before it is paid");
    await choose(shop, payment.gatewayUrl, { outcome: "complete", card: VISA });
    const { subscriptionId } = (await shop.shop.get(`/transactions/${payment.reference}`)).body;
    assert.deepEqual((await shown())["subscription"], { id: subscriptionId, status: "active" });
    const [listed] = (await shop.shop.get<{ data: Shown[] }>("/payment-links")).body.data;
    assert.deepEqual(listed?.["subscription"], { id: subscriptionId, status: "active" });
  });

  test("need the plan's feature (403) and a gateway that runs subscriptions (400)", async () => {
    const shop = await openSubscriptionShop(api);
    const body = { title: "Gym", amount: 100, recurring: { frequency: "monthly" } };
    await shop.shop.change({ plan: "starter" });
    const refused = await shop.shop.post("/payment-links", body);
    assert.deepEqual([refused.status, refused.body["error"]], [403, "plan_restricted"]);
    const transfers = await api.addMerchant();
    await transfers.addGateway({
      type: "manual_eft",
      credentials: {
        bankName: "Bank",
        accountName: "Shop",
        accountNumber: "1234567890",
        branchCode: "250655",
        accountType: "current",
      },
    });
    const unable = await transfers.post("/payment-links", body);
    assert.deepEqual([unable.status, unable.body["error"]], [400, "invalid_request"]);
  });

  test("save no card, though the gateway leaves a token", async () => {
    const shop = await openSubscriptionShop(api);
    const { link } = await subscribe(shop);
    const [row] = await api.query<{ customer_id: string }>(
      "select customer_id from payment_links where id = $1",
      link["id"],
    );
    assert.deepEqual(await cardsNow(shop, "", String(row?.customer_id)), []);
  });
});

describe("a subscription", () => {
  test("begins with its first payment, once: twenty notifications at once, one subscription and one event", async () => {
    const shop = await openSubscriptionShop(api);
    const link = await addRecurringLink(shop, { externalReference: "member-7", metadata: { member: "7" } });
    const { reference, gatewayUrl } = await begin(shop, String(link["url"]));
    await choose(shop, gatewayUrl, { outcome: "complete", card: VISA });
    await shop.staff("POST", "/sandbox/notify", { reference, status: "complete", times: 20 });
    const list = await shop.shop.get<{ data: Shown[] }>("/subscriptions?externalReference=member-7");
    assert.equal(list.body.data.length, 1);
    const [subscription] = list.body.data;
    assert.deepEqual(subscription, {
      id: subscription?.["id"],
      status: "active",
      frequency: "monthly",
      amount: 100,
      currency: "ZAR",
      gateway: "sandbox",
      paymentLinkId: link["id"],
      externalReference: "member-7",
      metadata: { member: "7" },
      createdAt: "2027-03-01T10:00:00.000Z",
      updatedAt: "2027-03-01T10:00:00.000Z",
    });
    assert.deepEqual(await typesOf(shop), ["subscription.activated"]);
    const [paid] = await eventsOf(shop, "payment.complete");
    assert.equal(paid?.data["subscriptionId"], subscription?.["id"]);
    assert.deepEqual((await shop.shop.get<{ data: Shown[] }>("/subscriptions?externalReference=other")).body.data, []);
  });

  test("renews as transactions with references of their own", async () => {
    const shop = await openSubscriptionShop(api);
    const { id, reference } = await subscribe(shop, VISA, { recurring: { frequency: "monthly", amount: 80 } });
    await shop.move("2027-05-02T10:00:00Z");
    const charges = await chargesNow(shop, id);
    assert.deepEqual(
      charges.map((charge) => [
        charge["type"],
        charge["amount"],
        charge["status"],
        charge["renewal"],
        charge["parentReference"],
      ]),
      [
        ["recurring", 80, "complete", true, reference],
        ["recurring", 80, "complete", true, reference],
        ["recurring", 100, "complete", false, null],
      ],
    );
    for (const charge of charges.slice(0, 2)) {
      assert.equal(charge["reference"], `${reference}-${charge["providerRef"]}`);
      assert.equal(charge["subscriptionId"], id);
    }
    assert.deepEqual(await typesOf(shop), ["subscription.activated", "subscription.charged", "subscription.charged"]);
    assert.equal((await eventsOf(shop, "payment.complete")).length, 3);
    assert.equal(
      (await shop.shop.get(`/payment-links/${(await subscriptionNow(shop, id))["paymentLinkId"]}`)).body["paidCount"],
      1,
    );
  });

  test("makes one payment of one collection, however often it is reported", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    await shop.move("2027-04-02T10:00:00Z");
    const [renewal] = await chargesNow(shop, id);
    await shop.staff("POST", "/sandbox/notify", { reference: renewal?.["reference"], status: "complete", times: 20 });
    assert.equal((await chargesNow(shop, id)).length, 2);
    assert.equal((await typesOf(shop, "subscription.charged")).length, 1);
  });

  test("is past due after a missed renewal; a late success of the missed charge counts as collected", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop, MISSING);
    await shop.move("2027-04-02T10:00:00Z");
    const [missed] = await chargesNow(shop, id);
    assert.equal(missed?.["status"], "failed");
    assert.equal((await subscriptionNow(shop, id))["status"], "past_due");
    await shop.staff("POST", "/sandbox/notify", { reference: missed?.["reference"], status: "complete" });
    const [collected] = await chargesNow(shop, id);
    assert.deepEqual([collected?.["reference"], collected?.["status"]], [missed?.["reference"], "complete"]);
    assert.equal((await subscriptionNow(shop, id))["status"], "active");
    assert.deepEqual(await typesOf(shop), [
      "subscription.activated",
      "subscription.payment_failed",
      "subscription.charged",
    ]);
  });
});

describe("pause, resume and cancel", () => {
  const act = (shop: CardShop, id: string, action: string, headers = {}) =>
    shop.shop.call("POST", `/subscriptions/${id}/${action}`, { headers });

  const ACTIONS = ["pause", "resume", "cancel"] as const;
  const CANCELLED = ["cancelled", "subscription.cancelled"] as const;
  /** What an action answers: the status after it, with the event that it sends; or the error. */
  const TABLE = {
    sandbox: {
      pending: [["invalid_state"], ["invalid_state"], ["invalid_state"]],
      active: [["paused", "subscription.paused"], ["active"], CANCELLED],
      past_due: [["paused", "subscription.paused"], ["past_due"], CANCELLED],
      paused: [["paused"], ["active", "subscription.resumed"], CANCELLED],
      cancelled: [["invalid_state"], ["invalid_state"], ["cancelled"]],
    },
    sandbox_cancel_only: {
      pending: [["invalid_state"], ["invalid_state"], ["invalid_state"]],
      active: [["unsupported"], ["unsupported"], CANCELLED],
      past_due: [["unsupported"], ["unsupported"], CANCELLED],
      cancelled: [["unsupported"], ["unsupported"], ["cancelled"]],
    },
  } as const;

  /** Makes subscriptions of the shop in a status; those that are past due are made before the clock is moved. */
  async function openStatuses(type: string) {
    const shop = await openSubscriptionShop(api, type);
    const pastDue: string[] = [];
    for (const _ of ACTIONS) pastDue.push((await subscribe(shop, MISSING)).id);
    await shop.move("2027-04-02T10:00:00Z");
    const waiting = async () => {
      const ctx = await shop.shop.ctx();
      const terms = { nextDate: "2027-06-01" as CalendarDay, legacyReference: `old-${Math.random()}` };
      const work = (tx: Tx) => addMigrationAtGateway(tx, ctx, terms);
      return (await api.services.db.transaction(ctx.organisation.id, work)).subscription.id;
    };
    const inStatus = async (status: string): Promise<string> => {
      if (status === "past_due") return pastDue.pop() ?? "";
      if (status === "pending") return waiting();
      const { id } = await subscribe(shop);
      if (status === "paused") assert.equal((await act(shop, id, "pause")).status, 200);
      if (status === "cancelled") assert.equal((await act(shop, id, "cancel")).status, 200);
      return id;
    };
    return { shop, inStatus };
  }

  for (const [type, rows] of Object.entries(TABLE))
    test(`interface 3.12, cell for cell, at ${type}`, async () => {
      const { shop, inStatus } = await openStatuses(type);
      for (const [from, cells] of Object.entries(rows))
        for (const [at, [answered, event]] of cells.entries()) {
          const action = ACTIONS[at] ?? "cancel";
          const id = await inStatus(from);
          const [before, known] = [await subscriptionNow(shop, id), await eventsOf(shop, "subscription.%")];
          assert.equal(before["status"], from);
          const answer = await act(shop, id, action);
          const cell = `${action} of a subscription that is ${from}`;
          const isRefusal = answered === "invalid_state" || answered === "unsupported";
          assert.equal(answer.status, isRefusal ? 409 : 200, cell);
          assert.equal(isRefusal ? answer.body["error"] : answer.body["status"], answered, cell);
          const now = await subscriptionNow(shop, id);
          if (event) assert.equal(now["status"], answered, cell);
          else assert.deepEqual(now, before, cell);
          const events = (await eventsOf(shop, "subscription.%")).slice(known.length);
          assert.deepEqual(
            events.map(({ type, subject }) => [type, subject]),
            event ? [[event, id]] : [],
            cell,
          );
          if (event) assert.deepEqual(events[0]?.data, now, cell);
        }
    });

  test("one that was past due is past due again once resumed", async () => {
    const { shop, inStatus } = await openStatuses("sandbox");
    const id = await inStatus("past_due");
    assert.equal((await act(shop, id, "pause")).body["status"], "paused");
    assert.equal((await act(shop, id, "resume")).body["status"], "past_due");
  });

  test("a paused subscription is not collected, and is again once resumed", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    await act(shop, id, "pause");
    await shop.move("2027-04-10T10:00:00Z");
    assert.equal((await chargesNow(shop, id)).length, 1);
    await act(shop, id, "resume");
    await shop.move("2027-05-02T10:00:00Z");
    assert.equal((await chargesNow(shop, id)).length, 2);
  });

  test("a refusal of the gateway is 502 gateway_error and changes nothing", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    await api.query("delete from sandbox_subscriptions where organisation_id = $1", shop.shop.organisation.id);
    const before = await subscriptionNow(shop, id);
    for (const action of ["pause", "cancel"]) {
      const answer = await act(shop, id, action);
      assert.deepEqual([answer.status, answer.body["error"]], [502, "gateway_error"]);
    }
    assert.deepEqual(await subscriptionNow(shop, id), before);
  });

  test("cancelling ignores an Idempotency-Key, pausing replays its answer", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    const headers = { "idempotency-key": "once" };
    assert.equal((await act(shop, id, "pause", headers)).headers["idempotent-replayed"], undefined);
    assert.equal((await act(shop, id, "pause", headers)).headers["idempotent-replayed"], "true");
    await act(shop, id, "cancel", headers);
    assert.equal((await act(shop, id, "cancel", headers)).headers["idempotent-replayed"], undefined);
  });

  test("twenty at once are one change and one event", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    const answers = await Promise.all(Array.from({ length: 20 }, () => act(shop, id, "pause")));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal((await eventsOf(shop, "subscription.paused")).length, 1);
  });

  test("after a change to a plan without recurring billing staff can read, pause and cancel it, and nothing else", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    await shop.shop.change({ plan: "starter" });
    const staff = async (method: "GET" | "POST", path: string, body?: object) => {
      const answer = await shop.staff(method, `/subscriptions${path}`, body);
      return answer.body["error"] ?? answer.body["status"] ?? answer.status;
    };
    assert.equal(await staff("GET", `/${id}`), "active");
    assert.deepEqual([await staff("GET", ""), await staff("GET", `/${id}/charges`)], [200, 200]);
    assert.equal(await staff("POST", `/${id}/pause`), "paused");
    for (const [path, body] of [
      [`/${id}/resume`, undefined],
      [`/${id}/retry`, undefined],
      [`/${id}/update`, { amount: 5 }],
      ["/migrations", { subscriptions: [] }],
      ["/migrations/gsm_1/send-link", undefined],
    ] as const)
      assert.equal(await staff("POST", path, body), "plan_restricted", path);
    for (const action of ["cancel", "cancel-legacy", "mark-legacy-cancelled"])
      assert.equal(await staff("POST", `/migrations/gsm_1/${action}`), "not_found", action);
    assert.equal(await staff("GET", "/migrations"), 200);
    assert.equal(await staff("POST", `/${id}/cancel`), "cancelled");
  });

  test("404 for another organisation's, and for none", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(await openSubscriptionShop(api));
    for (const unknown of [id, "gsub_nobody"])
      for (const path of ["pause", "resume", "cancel"]) assert.equal((await act(shop, unknown, path)).status, 404);
    assert.equal((await shop.shop.get(`/subscriptions/${id}`)).status, 404);
    assert.equal((await shop.shop.get(`/subscriptions/${id}/charges`)).status, 404);
  });
});
