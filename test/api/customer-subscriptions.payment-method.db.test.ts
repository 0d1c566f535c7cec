import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, openApi, type TestApi } from "../support/api.ts";
import { addCard, addCardCustomer, MASTERCARD, type Shown, VISA } from "../support/cards.ts";
import { type CollectingShop, openCollectingShop, type ShownCollected } from "../support/collected-subscriptions.ts";
import { type DebitedShop, openDebitedShop, UNPAID_ACCOUNT } from "../support/debited-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { addActiveMandate, mandateNow } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/* A card that is added pays 1.00, which is credited to the customer's open invoice. */

/** Later charges of them are declined, or tell that the card will never pay. */
const DECLINED = "4000000000000341";
const TOKEN_ERROR = "4000000000009979";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const at = (day: string) => `2027-${day}T10:00:00.000Z`;
/** The renewal of 1 April was declined, and its first retry is due at midnight. */
const MISSED = "2027-04-05T12:00:00.000Z";
/** What is due on 5 March is gathered, and its batch not sent yet. */
const GATHERED = "2027-03-02T22:30:00.000Z";

const change = ({ shop }: CollectingShop, { id }: { id: string }, body: object): Promise<Answer<ShownCollected>> =>
  shop.post<ShownCollected>(`/customer-subscriptions/${id}/payment-method`, body);

async function changed(stage: CollectingShop, of: { id: string }, body: object): Promise<ShownCollected> {
  const answer = await change(stage, of, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const byCard = (card: Shown) => ({ collectionMethod: "gateway", cardId: card["id"] });
const byDebit = (mandate: Shown) => ({ collectionMethod: "debit_order", mandateId: mandate["id"] });
const BY_INVOICE = { collectionMethod: "invoice" };

async function previewed({ shop }: CollectingShop, { id }: { id: string }, query: string): Promise<Shown> {
  const answer = await shop.get<Shown>(`/customer-subscriptions/${id}/payment-method-preview?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const attempts = async (stage: CollectingShop, { id }: { id: string }) =>
  (await stage.shop.get<{ data: Shown[] }>(`/customer-subscriptions/${id}/attempts?limit=100`)).body.data
    .map(({ cause, status }) => `${cause} ${status}`)
    .reverse();
const cardOf = async (stage: CollectingShop, of: { id: string }) => (await stage.now(of.id)).card?.last4 ?? null;

describe("another card", () => {
  test("is tried at once for what was missed, and stays the subscription's", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe();
    await stage.pay(sub, DECLINED);
    await stage.move(MISSED);
    assert.equal((await stage.now(sub.id)).status, "past_due");
    const card = await addCard(stage, MASTERCARD, { body: { makeDefault: false } });
    const preview = await previewed(stage, sub, `collectionMethod=gateway&cardId=${card["id"]}`);
    assert.partialDeepStrictEqual(preview, { changes: true, invoices: [{ amountDue: 99, next: "charged_now" }] });
    assert.equal(await cardOf(stage, sub), "0341", "a preview changes nothing");
    assert.equal((await changed(stage, sub, byCard(card))).card?.last4, "4444");
    await stage.move(at("04-12"));
    assert.equal((await stage.now(sub.id)).status, "active");
    assert.equal(await cardOf(stage, sub), "4444");
    assert.ok((await attempts(stage, sub)).includes("new_card complete"));
    const told = await stage.told(sub.id);
    assert.equal(told.filter((type) => type === "subscription.updated").length, 1);
    assert.equal((await changed(stage, sub, byCard(card))).card?.last4, "4444");
    assert.equal((await stage.told(sub.id)).length, told.length, "the same card again changes nothing");
  });

  for (const [first, what] of [
    [VISA, "pays"],
    [TOKEN_ERROR, "will never pay"],
  ] as const)
    test(`leaves a charge at the gateway alone, whose card ${what}`, async () => {
      const stage = await openCollectingShop(api);
      const sub = await stage.subscribe();
      await stage.pay(sub, first);
      await stage.move(at("04-01"));
      assert.deepEqual(await attempts(stage, sub), ["renewal pending"]);
      const card = await addCard(stage, MASTERCARD, { body: { makeDefault: false } });
      const preview = await previewed(stage, sub, `collectionMethod=gateway&cardId=${card["id"]}`);
      assert.partialDeepStrictEqual(preview, { invoices: [{ next: "under_way", at: null }] });
      await changed(stage, sub, byCard(card));
      await stage.move(at("04-20"));
      assert.equal(await cardOf(stage, sub), "4444", "the charge of the old card does not bring it back");
      assert.equal((await stage.now(sub.id)).lastInvoice?.status, "paid");
      const tried = await attempts(stage, sub);
      assert.deepEqual(tried, first === VISA ? ["renewal complete"] : ["renewal failed", "retry complete"]);
      assert.equal((await stage.payments()).filter(({ status }) => status === "complete").length, 2);
    });

  test("is one of the customer's that can be charged", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe();
    await stage.pay(sub, VISA);
    const card = await addCard(stage, MASTERCARD);
    const other = await addCard(stage, VISA, { of: await addCardCustomer(stage.shop) });
    for (const [body, message] of [
      [byCard(other), /saved card that can be charged/],
      [{ collectionMethod: "gateway", cardId: "card_unknown" }, /saved card that can be charged/],
      [{ collectionMethod: "gateway" }, /cardId is required/],
      [{ collectionMethod: "invoice", cardId: card["id"] }, /for gateway only/],
      [{ collectionMethod: "manual" }, /must be one of invoice, gateway, debit_order/],
    ] as const) {
      const refused = await change(stage, sub, body);
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, message);
    }
    assert.equal((await stage.shop.call("DELETE", `/customers/${stage.customer}/cards/${card["id"]}`)).status, 200);
    assert.equal((await change(stage, sub, byCard(card))).status, 400, "a removed card");
  });

  test("takes over invoices that were mailed: on their due dates, and at once when they are late", async () => {
    const stage = await openCollectingShop(api);
    const card = await addCard(stage, VISA);
    const sub = await stage.subscribe(BY_INVOICE);
    const preview = await previewed(stage, sub, `collectionMethod=gateway&cardId=${card["id"]}`);
    assert.partialDeepStrictEqual(preview, { invoices: [{ next: "charged" }] });
    await changed(stage, sub, byCard(card));
    assert.deepEqual(await attempts(stage, sub), []);
    // It is due on 15 March.
    await stage.move(at("03-15"));
    assert.deepEqual(await attempts(stage, sub), ["renewal pending"]);
    const late = await stage.subscribe(BY_INVOICE);
    await stage.move(at("05-20"));
    assert.equal((await stage.now(late.id)).status, "past_due");
    await changed(stage, late, byCard(card));
    // The newest one is due, and charged, on 29 May.
    await stage.move(at("06-10"));
    assert.equal((await stage.now(late.id)).status, "active");
    assert.ok((await stage.invoices(late.id)).every(({ status }) => status === "paid"));
  });
});

describe("a mandate", () => {
  test("collects what a card could not pay, and pauses when a card collects again", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe();
    await stage.pay(sub, TOKEN_ERROR);
    const mandate = await addActiveMandate(stage, { amount: 300, debitDay: 15 });
    await stage.move(at("04-06"));
    assert.equal((await stage.now(sub.id)).status, "past_due");
    const preview = await previewed(stage, sub, `collectionMethod=debit_order&mandateId=${mandate["id"]}`);
    assert.partialDeepStrictEqual(preview, {
      nextDebitDate: "2027-04-15",
      endsOwnAmount: 300,
      invoices: [{ next: "debited" }],
      pausedMandates: [],
    });
    const after = await changed(stage, sub, byDebit(mandate));
    assert.partialDeepStrictEqual(after, { collectionMethod: "debit_order", card: null, mandateId: mandate["id"] });
    await stage.move(at("04-19"));
    assert.equal((await stage.now(sub.id)).status, "active");
    assert.equal((await attempts(stage, sub)).at(-1), "debit_day complete");

    const card = await addCard(stage, VISA);
    assert.partialDeepStrictEqual(await previewed(stage, sub, `collectionMethod=gateway&cardId=${card["id"]}`), {
      pausedMandates: [{ id: mandate["id"] }],
    });
    assert.equal((await changed(stage, sub, byCard(card)))["mandateId"], null);
    assert.equal((await mandateNow(stage, mandate))["status"], "paused");
    await stage.move(at("06-20"));
    assert.deepEqual((await attempts(stage, sub)).slice(-2), ["renewal complete", "renewal complete"]);
    assert.equal((await stage.now(sub.id)).status, "active");

    assert.partialDeepStrictEqual(
      await previewed(stage, sub, `collectionMethod=debit_order&mandateId=${mandate["id"]}`),
      { resumesMandate: true, endsOwnAmount: null },
    );
    await changed(stage, sub, byDebit(mandate));
    assert.equal((await mandateNow(stage, mandate))["status"], "active");
    await stage.move(at("07-19"));
    assert.equal((await attempts(stage, sub)).at(-1), "debit_day complete");
  });

  test("is not asked for twice: of two, the other one is paused", async () => {
    const shop = await openDebitedShop(api);
    const other = await addActiveMandate(shop, { amount: 100, debitDay: 20 });
    await changed(shop, shop.sub, byDebit(other));
    assert.equal((await shop.mandateNow())["status"], "paused");
    assert.equal((await shop.current())["mandateId"], other["id"]);
    // 20 March is a Saturday before a holiday.
    await shop.move(at("03-31"));
    assert.deepEqual(await shop.debits(), ["20270320 complete 100 1"]);
  });

  test("is the customer's, active, and in rand", async () => {
    const shop = await openDebitedShop(api);
    const second = await shop.subscribe(BY_INVOICE);
    const refused = await change(shop, second, byDebit(shop.mandate));
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /another subscription/);
    assert.match(
      (await change(shop, second, { ...BY_INVOICE, mandateId: shop.mandate["id"] })).text,
      /debit_order only/,
    );
    assert.equal((await change(shop, second, { collectionMethod: "debit_order", mandateId: "man_no" })).status, 400);
  });

  test("may come later: the subscription then waits for one that names it", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe(BY_INVOICE);
    const after = await changed(stage, sub, { collectionMethod: "debit_order" });
    assert.partialDeepStrictEqual(after, { collectionMethod: "debit_order", mandateId: null });
    const mandate = await addActiveMandate(stage, { debitDay: 5, subscriptionId: sub.id });
    await stage.move(at("03-09"));
    assert.equal((await stage.now(sub.id)).lastInvoice?.status, "paid");
    assert.equal((await stage.now(sub.id))["mandateId"], mandate["id"]);
  });
});

describe("a debit", () => {
  test("that was not sent is taken out of its batch, and the card is charged", async () => {
    const shop = await openDebitedShop(api);
    const card = await addCard(shop, VISA);
    await shop.move(GATHERED);
    assert.deepEqual(await shop.debits(), ["20270305 pending 99 1"]);
    assert.partialDeepStrictEqual(await previewed(shop, shop.sub, `collectionMethod=gateway&cardId=${card["id"]}`), {
      invoices: [{ next: "charged", at: null }],
    });
    await changed(shop, shop.sub, byCard(card));
    await shop.move(at("03-09"));
    assert.deepEqual(await shop.debits(), ["20270305 cancelled 99 1"]);
    assert.deepEqual(await attempts(shop, shop.sub), ["debit_day cancelled", "renewal complete"]);
    assert.equal((await shop.current()).lastInvoice?.status, "paid");
  });

  for (const [bank, what] of [
    [{}, "is collected"],
    [{ accountNumber: UNPAID_ACCOUNT }, "comes back, after which the card is charged"],
  ] as const)
    test(`that was sent is left alone: it ${what}`, async () => {
      const shop: DebitedShop = await openDebitedShop(api, { bank });
      const card = await addCard(shop, VISA);
      await shop.move(at("03-04"));
      assert.partialDeepStrictEqual(await previewed(shop, shop.sub, `collectionMethod=gateway&cardId=${card["id"]}`), {
        invoices: [{ next: "under_way" }],
      });
      await changed(shop, shop.sub, byCard(card));
      await shop.move(at("03-20"));
      const isUnpaid = "accountNumber" in bank;
      assert.deepEqual(await shop.debits(), [`20270305 ${isUnpaid ? "failed" : "complete"} 99 1`]);
      const expected = isUnpaid ? ["debit_day failed", "retry complete"] : ["debit_day complete"];
      assert.deepEqual(await attempts(shop, shop.sub), expected);
      assert.equal((await shop.current()).lastInvoice?.status, "paid");
      assert.equal((await shop.current()).status, "active");
    });

  test("that comes back after it was collected is not charged to the new card by itself", async () => {
    const shop = await openDebitedShop(api);
    const card = await addCard(shop, VISA);
    await shop.move(at("03-09"));
    await changed(shop, shop.sub, byCard(card));
    const reference = `${shop.mandate["accountReference"]}-20270305`;
    const back = await shop.staff("POST", "/sandbox/notify", { reference, status: "disputed" });
    assert.equal(back.status, 200, back.text);
    await shop.move(at("03-25"));
    assert.equal((await shop.current()).status, "past_due");
    assert.equal((await attempts(shop, shop.sub)).length, 1);
  });
});

describe("the mailed invoice", () => {
  test("ends the retries; what is open is mailed, with every way to pay", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe();
    await stage.pay(sub, DECLINED);
    await stage.move(MISSED);
    const before = await stage.now(sub.id);
    assert.partialDeepStrictEqual(await previewed(stage, sub, "collectionMethod=invoice"), {
      invoices: [{ next: "mailed", amountDue: 100 }],
    });
    await changed(stage, sub, BY_INVOICE);
    const tried = await attempts(stage, sub);
    await stage.move(at("04-20"));
    assert.deepEqual(await attempts(stage, sub), tried, "nothing is tried any more");
    assert.equal((await mailsOf(api.services, stage.shop.organisation, { kind: "invoice" })).length, 1);
    const after = await stage.now(sub.id);
    assert.partialDeepStrictEqual(after, { collectionMethod: "invoice", card: null, status: "past_due" });
    assert.notEqual(after.payment.url, before.payment.url);
    await stage.move(at("05-02"));
    assert.equal((await mailsOf(api.services, stage.shop.organisation, { kind: "invoice" })).length, 2);
  });

  test("while a charge is at the gateway: its outcome counts, and nothing follows a decline", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe();
    await stage.pay(sub, DECLINED);
    await stage.move(at("04-01"));
    assert.deepEqual(await attempts(stage, sub), ["renewal pending"]);
    await changed(stage, sub, BY_INVOICE);
    await stage.move(at("04-20"));
    assert.deepEqual(await attempts(stage, sub), ["renewal failed"]);
    const paid = await stage.subscribe();
    await stage.pay(paid, VISA);
    await stage.move(at("05-20"));
    await changed(stage, paid, BY_INVOICE);
    await stage.move(at("05-29"));
    assert.deepEqual(await attempts(stage, paid), ["renewal complete"]);
  });
});

test("two changes at once give the same as one after the other", async () => {
  const stage = await openCollectingShop(api);
  const sub = await stage.subscribe();
  await stage.pay(sub, DECLINED);
  await stage.move(MISSED);
  const card = await addCard(stage, VISA);
  const mandate = await addActiveMandate(stage, { amount: 100, debitDay: 15 });
  const answers = await Promise.all([
    change(stage, sub, byCard(card)),
    change(stage, sub, byDebit(mandate)),
    change(stage, sub, BY_INVOICE),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const method = (await stage.now(sub.id))["collectionMethod"];
  assert.equal((await mandateNow(stage, mandate))["status"], method === "debit_order" ? "active" : "paused");
  await changed(stage, sub, byCard(card));
  await stage.move(at("05-20"));
  assert.equal((await stage.now(sub.id)).status, "active");
  assert.equal((await stage.payments()).filter(({ status }) => status === "complete").length, 3);
});

test("is refused while a subscription waits for its first payment, after its end, and for one billed elsewhere", async () => {
  const stage = await openCollectingShop(api);
  const pending = await stage.subscribe();
  assert.match((await change(stage, pending, BY_INVOICE)).text, /first payment is awaited/);
  const ended = await stage.subscribe(BY_INVOICE);
  await stage.shop.post(`/customer-subscriptions/${ended.id}/cancel`, { when: "now" });
  assert.equal((await change(stage, ended, BY_INVOICE)).status, 409);
  const external = await stage.subscribe({
    collectionMethod: "external",
    externalReference: "elsewhere",
    paidThrough: "2027-04-01",
  });
  const refused = await change(stage, external, BY_INVOICE);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /external_subscription/);
  assert.equal((await change(stage, { id: "csub_00000000000000000000000000" }, BY_INVOICE)).status, 404);
});

test("by hand, it waits for the payment of its period first", async () => {
  const stage = await openCollectingShop(api);
  const sub = await stage.subscribe({ collectionMethod: "manual" });
  await stage.move(at("04-02"));
  const waits = await change(stage, sub, BY_INVOICE);
  assert.equal(waits.status, 409, waits.text);
  assert.match(waits.text, /waits for the payment/);
  const card = await addCard(stage, VISA);
  const second = await stage.subscribe({ collectionMethod: "manual", paidThrough: "2027-05-01" });
  await changed(stage, second, byCard(card));
  await stage.move(at("05-08"));
  assert.partialDeepStrictEqual(await stage.now(second.id), { status: "active", lastInvoice: { status: "paid" } });
});

test("the change stands in the audit log and in the history", async () => {
  const stage = await openCollectingShop(api);
  const sub = await stage.subscribe(BY_INVOICE);
  const card = await addCard(stage, VISA);
  await changed(stage, sub, byCard(card));
  const owner = await stage.shop.signIn("owner");
  const log = await owner<{ data: Shown[] }>("GET", `/audit-log?subject=${sub.id}`);
  assert.partialDeepStrictEqual(
    log.body.data.find(({ action }) => String(action).endsWith("/payment-method")),
    {
      before: { collectionMethod: "invoice", card: null },
      after: { collectionMethod: "gateway", card: { last4: "4242" } },
    },
  );
});
