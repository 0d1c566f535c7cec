import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addCard, choiceOf, choose, MASTERCARD, postForm } from "../support/cards.ts";
import { PAYER, postSale } from "../support/checkout.ts";
import { type CollectingShop, openCollectingShop } from "../support/collected-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 16.16: an invoice of a subscription is collected in one way at a time, whatever is asked for at once. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A later charge of it is declined. */
const DECLINED = "4000000000000341";
const CALLERS = 5;
const ROUNDS = 3;

interface Paying {
  readonly reference: string;
  readonly type: string;
  readonly status: string;
  readonly overpaid: string;
}
const paymentsOf = (stage: CollectingShop, invoice: string) =>
  api.query<Paying>(
    "select reference, type, status, overpaid_cents as overpaid from transactions where organisation_id = $1 and invoice_id = $2 order by id",
    stage.shop.organisation.id,
    invoice,
  );

describe("retries by request and by the settings, payments on the page and a new default card at once", () => {
  for (let round = 1; round <= ROUNDS; round++)
    test(`collect the invoice in one way, and once (${round})`, async () => {
      const stage = await openCollectingShop(api);
      const made = await stage.subscribe();
      await stage.pay(made, DECLINED);
      await stage.move("2027-04-05T12:00:00.000Z");
      const { lastInvoice, payment } = await stage.now(made.id);
      const invoice = lastInvoice?.id ?? "";
      const card = await addCard(stage, MASTERCARD);
      const begun: string[] = [];
      const all = <T>(ask: () => Promise<T>) => Array.from({ length: CALLERS }, ask);
      await Promise.all([
        stage.move("2027-04-05T22:00:01.000Z"),
        ...all(() => stage.shop.post(`/customer-subscriptions/${made.id}/retry`, {})),
        ...all(async () => {
          const answer = await postForm(api, String(payment.url), { gateway: stage.account.id });
          if (answer.status === 303) begun.push(String(answer.headers.location));
        }),
        stage.shop.post(`/customers/${stage.customer}/cards/${card["id"]}/default`, {}),
      ]);
      const open = (await paymentsOf(stage, invoice)).filter(({ status }) => status === "pending");
      const charges = open.filter(({ type }) => type === "card_debit").length;
      assert.ok(open.length > 0, "something collects it");
      assert.ok(charges === 0 || open.length === 1, `${charges} charges among ${open.length} payments`);
      assert.equal(charges === 0, begun.length > 0);
      const [page] = begun;
      if (page !== undefined) await choose(stage, page, choiceOf(MASTERCARD));
      // What was charged to the card that is declined is then tried with the new default card.
      await stage.move("2027-04-20T12:00:00.000Z");
      const ended = await stage.now(made.id);
      assert.deepEqual([ended.status, ended.lastInvoice?.status], ["active", "paid"]);
      const payments = await paymentsOf(stage, invoice);
      assert.equal(payments.filter(({ status }) => status === "complete").length, 1);
      assert.ok(payments.every(({ overpaid }) => Number(overpaid) === 0));
    });
});

test("submissions of one package checkout at once make one subscription, and redeem its coupon once", async () => {
  const stage = await openCollectingShop(api);
  const coupon = await stage.staff<{ id: string }>("POST", "/coupons", {
    code: "ONCE",
    percent: 10,
    maxRedemptions: 1,
  });
  const session = await stage.shop.post<{ checkoutUrl: string }>("/checkout-sessions", {
    planId: stage.planId,
    couponCode: "ONCE",
  });
  const fields = { ...PAYER, gateway: stage.account.id, plan: stage.planId, couponCode: "ONCE" };
  // An email address may submit ten times an hour.
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => postSale(stage, session.body.checkoutUrl, fields)),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 303),
  );
  const { body } = await stage.shop.get<{ data: { id: string; status: string }[] }>("/customer-subscriptions");
  assert.deepEqual(
    body.data.map(({ status }) => status),
    ["pending"],
  );
  const redeemed = await stage.staff<{ redemptions: number }>("GET", `/coupons/${coupon.body.id}`);
  assert.equal(redeemed.body.redemptions, 1);
  await choose(stage, String(answers[3]?.headers.location), choiceOf(MASTERCARD));
  const [active, ...others] = (await stage.shop.get<{ data: { status: string }[] }>("/customer-subscriptions")).body
    .data;
  assert.deepEqual([active?.status, others], ["active", []]);
});
