import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openPage, postForm } from "../support/cards.ts";
import { type CollectingShop, openCollectingShop } from "../support/collected-subscriptions.ts";
import { type DebitedShop, debitsOf, openDebitedShop, UNPAID_ACCOUNT } from "../support/debited-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { addActiveMandate, addMandate, issueAgreement, mandateNow, requestMandate } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const at = (day: string) => `2027-${day}T10:00:00.000Z`;
/** What is due on 5 March is gathered, and its batch not sent yet. */
const GATHERED = "2027-03-02T22:30:00.000Z";
/** Marks the debit of a date as the bank has decided it. */
const decide = async ({ staff, mandate }: DebitedShop, day: string, status: string) => {
  const reference = `${mandate["accountReference"]}-2027${day}`;
  const answer = await staff("POST", "/sandbox/notify", { reference, status });
  assert.equal(answer.status, 200, answer.text);
};

describe("a subscription that is collected by debit order", () => {
  test("needs no mandate at first; its mandate names it, and belongs to its customer", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe({ collectionMethod: "debit_order" });
    assert.partialDeepStrictEqual(sub, {
      status: "active",
      collectionMethod: "debit_order",
      collectedByService: true,
      mandateId: null,
      payment: { due: false, url: null },
      lastInvoice: { status: "sent", amountDue: 100 },
    });
    assert.equal((await mailsOf(api.services, stage.shop.organisation, { kind: "invoice" })).length, 0);
    const linked = await addActiveMandate(stage, { subscriptionId: sub.id });
    assert.equal(linked["subscriptionId"], sub.id);
    assert.equal((await stage.now(sub.id))["mandateId"], linked["id"]);

    const other = await stage.shop.post<{ id: string }>("/customers", { email: "other@customer.example" });
    const byInvoice = await stage.subscribe({ collectionMethod: "invoice" });
    for (const [given, message] of [
      [{ subscriptionId: "csub_unknown" }, /No such subscription/],
      [{ subscriptionId: sub.id, customerId: other.body.id }, /No such subscription of this customer/],
      [{ subscriptionId: byInvoice.id }, /collected by invoice, not by debit order/],
    ] as const) {
      const refused = await requestMandate(stage, given);
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, message);
    }
  });

  test("is in rand, and the plan includes debit orders", async () => {
    const stage = await openCollectingShop(api);
    const { body: pack } = await stage.shop.post<{ id: string }>("/packages", { name: "Abroad" });
    const plan = { name: "Dollars", amount: 10, frequency: "monthly", currency: "USD" };
    const { body: dollars } = await stage.shop.post<{ id: string }>(`/packages/${pack.id}/plans`, plan);
    const body = { customer: { id: stage.customer }, planId: dollars.id, collectionMethod: "debit_order" };
    const refused = await stage.shop.post("/customer-subscriptions", body);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /collected in ZAR/);
  });

  test("is debited on the mandate's day, each invoice once", async () => {
    const shop = await openDebitedShop(api, { sub: { externalReference: "gym-1", metadata: { seat: "4" } } });
    await shop.move(at("03-02"));
    assert.deepEqual(await shop.debits(), []);
    await shop.move(at("03-03"));
    assert.deepEqual(await shop.debits(), ["20270305 pending 100 1"]);
    assert.partialDeepStrictEqual(await shop.attempts(), [{ cause: "debit_day", status: "pending" }]);
    await shop.move(at("03-09"));
    assert.deepEqual(await shop.debits(), ["20270305 complete 100 1"]);
    const { body } = await shop.shop.get(`/transactions/${shop.mandate["accountReference"]}-20270305`);
    assert.partialDeepStrictEqual(body, {
      type: "debit_order",
      subscriptionId: shop.sub.id,
      renewal: false,
      externalReference: "gym-1",
      metadata: { seat: "4" },
      invoice: { id: shop.sub.lastInvoice?.id, status: "paid" },
      disputableUntil: "2027-05-08",
    });
    await shop.move(at("06-09"));
    assert.deepEqual(await shop.debits(), [
      "20270305 complete 100 1",
      "20270405 complete 100 2",
      "20270505 complete 100 3",
      "20270605 complete 100 4",
    ]);
    assert.partialDeepStrictEqual(await shop.current(), {
      status: "active",
      cyclesBilled: 4,
      lastInvoice: { status: "paid" },
    });
    assert.partialDeepStrictEqual(await shop.mandateNow(), {
      failureCount: 0,
      lastCollectedAt: "2027-06-05",
      nextDebitDate: "2027-07-05",
    });
    const renewal = await shop.shop.get(`/transactions/${shop.mandate["accountReference"]}-20270405`);
    assert.partialDeepStrictEqual(renewal.body, { renewal: true, parentReference: body["reference"] });
    const paid = await shop.shop.get<{ data: object[] }>(`/customer-subscriptions/${shop.sub.id}/payments`);
    assert.equal(paid.body.data.length, 4);
    assert.deepEqual(await shop.told(shop.sub.id), [
      "subscription.created",
      "subscription.activated",
      "subscription.renewed",
      "subscription.renewed",
      "subscription.renewed",
    ]);
  });

  test("is debited once its customer has signed, and staff have approved, an agreement that says what is debited", async () => {
    const stage = await openCollectingShop(api);
    const owner = await stage.shop.signIn("owner");
    const asks = { debitOrders: { requireApproval: true, requireSignedAgreement: true } };
    assert.equal((await owner("PATCH", "/settings", asks)).status, 200);
    const sub = await stage.subscribe({ collectionMethod: "debit_order" });
    const mandate = await addMandate(stage, { debitDay: 5, subscriptionId: sub.id });
    const { path } = await issueAgreement(stage, mandate, { email: false });
    assert.match((await openPage(api, path)).text, /what is due of an invoice of my subscription to Gold/);
    const signed = await postForm(api, path, { fullName: "T Nkosi", accept: "yes", action: "sign" });
    assert.equal(signed.status, 303, signed.text);
    await stage.move(at("03-04"));
    assert.deepEqual(await debitsOf(stage), []);
    assert.equal((await owner("POST", `/mandates/${mandate["id"]}/approve`)).status, 200);
    await stage.move(at("03-12"));
    assert.deepEqual(await debitsOf(stage), ["20270305 complete 100 1"]);
  });

  test("billed on the mandate's own day, its date stays open until the bill is made", async () => {
    const shop = await openDebitedShop(api, { given: { debitDay: 1 } });
    // 1 March is past its cut-off.
    await shop.move(at("03-05"));
    assert.deepEqual(await shop.debits(), ["20270301 pending 100 1"]);
    await shop.move(at("03-31"));
    assert.equal((await shop.debits()).length, 1);
    assert.partialDeepStrictEqual(await shop.mandateNow(), { nextDebitDate: "2027-04-01" });
    await shop.move("2027-03-31T22:00:00.000Z");
    assert.deepEqual((await shop.debits()).at(-1), "20270401 pending 100 2");
    const [batch] = (
      await shop.staff<{ data: { actionDate: string; count: number; amount: number }[] }>("GET", "/debit-batches")
    ).body.data;
    assert.partialDeepStrictEqual(batch, { actionDate: "2027-04-05", count: 1, amount: 100 });
    await shop.move(at("04-08"));
    assert.deepEqual((await shop.debits()).at(-1), "20270401 complete 100 2");
  });

  test("has a debit for each of two invoices of a date; a date without any passes", async () => {
    const shop = await openDebitedShop(api, { given: { debitDay: 10, amount: 50 } });
    const change = { quantity: 2, proration: "now" };
    const changed = await shop.shop.post(`/customer-subscriptions/${shop.sub.id}/change-plan`, change);
    assert.equal(changed.status, 200, changed.text);
    await shop.move(at("03-11"));
    assert.deepEqual(await shop.debits(), ["20270310 pending 100 1", "20270310-2 pending 100 1"]);
    await shop.move(at("03-16"));
    assert.deepEqual(await shop.debits(), ["20270310 complete 100 1", "20270310-2 complete 100 1"]);
    const forecast = (await shop.staff<{ data: { id: string }[] }>("GET", "/debit-batches")).body.data[0];
    const batch = await shop.staff("GET", `/debit-batches/${forecast?.id}`);
    assert.partialDeepStrictEqual(batch.body, {
      count: 2,
      amount: 200,
      results: { collected: 2, unpaid: 0, pending: 0 },
    });
    const credit = { amount: 500, description: "Sorry" };
    assert.equal((await shop.shop.post(`/customer-subscriptions/${shop.sub.id}/credit`, credit)).status, 200);
    await shop.move(at("04-13"));
    assert.equal((await shop.debits()).length, 2, "credit covers the renewal");
    assert.partialDeepStrictEqual(await shop.mandateNow(), {
      nextDebitDate: "2027-05-10",
      lastCollectedAt: "2027-03-10",
    });
  });

  test("that is missed is past due, tried on the mandate's next day only, and the third time pauses the mandate", async () => {
    const shop = await openDebitedShop(api, { bank: { accountNumber: UNPAID_ACCOUNT } });
    await shop.move(at("03-09"));
    const missed = await shop.current();
    assert.partialDeepStrictEqual(missed, {
      status: "past_due",
      payment: { due: true },
      lastInvoice: { status: "sent" },
    });
    assert.match(String(missed.payment.url), /\/pay\//);
    const [attempt] = await shop.attempts();
    assert.partialDeepStrictEqual(attempt, { status: "failed", nextAttemptAt: "2027-04-04T22:00:00.000Z" });
    const [mail] = await mailsOf(api.services, shop.shop.organisation, { kind: "missed_collection" });
    assert.match(mail?.text ?? "", /collected again with your debit order of 5 April 2027/);
    await shop.move(at("04-02"));
    assert.deepEqual(await shop.debits(), [
      "20270305 failed 100 1",
      "20270405 pending 100 1",
      "20270405-2 pending 100 2",
    ]);
    await shop.move(at("04-10"));
    assert.partialDeepStrictEqual(await shop.mandateNow(), { status: "active", failureCount: 2 });
    await shop.move(at("05-15"));
    assert.partialDeepStrictEqual(await shop.mandateNow(), { status: "paused", failureCount: 3, nextDebitDate: null });
    assert.equal((await shop.attempts()).length, 6);
    assert.ok(
      (await shop.attempts()).every(({ nextAttemptAt }) => nextAttemptAt === null),
      "no mandate debits it",
    );
    const mails = await mailsOf(api.services, shop.shop.organisation, { kind: "missed_collection" });
    assert.match(mails.at(-1)?.text ?? "", /Please pay it now/);
    await shop.move(at("07-20"));
    assert.equal((await shop.debits()).length, 6, "a paused mandate debits nothing");
    // The invoices of June and July are missed when their due dates have passed.
    assert.equal((await shop.attempts()).length, 8);
    assert.partialDeepStrictEqual(await shop.current(), { status: "past_due", cyclesBilled: 5 });
    const told = await shop.told(shop.sub.id);
    assert.equal(told.filter((type) => type === "subscription.past_due").length, 1);
    assert.equal(told.filter((type) => type === "subscription.payment_failed").length, 8);
  });

  test("that recovers on the next day is active again, with both invoices paid", async () => {
    const shop = await openDebitedShop(api);
    await shop.move(at("03-04"));
    await decide(shop, "0305", "failed");
    assert.partialDeepStrictEqual(await shop.current(), { status: "past_due" });
    await shop.move(at("04-09"));
    assert.deepEqual(await shop.debits(), [
      "20270305 failed 100 1",
      "20270405 complete 100 1",
      "20270405-2 complete 100 2",
    ]);
    assert.partialDeepStrictEqual(await shop.current(), { status: "active", payment: { due: false, url: null } });
    assert.partialDeepStrictEqual(await shop.mandateNow(), { failureCount: 0, lastCollectedAt: "2027-04-05" });
  });

  test("that is taken back is past due and its invoice open; it is collected again", async () => {
    const shop = await openDebitedShop(api);
    await shop.move(at("03-09"));
    await decide(shop, "0305", "failed");
    const taken = await shop.current();
    assert.partialDeepStrictEqual(taken, { status: "past_due", lastInvoice: { status: "sent", amountDue: 100 } });
    assert.partialDeepStrictEqual(await shop.mandateNow(), { failureCount: 1 });
    const told = await shop.told(shop.sub.id);
    assert.deepEqual(told.slice(-1), ["subscription.past_due"]);
    const [mail] = await mailsOf(api.services, shop.shop.organisation, { kind: "missed_collection" });
    assert.match(mail?.text ?? "", /collected again with your debit order of 5 April 2027/);
    assert.partialDeepStrictEqual(await shop.attempts(), [{ status: "complete", reversal: { amount: 100 } }]);
    await decide(shop, "0305", "failed");
    assert.equal((await shop.told(shop.sub.id)).length, told.length, "a repeated report changes nothing");
    await shop.move(at("04-09"));
    assert.deepEqual((await shop.debits()).slice(1), ["20270405 complete 100 1", "20270405-2 complete 100 2"]);
    assert.partialDeepStrictEqual(await shop.current(), { status: "active" });
  });

  test("is not collected while it is paused; a paused mandate goes on when it is resumed", async () => {
    const shop = await openDebitedShop(api);
    const act = (action: string) => shop.shop.post(`/customer-subscriptions/${shop.sub.id}/${action}`, undefined);
    await shop.move(GATHERED);
    assert.deepEqual(await shop.debits(), ["20270305 pending 100 1"]);
    assert.equal((await act("pause")).status, 200);
    await shop.move(at("03-04"));
    assert.deepEqual(await shop.debits(), ["20270305 cancelled 100 1"]);
    assert.partialDeepStrictEqual(await shop.attempts(), [{ status: "cancelled", reason: "The debit was not sent." }]);
    await shop.move(at("04-15"));
    assert.equal((await shop.debits()).length, 1);
    const paused = { body: { status: "paused" } };
    assert.equal((await shop.shop.call("PATCH", `/mandates/${shop.mandate["id"]}`, paused)).status, 200);
    const resumed = await act("resume");
    assert.equal(resumed.status, 200, resumed.text);
    assert.partialDeepStrictEqual(await shop.mandateNow(), { status: "active", nextDebitDate: "2027-05-05" });
    await shop.move(at("05-11"));
    assert.deepEqual((await shop.debits()).slice(1), ["20270505 complete 100 1", "20270505-2 complete 100 2"]);
  });

  test("that is cancelled has what it owes debited once more, and not what was missed", async () => {
    const shop = await openDebitedShop(api);
    const cancel = { body: { when: "now" } };
    assert.equal((await shop.shop.call("POST", `/customer-subscriptions/${shop.sub.id}/cancel`, cancel)).status, 200);
    await shop.move(at("03-04"));
    assert.deepEqual(await shop.debits(), ["20270305 pending 100 1"]);
    await decide(shop, "0305", "failed");
    assert.partialDeepStrictEqual((await shop.attempts())[0], { status: "failed", nextAttemptAt: null });
    await shop.move(at("04-20"));
    assert.equal((await shop.debits()).length, 1);
  });

  test("is refused a retry: a debit order waits for its day", async () => {
    const shop = await openDebitedShop(api);
    const retry = () => shop.shop.post(`/customer-subscriptions/${shop.sub.id}/retry`, undefined);
    const refused = await retry();
    assert.equal(refused.status, 409);
    assert.equal(refused.body["error"], "unsupported");
    await shop.move(at("03-09"));
    assert.equal((await retry()).body["error"], "nothing_to_retry");
  });
});

describe("without a mandate that debits", () => {
  const lateMails = async ({ shop }: DebitedShop | CollectingShop) =>
    (await mailsOf(api.services, shop.organisation, { kind: "missed_collection" })).map(({ text }) => text);

  test("an invoice is missed when its due date has passed, and its payer is asked to pay it", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe({ collectionMethod: "debit_order" });
    await stage.move(at("03-15"));
    assert.equal((await stage.now(sub.id)).status, "active");
    await stage.move(at("03-16"));
    const late = await stage.now(sub.id);
    assert.partialDeepStrictEqual(late, { status: "past_due", payment: { due: true } });
    const [mail] = await lateMails(stage);
    assert.match(mail ?? "", /Please pay it now/);
    assert.deepEqual((await stage.told(sub.id)).slice(-2), ["subscription.payment_failed", "subscription.past_due"]);
    const mandate = await addActiveMandate(stage, { debitDay: 20, subscriptionId: sub.id });
    await stage.move(at("03-27"));
    assert.equal((await stage.now(sub.id)).status, "active", "a mandate that comes later collects it");
    assert.partialDeepStrictEqual(await mandateNow(stage, mandate), { lastCollectedAt: "2027-03-20" });
  });

  test("so it is when the mandate is cancelled after the due date", async () => {
    const shop = await openDebitedShop(api, { given: { debitDay: 31 } });
    await shop.move(at("03-18"));
    assert.partialDeepStrictEqual(await shop.current(), { status: "active" });
    const cancelled = await shop.shop.call("PATCH", `/mandates/${shop.mandate["id"]}`, {
      body: { status: "cancelled" },
    });
    assert.equal(cancelled.status, 200);
    await shop.move(at("03-19"));
    assert.partialDeepStrictEqual(await shop.current(), { status: "past_due", mandateId: null });
    assert.equal((await lateMails(shop)).length, 1);
    assert.deepEqual(await shop.debits(), []);
  });
});

describe("one invoice is collected once", () => {
  test("the page takes no payment while its debit is under way", async () => {
    const shop = await openDebitedShop(api, { bank: { accountNumber: UNPAID_ACCOUNT } });
    await shop.move(at("03-09"));
    const { payment } = await shop.current();
    await shop.move(at("04-01"));
    const page = await (await fetch(String(payment.url))).text();
    assert.match(page, /being collected|under way|is collected/i);
  });

  test("an invoice with a payment on its page under way is left alone, until the date is over", async () => {
    const shop = await openDebitedShop(api, { bank: { accountNumber: UNPAID_ACCOUNT } });
    await shop.move(at("03-09"));
    await shop.pay(await shop.current());
    assert.partialDeepStrictEqual(await shop.current(), { status: "active", lastInvoice: { status: "paid" } });
    const [collection] = await api.query<{ ended: string }>(
      "select ended from subscription_collections where organisation_id = $1",
      shop.shop.organisation.id,
    );
    assert.equal(collection?.ended, "paid");
  });

  test("what is paid before the batch is sent is taken out of it", async () => {
    const shop = await openDebitedShop(api);
    await shop.move(GATHERED);
    const invoice = shop.sub.lastInvoice?.id;
    const slip = { amount: 40, method: "eft" };
    assert.equal((await shop.shop.post(`/invoices/${invoice}/payments`, slip)).status, 201);
    await shop.move(at("03-05"));
    assert.deepEqual(await shop.debits(), ["20270305 cancelled 100 1"]);
    await shop.move(at("04-02"));
    assert.deepEqual((await shop.debits()).slice(1), ["20270405 pending 60 1", "20270405-2 pending 100 2"]);
  });

  test("what is paid after it was sent is the customer's credit, and flagged", async () => {
    const shop = await openDebitedShop(api);
    await shop.move(at("03-05"));
    const invoice = shop.sub.lastInvoice?.id;
    const slip = { amount: 100, method: "cash" };
    assert.equal((await shop.shop.post(`/invoices/${invoice}/payments`, slip)).status, 201);
    await shop.move(at("03-09"));
    const { body } = await shop.shop.get(`/transactions/${shop.mandate["accountReference"]}-20270305`);
    assert.partialDeepStrictEqual(body, { status: "complete", flags: ["overpaid"] });
  });

  test("of two mandates the newest active one collects", async () => {
    const shop = await openDebitedShop(api, { given: { debitDay: 4 } });
    const newer = await addActiveMandate(shop, { debitDay: 5, subscriptionId: shop.sub.id });
    assert.equal((await shop.current())["mandateId"], newer["id"]);
    await shop.move(at("03-09"));
    assert.deepEqual(await shop.debits(), ["20270305 complete 100 1"]);
    assert.partialDeepStrictEqual(await mandateNow(shop, shop.mandate), {
      lastCollectedAt: null,
      nextDebitDate: "2027-04-04",
    });
  });
});
