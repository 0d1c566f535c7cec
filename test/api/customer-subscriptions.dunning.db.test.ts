import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addCard, begin, choose, eventsOf, MASTERCARD, openPage } from "../support/cards.ts";
import { type CollectingShop, openCollectingShop, type ShownCollected } from "../support/collected-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

/** Later charges of them are declined, or tell that the card will never pay. */
const DECLINED = "4000000000000341";
const TOKEN_ERROR = "4000000000009979";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A subscription that a card has paid on 1 March; the next period begins on 1 April. */
async function subscribedBy(card: string, settings: object = {}): Promise<[CollectingShop, ShownCollected]> {
  const stage = await openCollectingShop(api);
  const owner = await stage.shop.signIn("owner");
  assert.equal((await owner("PATCH", "/settings", settings)).status, 200);
  const made = await stage.subscribe();
  await stage.pay(made, card);
  return [stage, made];
}

const DECLINED_ENDS = /If\s+it\s+cannot\s+be\s+collected\s+by\s+12\s+April\s+2027,\s+your\s+subscription\s+ends/;
const TOKEN_ENDS = /on\s+12\s+April\s+2027\s+your\s+subscription\s+ends\s+otherwise/;
const at = (day: string) => `2027-${day}T12:00:00.000Z`;
const outcomes = async (stage: CollectingShop) =>
  (await stage.payments())
    .slice(1)
    .map(({ status, type, renewal, on }) => `${on} ${type} ${status}${renewal ? " renewal" : ""}`);
const attempts = async (stage: CollectingShop, { id }: ShownCollected) => {
  const answer = await stage.shop.get<{ data: Record<string, unknown>[] }>(`/customer-subscriptions/${id}/attempts`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.reverse();
};

/** When each attempt says that the next one follows, oldest first. */
const announced = async (stage: CollectingShop, made: ShownCollected) =>
  (await attempts(stage, made)).map(({ nextAttemptAt }) => nextAttemptAt);

describe("a renewal", () => {
  test("is charged to the stored card; the period moves when it is billed", async () => {
    const [stage, made] = await subscribedBy(MASTERCARD);
    await stage.move(at("04-01"));
    const billed = await stage.now(made.id);
    assert.equal(billed.status, "active");
    assert.equal(billed["currentPeriodStart"], "2027-04-01");
    assert.equal(billed.lastInvoice?.status, "sent");
    assert.deepEqual(billed.payment, { due: false, url: null });
    assert.deepEqual(await outcomes(stage), ["2027-04-01 card_debit pending renewal"]);
    await stage.move(at("04-06"));
    assert.equal((await stage.now(made.id)).lastInvoice?.status, "paid");
    const [attempt] = await attempts(stage, made);
    assert.equal(attempt?.["status"], "complete");
    assert.equal(attempt?.["cause"], "renewal");
    assert.deepEqual(await stage.told(made.id), [
      "subscription.created",
      "subscription.activated",
      "subscription.renewed",
    ]);
    assert.equal((await mailsOf(api.services, stage.shop.organisation, { kind: "invoice" })).length, 0);
  });

  test("that is missed is tried again on the days of the settings, then stays past due", async () => {
    const [stage, made] = await subscribedBy(DECLINED);
    await stage.move(at("04-06"));
    const missed = await stage.now(made.id);
    assert.equal(missed.status, "past_due");
    assert.equal(missed.payment.due, true);
    assert.match(String(missed.payment.url), /\/pay\//);
    await stage.move(at("04-30"));
    const tried = await attempts(stage, made);
    assert.deepEqual(
      tried.map(({ cause, status, hard }) => [cause, status, hard]),
      [["renewal", "failed", false], ...[1, 2, 3, 4].map(() => ["retry", "failed", false])],
    );
    assert.match(String(tried[0]?.["reason"]), /declined/);
    assert.equal(tried.at(-1)?.["nextAttemptAt"], null);
    assert.equal((await outcomes(stage)).length, 5);
    assert.equal((await stage.now(made.id)).status, "past_due");
    const told = await stage.told(made.id);
    assert.equal(told.filter((type) => type === "subscription.payment_failed").length, 5);
    assert.equal(told.filter((type) => type === "subscription.past_due").length, 1);
    const failed = await eventsOf(stage, "subscription.payment_failed");
    for (const [place, { data }] of failed.entries()) {
      const { body } = await stage.shop.get(`/transactions/${tried[place]?.["reference"]}`);
      // Its invoice is overdue meanwhile.
      const { invoice: _invoice, ...transaction } = body;
      const { invoice: _before, ...payment } = data["payment"] as Record<string, unknown>;
      assert.deepEqual(payment, { ...missed.payment, ...transaction });
    }
    const mails = await mailsOf(api.services, stage.shop.organisation, { kind: "missed_collection" });
    assert.equal(mails.length, 5);
    assert.equal((await mailsOf(api.services, stage.shop.organisation, { kind: "invoice_reminder" })).length, 0);
  });

  for (const [card, what, count] of [
    [DECLINED, "after the last retry", 5],
    [TOKEN_ERROR, "on the day of the last retry of a card that will never pay", 1],
  ] as const)
    test(`cancels its subscription where the settings say so, ${what}`, async () => {
      const [stage, made] = await subscribedBy(card, { dunning: { finalAction: "cancel" } });
      await stage.move("2027-04-11T20:00:00.000Z");
      assert.equal((await stage.now(made.id)).status, "past_due");
      const [mail] = await mailsOf(api.services, stage.shop.organisation, { kind: "missed_collection" });
      assert.match(String(mail?.text), card === DECLINED ? DECLINED_ENDS : TOKEN_ENDS);
      await stage.move(at("04-30"));
      const ended = await stage.now(made.id);
      assert.equal(ended.status, "cancelled");
      assert.equal(ended.lastInvoice?.status, "overdue", "it is still owed");
      assert.equal((await attempts(stage, made)).length, count);
      await stage.move(at("06-30"));
      assert.equal((await attempts(stage, made)).length, count);
      assert.equal((await stage.told(made.id)).filter((type) => type === "subscription.cancelled").length, 1);
    });

  test("can be paid on its page until an hour before the next attempt, and again once that has failed", async () => {
    const [stage, made] = await subscribedBy(DECLINED);
    await stage.move(at("04-05"));
    const { payment } = await stage.now(made.id);
    const [attempt] = await attempts(stage, made);
    const next = Date.parse(String(attempt?.["nextAttemptAt"]));
    const shown = async () => {
      const page = await (await fetch(String(payment.url))).text();
      if (page.includes('name="gateway"')) return "payable";
      return /<h1[^>]*>([^<]*)</.exec(page)?.[1];
    };
    const minutesBefore = (minutes: number) => new Date(next - minutes * 60_000).toISOString();
    assert.equal(await shown(), "payable");
    await stage.move(minutesBefore(61));
    assert.equal(await shown(), "payable");
    await stage.move(minutesBefore(60));
    assert.equal(await shown(), "This payment is about to be collected");
    await stage.move(minutesBefore(-1));
    assert.equal(await shown(), "This payment is being collected");
    await stage.move(at("04-08"));
    assert.equal((await attempts(stage, made)).at(-1)?.["status"], "failed");
    assert.equal(await shown(), "payable");
  });

  test("whose card will never pay is not tried again", async () => {
    const [stage, made] = await subscribedBy(TOKEN_ERROR);
    await stage.move(at("04-30"));
    assert.deepEqual(
      (await attempts(stage, made)).map(({ cause, status, hard }) => [cause, status, hard]),
      [["renewal", "failed", true]],
    );
    assert.equal((await stage.now(made.id)).status, "past_due");
  });

  test("is tried once at once with a new default card, which is kept when it pays", async () => {
    const [stage, made] = await subscribedBy(TOKEN_ERROR);
    await stage.move(at("04-06"));
    const card = await addCard(stage, MASTERCARD);
    await stage.move("2027-04-06T12:00:01.000Z");
    assert.deepEqual(
      (await attempts(stage, made)).map(({ cause, status }) => [cause, status]),
      [
        ["renewal", "failed"],
        ["new_card", "pending"],
      ],
    );
    await stage.move(at("04-12"));
    const paid = await stage.now(made.id);
    assert.equal(paid.status, "active");
    assert.equal(paid.card?.id, card["id"]);
    await stage.move(at("05-10"));
    assert.equal((await stage.now(made.id)).lastInvoice?.status, "paid");
  });

  test("is paid on its page: the retries end, and the card that paid is kept", async () => {
    const [stage, made] = await subscribedBy(DECLINED);
    await stage.move(at("04-05"));
    await stage.pay(await stage.now(made.id), MASTERCARD);
    const paid = await stage.now(made.id);
    assert.equal(paid.status, "active");
    assert.equal(paid.card?.last4, "4444");
    assert.deepEqual(await announced(stage, made), [null]);
    await stage.move(at("04-30"));
    assert.equal((await attempts(stage, made)).length, 1);
  });

  test("cannot be paid on its page while the card is being charged", async () => {
    const [stage, made] = await subscribedBy(DECLINED);
    await stage.move(at("04-05"));
    const { payment } = await stage.now(made.id);
    await stage.move(at("04-06"));
    const page = await openPage(api, String(payment.url));
    assert.match(page.text, /is being collected/);
    assert.doesNotMatch(page.text, /<form/);
  });

  test("waits while a payment was begun on its page", async () => {
    const [stage, made] = await subscribedBy(DECLINED);
    await stage.move(at("04-05"));
    const { gatewayUrl } = await begin(stage, String((await stage.now(made.id)).payment.url));
    await stage.move(at("04-06"));
    assert.equal((await attempts(stage, made)).length, 1);
    await choose(stage, gatewayUrl, { outcome: "cancelled" });
    await stage.move("2027-04-06T14:00:00.000Z");
    assert.equal((await attempts(stage, made)).length, 2);
  });

  test("whose invoice is cancelled is not tried again", async () => {
    const [stage, made] = await subscribedBy(DECLINED);
    await stage.move(at("04-05"));
    const { lastInvoice } = await stage.now(made.id);
    assert.equal((await stage.shop.post(`/invoices/${lastInvoice?.id}/cancel`, {})).status, 200);
    assert.equal((await stage.now(made.id)).status, "active");
    assert.deepEqual(await announced(stage, made), [null]);
    await stage.move(at("04-30"));
    assert.equal((await attempts(stage, made)).length, 1);
  });

  test("announces the next attempt on the newest one, and only while one comes", async () => {
    const [stage, made] = await subscribedBy(DECLINED, { dunning: { retryDays: [1, 9] } });
    const act = (action: string) => stage.shop.post(`/customer-subscriptions/${made.id}/${action}`, {});
    await stage.move(at("04-05"));
    const retry = async () => (await announced(stage, made)).at(-1);
    assert.deepEqual(await announced(stage, made), ["2027-04-05T22:00:00.000Z"]);
    await act("pause");
    assert.equal(await retry(), null);
    await act("resume");
    await stage.move("2027-04-06T22:00:00.000Z");
    assert.deepEqual(await announced(stage, made), [null, null], "the bank was asked");
    await stage.move(at("04-10"));
    assert.deepEqual(await announced(stage, made), [null, "2027-04-13T22:00:00.000Z"]);
    await act("cancel");
    assert.equal(await retry(), null);
  });

  test("without any card is an attempt that failed", async () => {
    const stage = await openCollectingShop(api);
    const made = await stage.subscribe({ paidThrough: "2027-03-10" });
    assert.equal(made.status, "active");
    await stage.move(at("03-10"));
    const missed = await stage.now(made.id);
    assert.equal(missed.status, "past_due");
    const [attempt] = await attempts(stage, made);
    assert.deepEqual([attempt?.["reference"], attempt?.["reason"]], [null, "There is no card to charge."]);
    const [told] = await eventsOf(stage, "subscription.payment_failed");
    assert.deepEqual(told?.data["payment"], missed.payment);
    await stage.pay(missed);
    assert.equal((await stage.now(made.id)).status, "active");
  });
});

describe("a subscription that is cancelled while its card is charged", () => {
  for (const [card, status, outcome] of [
    [MASTERCARD, "paid", "complete"],
    [DECLINED, "overdue", "failed"],
  ] as const)
    test(`keeps what the bank answers: ${outcome}, and nothing is tried again`, async () => {
      const [stage, made] = await subscribedBy(card);
      await stage.move(at("04-01"));
      const cancel = { when: "now" };
      assert.equal((await stage.shop.post(`/customer-subscriptions/${made.id}/cancel`, cancel)).status, 200);
      await stage.move(at("05-10"));
      const ended = await stage.now(made.id);
      assert.deepEqual([ended.status, ended.lastInvoice?.status], ["cancelled", status]);
      assert.deepEqual(
        (await attempts(stage, made)).map(({ cause, status: of }) => [cause, of]),
        [["renewal", outcome]],
      );
      assert.equal((await stage.invoices(made.id)).length, 2);
      const told = await stage.told(made.id);
      assert.equal(told.filter((type) => type === "subscription.cancelled").length, 1);
      assert.equal(told.filter((type) => type === "subscription.past_due").length, 0);
      const mails = await mailsOf(api.services, stage.shop.organisation, { kind: "missed_collection" });
      assert.deepEqual(
        mails.map(({ text }) => /We do not retry\. Please pay it now\./.test(text)),
        outcome === "failed" ? [true] : [],
      );
    });

  test("or is cancelled beside it, twenty times: it is charged once at most", async () => {
    const [stage, made] = await subscribedBy(MASTERCARD);
    const cancel = () => stage.shop.post(`/customer-subscriptions/${made.id}/cancel`, { when: "now" });
    await Promise.all([stage.move("2027-03-31T22:00:01.000Z"), ...Array.from({ length: 20 }, cancel)]);
    await stage.move(at("04-10"));
    assert.equal((await stage.now(made.id)).status, "cancelled");
    const [billed, charged] = [(await stage.invoices(made.id)).length, (await outcomes(stage)).length];
    assert.ok(billed <= 2 && charged === billed - 1, `${billed} invoices, ${charged} charges`);
  });
});

describe("retry", () => {
  test("charges the unpaid cycle now, once of twenty", async () => {
    const [stage, made] = await subscribedBy(DECLINED);
    const retry = () =>
      stage.shop.post<{ error?: string; status?: string }>(`/customer-subscriptions/${made.id}/retry`, {});
    const early = await retry();
    assert.deepEqual([early.status, early.body.error], [409, "nothing_to_retry"]);
    await stage.move(at("04-05"));
    const answers = await Promise.all(Array.from({ length: 20 }, retry));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, ...Array.from({ length: 19 }, () => 409)],
    );
    assert.equal(answers.find(({ status }) => status === 200)?.body.status, "past_due");
    assert.ok(answers.every(({ status, body }) => status === 200 || body.error === "nothing_to_retry"));
    assert.deepEqual(
      (await attempts(stage, made)).map(({ cause, status }) => [cause, status]),
      [
        ["renewal", "failed"],
        ["request", "pending"],
      ],
    );
  });

  test("without a card that can be charged says so", async () => {
    const [stage, made] = await subscribedBy(TOKEN_ERROR);
    await stage.move(at("04-06"));
    const answer = await stage.shop.post<{ error: string }>(`/customer-subscriptions/${made.id}/retry`, {});
    assert.deepEqual([answer.status, answer.body.error], [409, "card_not_chargeable"]);
  });

  test("of one that is unknown or mailed is refused", async () => {
    const stage = await openCollectingShop(api);
    assert.equal((await stage.shop.post("/customer-subscriptions/csub_x/retry", {})).status, 404);
    const { id } = await stage.subscribe({ collectionMethod: "invoice" });
    const answer = await stage.shop.post<{ error: string }>(`/customer-subscriptions/${id}/retry`, {});
    assert.deepEqual([answer.status, answer.body.error], [409, "nothing_to_retry"]);
  });
});
