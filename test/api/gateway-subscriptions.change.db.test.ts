import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { realTime } from "../../src/flows/context.ts";
import { askForRetry, recordRetry, settleRetry } from "../../src/flows/gateway-subscriptions/retry-subscription.ts";
import type { Tx } from "../../src/platform/database.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, type CardShop, choose, eventsOf, type Shown, VISA } from "../support/cards.ts";
import {
  chargesNow,
  MISSING,
  openSubscriptionShop,
  subscribe,
  subscriptionNow,
} from "../support/gateway-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Changed extends Shown {
  readonly subscription: Shown;
  readonly result: Shown;
}
const retry = (shop: CardShop, id: string, body?: object) =>
  shop.shop.call<Changed>("POST", `/subscriptions/${id}/retry`, body ? { body } : {});
const update = (shop: CardShop, id: string, body: object) =>
  shop.shop.call<Changed>("POST", `/subscriptions/${id}/update`, { body });
const mails = async (shop: CardShop) =>
  (await shop.staff<{ data: Shown[] }>("GET", "/emails?limit=100")).body.data.filter(
    ({ kind }) => kind === "subscription_link",
  );

/** A subscription with one missed renewal, whose card declines every charge. */
async function withMissedCharge(shop: CardShop, body: object = {}) {
  const begun = await subscribe(shop, MISSING, body);
  await shop.move("2027-04-02T10:00:00Z");
  const [missed] = await chargesNow(shop, begun.id);
  assert.equal(missed?.["status"], "failed");
  return { ...begun, missed: String(missed?.["reference"]) };
}

describe("retry", () => {
  test("charges the stored card: declined, the charge is missed still", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await withMissedCharge(shop);
    const answer = await retry(shop, id);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(
      [answer.body.result["mode"], answer.body.result["amount"], answer.body.result["status"]],
      ["card", 100, "failed"],
    );
    assert.equal((await chargesNow(shop, id)).length, 3);
    assert.equal((await subscriptionNow(shop, id))["status"], "past_due");
    assert.equal((await eventsOf(shop, "subscription.payment_failed")).length, 2);
    assert.equal((await retry(shop, id)).status, 200, "it may be tried again");
  });

  test("a subscription that never missed a charge is collected now, as is an amount", async () => {
    const shop = await openSubscriptionShop(api);
    const { id, reference } = await subscribe(shop);
    const now = await retry(shop, id);
    assert.deepEqual([now.body.result["amount"], now.body.result["status"]], [100, "complete"]);
    const part = await retry(shop, id, { amount: 12.5 });
    assert.deepEqual([part.body.result["amount"], part.body.result["status"]], [12.5, "complete"]);
    const charges = await chargesNow(shop, id);
    assert.deepEqual(
      charges.map(({ amount, type, renewal, parentReference }) => [amount, type, renewal, parentReference]),
      [
        [12.5, "recurring", true, reference],
        [100, "recurring", true, reference],
        [100, "recurring", false, null],
      ],
    );
    assert.equal((await eventsOf(shop, "subscription.charged")).length, 2);
  });

  test("nothing_to_retry once every missed charge was collected, unless an amount is sent", async () => {
    const shop = await openSubscriptionShop(api);
    const { id, missed } = await withMissedCharge(shop);
    await shop.staff("POST", "/sandbox/notify", { reference: missed, status: "complete" });
    const refused = await retry(shop, id);
    assert.deepEqual([refused.status, refused.body["error"]], [409, "nothing_to_retry"]);
    assert.equal((await retry(shop, id, { amount: 5 })).status, 200);
  });

  test("mails a link where the card cannot be charged: once for a missed charge and amount; paid, the charge is collected", async () => {
    const shop = await openSubscriptionShop(api, "sandbox_cancel_only");
    const { id, reference } = await withMissedCharge(shop);
    const first = await retry(shop, id);
    assert.deepEqual(
      [first.body.result["mode"], first.body.result["emailed"], first.body.result["reference"]],
      ["link", true, null],
    );
    const again = await retry(shop, id);
    assert.equal(again.body.result["checkoutUrl"], first.body.result["checkoutUrl"], "the same link");
    assert.equal((await mails(shop)).length, 2);
    const payment = await begin(shop, String(first.body.result["checkoutUrl"]));
    await choose(shop, payment.gatewayUrl, { outcome: "complete", card: VISA });
    const [paid] = await chargesNow(shop, id);
    assert.deepEqual(
      [paid?.["reference"], paid?.["type"], paid?.["renewal"], paid?.["parentReference"]],
      [payment.reference, "recurring", true, reference],
    );
    assert.equal((await subscriptionNow(shop, id))["status"], "active");
    assert.equal((await eventsOf(shop, "subscription.charged")).length, 1);
    assert.equal((await retry(shop, id)).body["error"], "nothing_to_retry");
  });

  test("twenty at once with one key charge the card once", async () => {
    const shop = await openSubscriptionShop(api);
    const { id, missed } = await withMissedCharge(shop);
    const key = { "idempotency-key": "retry-1" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.shop.call("POST", `/subscriptions/${id}/retry`, { headers: key })),
    );
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    assert.equal((await chargesNow(shop, id)).length, 3, missed);
  });

  test("twenty at once without a key charge the card once, in twelve rounds, each with and without an amount", async () => {
    const shop = await openSubscriptionShop(api);
    await shop.shop.change({ rate_limit: 100_000 });
    const [well, missing] = [await subscribe(shop), await withMissedCharge(shop)];
    for (let round = 0; round < 12; round++)
      for (const { id } of [well, missing]) {
        const before = (await chargesNow(shop, id)).length;
        const body = round % 2 === 0 ? {} : { amount: 5 };
        const answers = await Promise.all(Array.from({ length: 20 }, () => retry(shop, id, body)));
        assert.deepEqual(answers.map(({ status, body: { error } }) => [status, error]).toSorted(), [
          [200, undefined],
          ...Array(19).fill([409, "nothing_to_retry"]),
        ]);
        assert.equal((await chargesNow(shop, id)).length, before + 1);
      }
  });

  test("a request that was under way while another one charged the card collects nothing, however that ended", async () => {
    const shop = await openSubscriptionShop(api);
    const ctx = await shop.shop.ctx();
    const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => api.services.db.transaction(ctx.organisation.id, work);
    for (const { id } of [await subscribe(shop), await withMissedCharge(shop)]) {
      const asked = { amount: null, receivedAt: realTime() };
      const { charge } = await inTransaction((tx) => recordRetry(tx, ctx, id, asked));
      assert.ok(charge);
      const refused = { code: "nothing_to_retry" };
      await assert.rejects(
        inTransaction((tx) => recordRetry(tx, ctx, id, asked)),
        refused,
        "while it is charged",
      );
      const answer = await askForRetry(api.services, ctx, charge.id, false);
      await inTransaction((tx) => settleRetry(tx, ctx, charge.id, answer));
      await assert.rejects(
        inTransaction((tx) => recordRetry(tx, ctx, id, asked)),
        refused,
        "after it has ended",
      );
      assert.equal((await retry(shop, id)).status, 200, "a request that comes later collects again");
    }
  });

  test("twenty at once without a key mail one link, which collects once", async () => {
    const shop = await openSubscriptionShop(api, "sandbox_cancel_only");
    const { id } = await withMissedCharge(shop);
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => retry(shop, id)));
    const links = new Set((await twenty()).map(({ body }) => String(body.result["checkoutUrl"])));
    const [link] = links;
    assert.ok(link);
    assert.equal(links.size, 1);
    const payment = await begin(shop, link);
    await choose(shop, payment.gatewayUrl, { outcome: "complete", card: VISA });
    assert.deepEqual(new Set((await twenty()).map(({ body }) => body["error"])), new Set(["nothing_to_retry"]));
    assert.equal((await eventsOf(shop, "subscription.charged")).length, 1);
  });

  test("404 for none, 409 for a cancelled one, 400 for a bad amount", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    assert.equal((await retry(shop, "gsub_nobody")).status, 404);
    for (const amount of [0, -1, "5", 10_000_001]) assert.equal((await retry(shop, id, { amount })).status, 400);
    await shop.shop.call("POST", `/subscriptions/${id}/cancel`);
    assert.equal((await retry(shop, id)).body["error"], "invalid_state");
  });
});

describe("update", () => {
  test("in place: the gateway collects the new amount on the new date", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    const answer = await update(shop, id, { amount: 150, nextDate: "2027-03-20" });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.result, { mode: "in_place", checkoutUrl: null, emailed: false });
    assert.equal(answer.body.subscription["amount"], 150);
    await shop.move("2027-03-21T10:00:00Z");
    const [renewal] = await chargesNow(shop, id);
    assert.deepEqual([renewal?.["amount"], renewal?.["status"], renewal?.["renewal"]], [150, "complete", true]);
  });

  test("bad bodies and states are refused", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await subscribe(shop);
    for (const body of [{}, { amount: 0 }, { amount: "1" }, { nextDate: "2027-03-01" }, { nextDate: "2027-02-30" }])
      assert.equal((await update(shop, id, body)).status, 400, JSON.stringify(body));
    const other = await openSubscriptionShop(api, "sandbox_cancel_only");
    const { id: only } = await subscribe(other);
    const dated = await update(other, only, { nextDate: "2027-05-01" });
    assert.deepEqual([dated.status, dated.body["error"]], [409, "unsupported"]);
    await shop.shop.call("POST", `/subscriptions/${id}/cancel`);
    assert.equal((await update(shop, id, { amount: 5 })).body["error"], "invalid_state");
  });

  test("by a replacement: one link for an amount; once paid, the old subscription ends here and at its gateway", async () => {
    const shop = await openSubscriptionShop(api, "sandbox_cancel_only");
    const { id } = await subscribe(shop);
    const first = await update(shop, id, { amount: 150 });
    assert.deepEqual([first.status, first.body.result["mode"], first.body.result["emailed"]], [200, "replace", true]);
    const url = String(first.body.result["checkoutUrl"]);
    assert.equal((await update(shop, id, { amount: 150 })).body.result["checkoutUrl"], url, "sent again");
    assert.equal((await mails(shop)).length, 2);
    const { body: retried } = await retry(shop, id, { amount: 7 });
    const payment = await begin(shop, url);
    await choose(shop, payment.gatewayUrl, { outcome: "complete", card: VISA });
    assert.equal((await subscriptionNow(shop, id))["status"], "cancelled");
    const { subscriptionId } = (await shop.shop.get(`/transactions/${payment.reference}`)).body;
    const replacing = await subscriptionNow(shop, String(subscriptionId));
    assert.deepEqual([replacing["status"], replacing["amount"]], ["active", 150]);
    const open = await api.call("GET", new URL(String(retried.result["checkoutUrl"])).pathname);
    assert.doesNotMatch(open.text, /name="gateway"/, "its retry link is unavailable");
    await shop.move("2027-04-02T10:00:00Z");
    assert.equal((await chargesNow(shop, id)).length, 1, "the old one is not collected any more");
    assert.equal((await chargesNow(shop, String(subscriptionId))).length, 2);
  });

  test("refused by the gateway for the old one: staff are told", async () => {
    const shop = await openSubscriptionShop(api, "sandbox_cancel_only");
    const { id, reference } = await subscribe(shop);
    const { body } = await update(shop, id, { amount: 150 });
    const payment = await begin(shop, String(body.result["checkoutUrl"]));
    await api.query("delete from sandbox_subscriptions where organisation_id = $1", shop.shop.organisation.id);
    await choose(shop, payment.gatewayUrl, { outcome: "complete", card: VISA });
    await shop.move("2027-03-01T12:00:00Z");
    const alerts = await mailsOf(api.services, shop.shop.organisation, { kind: "staff_alert" });
    assert.deepEqual(
      alerts.map(({ subject, text }) => [/a subscription was not cancelled/.test(subject), text.includes(reference)]),
      [[true, true]],
    );
  });

  test("its checkout ends with the subscription: who cancelled it does not want it begun again", async () => {
    const shop = await openSubscriptionShop(api, "sandbox_cancel_only");
    const { id } = await subscribe(shop);
    const { body } = await update(shop, id, { amount: 150 });
    const page = new URL(String(body.result["checkoutUrl"])).pathname;
    assert.match((await api.call("GET", page)).text, /name="gateway"/);
    await shop.shop.call("POST", `/subscriptions/${id}/cancel`);
    assert.doesNotMatch((await api.call("GET", page)).text, /name="gateway"/);
  });

  test("paid twice: the first replaces the subscription, the second is cancelled and flagged", async () => {
    const shop = await openSubscriptionShop(api, "sandbox_cancel_only");
    const { id } = await subscribe(shop);
    const begunAt = async (amount: number) =>
      begin(shop, String((await update(shop, id, { amount })).body.result["checkoutUrl"]));
    const [one, two] = [await begunAt(150), await begunAt(160)];
    await Promise.all(
      [one, two].map(({ gatewayUrl }) => choose(shop, gatewayUrl, { outcome: "complete", card: VISA })),
    );
    const paid = await Promise.all(
      [one, two].map(async ({ reference }) => (await shop.shop.get(`/transactions/${reference}`)).body),
    );
    const statuses = await Promise.all(
      paid.map(async ({ subscriptionId }) => (await subscriptionNow(shop, String(subscriptionId)))["status"]),
    );
    assert.deepEqual(statuses.toSorted(), ["active", "cancelled"]);
    paid.forEach(({ flags }, at) => {
      assert.deepEqual(flags, statuses[at] === "active" ? [] : ["overpaid"]);
    });
    await shop.move("2027-04-02T10:00:00Z");
    assert.equal((await eventsOf(shop, "subscription.charged")).length, 1, "one of the three is collected");
  });
});

describe("a recurring link for an invoice", () => {
  const invoiced = async (shop: CardShop, card: string) => {
    const lines = [{ description: "Gym", quantity: 1, unitPrice: 100 }];
    const invoice = await shop.shop.post("/invoices", { customerId: shop.customer, lines, send: true });
    assert.equal(invoice.status, 201, invoice.text);
    const { id: invoiceId, total } = invoice.body;
    return { ...(await subscribe(shop, card, { amount: total, invoiceId, customerEmail: undefined })), total };
  };
  const invoicesNow = async (shop: CardShop) =>
    (await shop.shop.get<{ data: Shown[] }>("/invoices")).body.data.map(({ status, total }) => [status, total]);

  test("pays the invoice first; each later charge pays an invoice of its own", async () => {
    const shop = await openSubscriptionShop(api);
    const { id, reference, total } = await invoiced(shop, VISA);
    assert.equal((await shop.shop.get(`/transactions/${reference}`)).body["type"], "invoice");
    await shop.move("2027-05-02T10:00:00Z");
    assert.deepEqual(await invoicesNow(shop), [
      ["paid", total],
      ["paid", total],
      ["paid", total],
    ]);
    const charges = await chargesNow(shop, id);
    assert.equal(new Set(charges.map(({ invoice }) => (invoice as Shown)["number"])).size, 3);
    const told = (await eventsOf(shop, "payment.complete")).map(({ data }) => (data["invoice"] as Shown)["status"]);
    assert.deepEqual(told, ["paid", "paid", "paid"]);
  });

  test("keeps its total when the rate of VAT changes, which is within it", async () => {
    const shop = await openSubscriptionShop(api);
    const { staff } = shop;
    await staff("PATCH", "/settings", { vatRates: [{ from: "2027-04-01", rate: 16 }] });
    await invoiced(shop, VISA);
    await shop.move("2027-04-02T10:00:00Z");
    const { data } = (await shop.shop.get<{ data: Shown[] }>("/invoices")).body;
    assert.deepEqual(
      data.map(({ subtotal, taxAmount, total }) => [subtotal, taxAmount, total]),
      [
        [99.14, 15.86, 115],
        [100, 15, 115],
      ],
    );
  });

  test("keeps its amount, and a missed charge is invoiced once, when it is collected", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await invoiced(shop, MISSING);
    assert.equal((await update(shop, id, { amount: 5 })).body["error"], "invoice_linked");
    assert.equal((await retry(shop, id, { amount: 5 })).body["error"], "nothing_to_retry");
    await shop.move("2027-04-02T10:00:00Z");
    assert.equal((await invoicesNow(shop)).length, 1);
    const [missed] = await chargesNow(shop, id);
    const late = { reference: missed?.["reference"], status: "complete", times: 5 };
    await shop.staff("POST", "/sandbox/notify", late);
    assert.equal((await invoicesNow(shop)).length, 2);
    assert.equal((await retry(shop, id)).body["error"], "nothing_to_retry");
  });
});
