import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { choiceOf, type Shown, VISA } from "../support/cards.ts";
import {
  customerSubscriptionNow,
  endSale,
  openSale,
  openSaleShop,
  type SaleShop,
  sessionNow,
  startSale,
} from "../support/checkout.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.12 and 4.15: a session that sells plans in another of their currencies. */

let api: TestApi;
let sale: SaleShop;
before(async () => {
  api = await openApi();
  sale = await openSaleShop(api);
  const { staff, account } = sale.stage;
  const currencies = { currencies: ["ZAR", "USD"] };
  assert.equal((await staff("PATCH", `/gateways/${account.id}`, currencies)).status, 200);
});
after(() => closeVerified(api));

const USD = { currency: "USD", amount: 9.5, setupFee: 2 };
const ask = (body: object) =>
  sale.stage.shop.post<Shown & { message?: string; issues?: { path: unknown[] }[] }>("/checkout-sessions", body);

test("offers the plans that have a price in it, and the subscription is billed in it", async () => {
  const { stage, packageId, addPlan } = sale;
  const gold = await addPlan({ prices: [USD] });
  await addPlan({ name: "Only in rand" });
  const session = await sale.addSession({ packageId, currency: "usd" });
  assert.equal(session["currency"], "USD");
  const page = (await openSale(stage, String(session["checkoutUrl"]))).text;
  assert.match(page, /Gold/);
  assert.doesNotMatch(page, /Only in rand|R\u00a0/);
  const begun = await startSale(stage, String(session["checkoutUrl"]));
  await endSale(stage, begun, "complete", choiceOf(VISA));
  const done = await sessionNow(stage, session["id"]);
  assert.partialDeepStrictEqual(done, { status: "completed", planId: gold, transaction: { currency: "USD" } });
  const subscription = await customerSubscriptionNow(stage, done["subscriptionId"]);
  assert.partialDeepStrictEqual(subscription, { status: "active", currency: "USD", amount: 9.5 });
  await stage.move("2027-04-12T10:00:00.000Z");
  const { body } = await stage.shop.get<{ data: Shown[] }>(
    `/customer-subscriptions/${done["subscriptionId"]}/invoices`,
  );
  assert.deepEqual(
    body.data.map(({ currency, status }) => [currency, status]),
    [
      ["USD", "paid"],
      ["USD", "paid"],
    ],
  );
});

test("a page's address names it too, for the session of whoever submits; one that no plan has is ignored", async () => {
  const { stage, packageId, addPlan } = sale;
  await addPlan({ name: "By address", prices: [USD] });
  const path = `/c/${stage.shop.organisation.slug}/package/${packageId}`;
  const begun = await startSale(stage, `${path}?currency=usd`);
  await endSale(stage, begun, "complete", choiceOf(VISA));
  const [session] = (await stage.shop.get<{ data: Shown[] }>("/checkout-sessions?limit=1")).body.data;
  assert.partialDeepStrictEqual(session, { status: "completed", source: "hosted", currency: "USD" });
  const subscription = await customerSubscriptionNow(stage, session?.["subscriptionId"]);
  assert.partialDeepStrictEqual(subscription, { status: "active", currency: "USD", amount: 9.5 });
  const rand = await addPlan({ name: "In rand alone" });
  const [byPlan, eur] = [
    `${path}?plan=${rand}&currency=USD`,
    await addPlan({ prices: [{ currency: "EUR", amount: 9 }] }),
  ];
  assert.match((await openSale(stage, byPlan)).text, /In rand alone/);
  // No gateway takes euro.
  const inEuro = (await openSale(stage, `${path}?plan=${eur}&currency=EUR`)).text;
  assert.match(inEuro, /R\u00a0115\.00/);
  assert.doesNotMatch(inEuro, /EUR/);
  for (const currency of ["GBP", "<b>", ""]) {
    const { status, text } = await openSale(stage, `${path}?currency=${encodeURIComponent(currency)}`);
    assert.equal(status, 200);
    assert.match(text, /R\u00a0115\.00/);
  }
});

test("without a currency each plan has its own, and the session shows none", async () => {
  const planId = await sale.addPlan({ name: "Silver", prices: [USD] });
  const session = await sale.addSession({ planId });
  assert.equal("currency" in session, false);
  assert.match((await openSale(sale.stage, String(session["checkoutUrl"]))).text, /R\u00a0115\.00/);
});

describe("a currency is refused", () => {
  test("in which the plan has no price, and says which it has", async () => {
    const planId = await sale.addPlan({ name: "Bronze", prices: [USD] });
    const { status, body } = await ask({ planId, currency: "EUR" });
    assert.deepEqual([status, body.issues?.[0]?.path], [400, ["currency"]]);
    assert.match(String(body.message), /ZAR, USD/);
  });

  test("in which no plan of the package has a price", async () => {
    assert.equal((await ask({ packageId: sale.packageId, currency: "GBP" })).status, 400);
  });

  test("for a product", async () => {
    const productId = await sale.addProduct();
    const { status, body } = await ask({ productId, currency: "ZAR" });
    assert.deepEqual([status, body.issues?.[0]?.path], [400, ["currency"]]);
  });
});
