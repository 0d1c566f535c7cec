import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { AMEX, addCard, type CardShop, eventsOf, openPage, type Shown } from "../support/cards.ts";
import { openSale, openSaleShop, salePath, sessionNow } from "../support/checkout.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.11 and 4.12: who is signed in to the portal pays a checkout by saved card. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, "http://none");
  return pathname + search;
};
const locationOf = ({ headers }: { headers: { location?: string | undefined } }) => String(headers.location);

/** A signed-in customer with an address and a saved card. */
async function openCustomer(key?: string) {
  const sale = await openSaleShop(api);
  const { stage } = sale;
  const card = await addCard(stage);
  const { body: customer } = await stage.shop.get(`/customers/${stage.customer}`);
  const cookie = await signIn(stage, key ? { email: false } : null, key);
  return { ...sale, card: String(card["id"]), email: String(customer["email"]), cookie };
}

/** Signs the customer in by a link of staff, or of a key; answers the cookie that a browser sends to checkout pages. */
async function signIn({ shop, staff, customer }: CardShop, byKey: object | null, key?: string): Promise<string> {
  const path = `/customers/${customer}/portal-link`;
  const made = byKey
    ? await shop.post<{ url: string }>(path, byKey, key ? { key } : {})
    : await staff<{ url: string }>("POST", path, { email: false });
  assert.equal(made.status, 201, made.text);
  const { text } = await openPage(api, made.body.url);
  const formToken = /name="formToken" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const answer = await press(pathOf(made.body.url), "", { formToken, action: "sign_in" });
  const line = [answer.headers["set-cookie"] ?? []]
    .flat()
    .find((one) => one.includes(`Path=/c/${shop.organisation.slug};`));
  return line?.split(";", 1)[0] ?? assert.fail("a cookie for checkout pages");
}

const press = (path: string, cookie: string, fields: Readonly<Record<string, string>>) =>
  api.call<unknown>("POST", path, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl, cookie },
  });
const look = (path: string, cookie: string) => api.call<unknown>("GET", path, { headers: { cookie } });
const cardsOn = ({ text }: { text: string }) => [...text.matchAll(/name="card" value="([^"]+)"/g)].map(([, id]) => id);
const newest = async ({ shop }: CardShop): Promise<Shown> =>
  (await shop.get<{ data: Shown[] }>("/checkout-sessions?limit=1")).body.data[0] ?? assert.fail("a session");

describe("a product", () => {
  test("is paid by the card that is confirmed, once; the session is completed when the bank confirms", async () => {
    const { stage, addProduct, cookie, card, email } = await openCustomer();
    const page = salePath(stage, "product", await addProduct());
    const shown = await look(page, cookie);
    assert.deepEqual(cardsOn(shown), [card]);
    assert.match(shown.text, new RegExp(`value="${email}"`), "what is known is filled in");
    assert.deepEqual(cardsOn(await openSale(stage, page)), [], "nobody is signed in");
    const chosen = await press(page, cookie, { email, firstName: "Thandi", action: "pay_card", card });
    assert.equal(chosen.status, 303, chosen.text);
    const confirm = locationOf(chosen);
    assert.match((await look(confirm, cookie)).text, /Confirm the payment[\s\S]*R\u00a0115\.00/);
    assert.match((await look(confirm, "")).text, /cannot be used here now/);
    for (const amount of ["114.99", "x"])
      assert.equal((await press(confirm, cookie, { action: "confirm", amount })).status, 409);
    assert.match((await press(confirm, "", { action: "confirm", amount: "115.00" })).text, /cannot be used here now/);
    const paid = await Promise.all(
      Array.from({ length: 20 }, () => press(confirm, cookie, { action: "confirm", amount: "115.00" })),
    );
    assert.deepEqual([...new Set(paid.map(({ status }) => status))], [303]);
    const charges = await api.query(
      "select t.reference from card_charges c join transactions t on t.id = c.transaction_id where c.organisation_id = $1",
      stage.shop.organisation.id,
    );
    assert.equal(charges.length, 1);
    const session = await newest(stage);
    assert.deepEqual([session["status"], (session["transaction"] as Shown)["amount"]], ["pending", 115]);
    const result = locationOf(paid[0] ?? assert.fail());
    assert.match((await look(result, cookie)).text, /<h1[^>]*>Payment under way<\/h1>/);
    const again = await look(pathOf(`${page}?${new URL(confirm, api.baseUrl).searchParams}`), cookie);
    assert.match(again.text, /is being paid by saved card already/);
    assert.deepEqual(cardsOn(again), []);
    await stage.move("2027-03-08T10:00:00.000Z");
    const done = await sessionNow(stage, session["id"]);
    assert.deepEqual([done["status"], (done["transaction"] as Shown)["status"]], ["completed", "complete"]);
    assert.equal((await eventsOf(stage, "checkout.%")).length, 1);
  });

  test("a recurring one offers none; nor does a session for another address, an inactive customer or a key without the permission", async () => {
    const { stage, addProduct, addSession, cookie, card } = await openCustomer();
    const product = await addProduct();
    const page = salePath(stage, "product", product);
    const recurring = salePath(stage, "product", await addProduct({ recurring: { frequency: "monthly" } }));
    assert.deepEqual(cardsOn(await look(recurring, cookie)), []);
    const other = await addSession({ productId: product, customer: { email: "other@example.co.za" } });
    assert.deepEqual(cardsOn(await look(pathOf(String(other["checkoutUrl"])), cookie)), []);
    const refused = await press(page, cookie, {
      email: "other@example.co.za",
      firstName: "T",
      action: "pay_card",
      card,
    });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Your saved cards pay for/);
    const byKey = await signIn(stage, { email: false });
    const keys = await stage.staff<{ data: { id: string }[] }>("GET", "/api-keys");
    assert.deepEqual(cardsOn(await look(page, byKey)), [], "a key without the permission");
    const key = keys.body.data[0]?.id;
    await stage.staff("PATCH", `/api-keys/${key}`, { permissions: ["charge_saved_cards"] });
    assert.deepEqual(cardsOn(await look(page, byKey)), [card]);
    await stage.shop.call("PATCH", `/customers/${stage.customer}`, { body: { active: false, onActive: "keep" } });
    assert.deepEqual(cardsOn(await look(page, cookie)), []);
  });

  test("a card of a network that is not charged is not offered", async () => {
    const { stage, addProduct, cookie } = await openCustomer();
    const amex = await addCard(stage, AMEX);
    const page = salePath(stage, "product", await addProduct());
    assert.equal(cardsOn(await look(page, cookie)).includes(String(amex["id"])), amex["chargeable"]);
  });
});

test("a plan is subscribed to, less credit, with its terms before the payment; the card pays later charges too", async () => {
  const { stage, addPlan, packagePage, cookie, card, email } = await openCustomer();
  await addPlan({ setupFee: 50 });
  assert.deepEqual(cardsOn(await look(packagePage, cookie)), [card]);
  const chosen = await press(packagePage, cookie, { email, firstName: "Thandi", action: "pay_card", card });
  assert.equal(chosen.status, 303, chosen.text);
  const confirm = locationOf(chosen);
  const { text } = await look(confirm, cookie);
  // The 1.00 of the card's set-up is the customer's credit.
  assert.match(text, /name="amount" value="171\.50"/);
  assert.match(text, /every month from 1 April 2027, until you cancel[\s\S]*To end it, write to/);
  const { subscriptionId, id } = await newest(stage);
  const subscription = async () => (await stage.shop.get(`/customer-subscriptions/${subscriptionId}`)).body;
  assert.equal((await subscription())["status"], "pending");
  const paid = await press(confirm, cookie, { action: "confirm", amount: "171.50" });
  assert.equal(paid.status, 303, paid.text);
  await stage.move("2027-03-08T10:00:00.000Z");
  assert.equal((await sessionNow(stage, id))["status"], "completed");
  const active = await subscription();
  assert.deepEqual([active["status"], (active["card"] as Shown)["id"] ?? card], ["active", card]);
  await stage.move("2027-04-08T10:00:00.000Z");
  assert.deepEqual([(await subscription())["status"], (await subscription())["cyclesBilled"]], ["active", 2]);
});

test("a plan that was left before its card was confirmed ends when the session sells another", async () => {
  const { stage, addPlan, addSession, packageId, cookie, card, email } = await openCustomer();
  const [left, trial] = [await addPlan(), await addPlan({ name: "Trial", trialDays: 7 })];
  const session = await addSession({ packageId });
  const url = pathOf(String(session["checkoutUrl"]));
  const payer = { email, firstName: "Thandi" };
  assert.equal((await press(url, cookie, { ...payer, plan: left, action: "pay_card", card })).status, 303);
  const { subscriptionId } = await sessionNow(stage, session["id"]);
  const status = async (id: unknown) => (await stage.shop.get(`/customer-subscriptions/${id}`)).body["status"];
  assert.equal(await status(subscriptionId), "pending");
  assert.equal((await press(url, cookie, { ...payer, plan: trial })).status, 303);
  const done = await sessionNow(stage, session["id"]);
  assert.deepEqual(
    [done["status"], done["planId"], await status(done["subscriptionId"])],
    ["completed", trial, "trialing"],
  );
  await stage.move("2027-03-01T10:00:05.000Z");
  assert.equal(await status(subscriptionId), "cancelled");
});

test("ten payments a day by saved card, however they are made", async () => {
  const { stage, addProduct, cookie, card, email } = await openCustomer();
  const page = salePath(stage, "product", await addProduct());
  const pay = async () => {
    const chosen = await press(page, cookie, { email, firstName: "Thandi", action: "pay_card", card });
    if (chosen.status !== 303) return chosen.status;
    return (await press(locationOf(chosen), cookie, { action: "confirm", amount: "115.00" })).status;
  };
  for (let n = 0; n < 9; n++) assert.equal(await pay(), 303);
  // The tenth submission of an address in an hour, and the tenth charge.
  assert.equal(await pay(), 303);
  await api.query("delete from rate_windows");
  const refused = await press(page, cookie, { email, firstName: "Thandi", action: "pay_card", card });
  assert.equal(refused.status, 429);
  assert.match(refused.text, /Saved cards can pay 10 times a day/);
});

test("a form of another site cannot confirm for a signed-in customer", async () => {
  const { stage, addProduct, cookie, card, email } = await openCustomer();
  const page = salePath(stage, "product", await addProduct());
  const chosen = await press(page, cookie, { email, firstName: "Thandi", action: "pay_card", card });
  const [, formToken = ""] = /name="formToken" value="([^"]+)"/.exec((await look(locationOf(chosen), "")).text) ?? [];
  for (const origin of ["https://evil.example", "null"]) {
    const answer = await api.call<unknown>("POST", locationOf(chosen), {
      body: new URLSearchParams({ action: "confirm", amount: "115.00", formToken }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", origin, cookie },
    });
    assert.equal(answer.status, 403, origin);
  }
});
