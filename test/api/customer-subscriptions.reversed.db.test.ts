import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addCard, begin, choiceOf, choose, MASTERCARD, VISA } from "../support/cards.ts";
import { type CollectingShop, openCollectingShop, type ShownCollected } from "../support/collected-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { notify, reportedReversal } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

/** A later charge of it is declined. */
const DECLINED = "4000000000000341";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const at = (day: string) => `2027-${day}T12:00:00.000Z`;

/** A subscription that a card has paid on 1 March, with those settings. */
async function subscribed(settings: object = {}, card = VISA): Promise<[CollectingShop, ShownCollected]> {
  const stage = await openCollectingShop(api);
  const owner = await stage.shop.signIn("owner");
  assert.equal((await owner("PATCH", "/settings", settings)).status, 200);
  const made = await stage.subscribe();
  await stage.pay(made, card);
  return [stage, made];
}

/** A subscription whose renewal of 1 April a card has paid too. */
async function renewed(settings: object = {}): Promise<[CollectingShop, ShownCollected]> {
  const [stage, made] = await subscribed(settings);
  await stage.move(at("04-06"));
  assert.equal((await stage.now(made.id)).lastInvoice?.status, "paid");
  return [stage, made];
}

/** The reference of the newest payment of a subscription. */
async function lastPayment(stage: CollectingShop, { id }: { readonly id: string }): Promise<string> {
  const answer = await stage.shop.get<{ data: { reference: string }[] }>(`/customer-subscriptions/${id}/payments`);
  return answer.body.data[0]?.reference ?? "";
}

/** The payer's bank takes money of a payment back. */
async function takeBack(stage: CollectingShop, reference: string, facts: object = {}): Promise<void> {
  const [row] = await api.query<{ provider_ref: string }>(
    "select provider_ref from transactions where reference = $1",
    reference,
  );
  const reversal = reportedReversal(reference, {
    paymentId: row?.provider_ref ?? "",
    reason: "The cardholder disputes it.",
    code: "4837",
    ...facts,
  });
  assert.equal((await notify(api, stage.account, { reversal })).status, 200);
}

const attempts = async (stage: CollectingShop, { id }: { readonly id: string }) =>
  (await stage.shop.get<{ data: Record<string, unknown>[] }>(`/customer-subscriptions/${id}/attempts`)).body.data;
const told = async (stage: CollectingShop, { id }: { readonly id: string }, type: string) =>
  (await stage.told(id)).filter((one) => one === type).length;
const mailsTo = (stage: CollectingShop, kind: string) => mailsOf(api.services, stage.shop.organisation, { kind });

describe("a charge back of a renewal's payment", () => {
  test("opens its invoice again and makes the subscription past due: event, mail and list of attempts say so", async () => {
    const [stage, made] = await renewed();
    const reference = await lastPayment(stage, made);
    await Promise.all([1, 2, 3].map(() => takeBack(stage, reference)));
    const now = await stage.now(made.id);
    assert.equal(now.status, "past_due");
    assert.deepEqual([now.lastInvoice?.status, now.lastInvoice?.amountDue], ["sent", 100]);
    assert.equal(now.payment.due, true);
    assert.match(String(now.payment.url), /\/pay\//);
    assert.equal(await told(stage, made, "subscription.past_due"), 1);
    assert.equal(await told(stage, made, "subscription.payment_failed"), 0);
    const [attempt] = await attempts(stage, made);
    assert.equal(attempt?.["status"], "complete");
    assert.partialDeepStrictEqual(attempt?.["reversal"], { amount: 100, reason: "The cardholder disputes it." });
    const [mail, ...others] = await mailsTo(stage, "missed_collection");
    assert.deepEqual(others, []);
    assert.match(String(mail?.subject), /was reversed/);
    assert.match(String(mail?.text), /The cardholder disputes it\./);
    assert.match(String(mail?.text), /\/pay\//);
  });

  for (const finalAction of ["cancel", "past_due"])
    test(`is not charged again unasked, and the subscription goes on, with final action ${finalAction}`, async () => {
      const [stage, made] = await renewed({ dunning: { finalAction } });
      await takeBack(stage, await lastPayment(stage, made));
      await addCard(stage, MASTERCARD);
      await stage.move(at("04-30"));
      const later = await stage.now(made.id);
      assert.equal(later.status, "past_due");
      assert.equal((await attempts(stage, made)).length, 1, "neither a retry nor the new card is tried");
      const reminders = await mailsTo(stage, "invoice_reminder");
      assert.ok(reminders.length > 0, "it is reminded of as any invoice");
      await stage.move(at("05-06"));
      const [newest, owed] = await stage.invoices(made.id);
      // The 1.00 of the card's set-up is the customer's credit, which the open invoice has used.
      assert.deepEqual([newest?.["status"], owed?.["amountDue"]], ["paid", 99], "the next period is charged");
      assert.equal((await stage.now(made.id)).status, "past_due");
    });

  test("can be collected by retry, and by its page: the subscription is active again", async () => {
    const [stage, made] = await renewed();
    await takeBack(stage, await lastPayment(stage, made));
    const answer = await stage.shop.post(`/customer-subscriptions/${made.id}/retry`, {});
    assert.equal(answer.status, 200, answer.text);
    await stage.move(at("04-10"));
    assert.equal((await stage.now(made.id)).status, "active");
    await takeBack(stage, await lastPayment(stage, made));
    const again = await stage.now(made.id);
    assert.equal(again.status, "past_due");
    await stage.pay(again, MASTERCARD);
    assert.equal((await stage.now(made.id)).status, "active");
    assert.equal(await told(stage, made, "subscription.past_due"), 2);
  });

  test("whose retry fails is not tried again by itself", async () => {
    const [stage, made] = await subscribed({ dunning: { finalAction: "cancel" } }, DECLINED);
    await takeBack(stage, await lastPayment(stage, made));
    const retried = await stage.shop.post(`/customer-subscriptions/${made.id}/retry`, {});
    assert.equal(retried.status, 200, retried.text);
    await stage.move(at("03-28"));
    const [attempt, ...others] = await attempts(stage, made);
    assert.deepEqual([attempt?.["status"], attempt?.["nextAttemptAt"], others], ["failed", null, []]);
    assert.equal((await stage.now(made.id)).status, "past_due");
  });

  test("of a part is owed in part", async () => {
    const [stage, made] = await renewed();
    await takeBack(stage, await lastPayment(stage, made), { amount: 4_000 });
    const now = await stage.now(made.id);
    assert.equal(now.status, "past_due");
    assert.deepEqual([now.lastInvoice?.status, now.lastInvoice?.amountDue], ["partially_paid", 40]);
  });

  test("of the first payment, made on the page, makes the subscription past due", async () => {
    const [stage, made] = await subscribed();
    await takeBack(stage, await lastPayment(stage, made));
    const now = await stage.now(made.id);
    assert.equal(now.status, "past_due");
    assert.equal(await told(stage, made, "subscription.past_due"), 1);
    assert.equal((await mailsTo(stage, "missed_collection")).length, 1);
    await stage.move(at("03-30"));
    assert.equal((await attempts(stage, made)).length, 0);
    await stage.pay(await stage.now(made.id));
    assert.equal((await stage.now(made.id)).status, "active");
  });

  test("reported before the payment makes it past due once that completes", async () => {
    const [stage, made] = await subscribed();
    await stage.move(at("04-01"));
    await takeBack(stage, await lastPayment(stage, made));
    assert.equal((await stage.now(made.id)).status, "active");
    await stage.move(at("04-06"));
    assert.equal((await stage.now(made.id)).status, "past_due");
    assert.equal(await told(stage, made, "subscription.past_due"), 1);
  });

  test("reported before the payment on the page of a debit order's invoice makes it past due once that completes", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe({ collectionMethod: "debit_order" });
    const { body: invoice } = await stage.shop.get(`/invoices/${made.lastInvoice?.id}`);
    const { gatewayUrl } = await begin(stage, String(invoice["payUrl"]));
    await takeBack(stage, await lastPayment(stage, made));
    await choose(stage, gatewayUrl, choiceOf(VISA));
    const now = await stage.now(made.id);
    assert.deepEqual([now.status, now.lastInvoice?.status], ["past_due", "sent"]);
    assert.equal(await told(stage, made, "subscription.past_due"), 1);
  });

  test("of one that has ended owes its invoice and changes nothing else", async () => {
    const [stage, made] = await renewed();
    assert.equal((await stage.shop.post(`/customer-subscriptions/${made.id}/cancel`, { when: "now" })).status, 200);
    await takeBack(stage, await lastPayment(stage, made));
    const now = await stage.now(made.id);
    assert.deepEqual([now.status, now.lastInvoice?.status], ["cancelled", "sent"]);
    assert.equal(await told(stage, made, "subscription.past_due"), 0);
    await stage.move(at("04-30"));
    assert.equal((await attempts(stage, made)).length, 1);
  });

  test("does not double what is past due already", async () => {
    const [stage, made] = await renewed();
    const reference = await lastPayment(stage, made);
    await stage.move(at("04-20"));
    const first = (
      await stage.shop.get<{ data: { reference: string }[] }>(`/customer-subscriptions/${made.id}/payments`)
    ).body.data[1]?.reference;
    await takeBack(stage, reference);
    await takeBack(stage, String(first));
    assert.equal((await stage.now(made.id)).status, "past_due");
    assert.equal(await told(stage, made, "subscription.past_due"), 1);
    assert.equal((await mailsTo(stage, "missed_collection")).length, 2);
  });
});

describe("of a subscription with mailed invoices", () => {
  const paid = async (settings: object = {}): Promise<[CollectingShop, ShownCollected]> => {
    const stage = await openCollectingShop(api);
    const owner = await stage.shop.signIn("owner");
    assert.equal((await owner("PATCH", "/settings", settings)).status, 200);
    const made = await stage.subscribe({ collectionMethod: "invoice" });
    await stage.pay(await stage.now(made.id));
    assert.equal((await stage.now(made.id)).lastInvoice?.status, "paid");
    return [stage, made];
  };

  test("a payment that is taken back after the due date makes it past due at once, told once", async () => {
    const [stage, made] = await paid();
    await stage.move(at("03-20"));
    await takeBack(stage, await lastPayment(stage, made));
    assert.equal((await stage.now(made.id)).status, "past_due");
    await stage.move("2027-03-20T12:00:01.000Z");
    assert.equal(await told(stage, made, "subscription.past_due"), 1);
  });

  test("before the due date it is past due once that has passed", async () => {
    const [stage, made] = await paid();
    await takeBack(stage, await lastPayment(stage, made));
    assert.equal((await stage.now(made.id)).status, "active");
    await stage.move(at("03-20"));
    assert.equal((await stage.now(made.id)).status, "past_due");
    assert.equal(await told(stage, made, "subscription.past_due"), 1);
  });

  test("the default card is not charged for it when it falls due", async () => {
    const [stage, made] = await paid({ chargeDefaultCardWhenDue: true });
    await addCard(stage, MASTERCARD);
    await takeBack(stage, await lastPayment(stage, made));
    await stage.move(at("03-20"));
    assert.equal((await stage.now(made.id)).lastInvoice?.status, "overdue");
    const charged = await api.query(
      "select from transactions where organisation_id = $1 and type = 'card_debit'",
      stage.shop.organisation.id,
    );
    assert.equal(charged.length, 0);
  });
});

test("a refund of a renewal's payment leaves the invoice paid and the subscription active", async () => {
  const [stage, made] = await renewed();
  const reference = await lastPayment(stage, made);
  const refund = await stage.staff("POST", `/transactions/${reference}/refunds`, { amount: 100 });
  assert.equal(refund.status, 201, refund.text);
  await stage.move(at("04-20"));
  const now = await stage.now(made.id);
  assert.deepEqual([now.status, now.lastInvoice?.status], ["active", "paid"]);
  await stage.move(at("05-06"));
  assert.equal((await stage.now(made.id)).lastInvoice?.status, "paid", "the next period is charged");
});
