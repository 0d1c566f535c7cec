import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { type CardShop, choiceOf, type Shown, VISA } from "../support/cards.ts";
import {
  checkoutEvents,
  customerSubscriptionNow,
  endSale,
  newestSession,
  openSale,
  openSaleShop,
  PAYER,
  postSale,
  sessionNow,
  startSale,
} from "../support/checkout.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.12 and 3.9: packages on the hosted checkout. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const open = async () => {
  const { packagePage: page, ...sale } = await openSaleShop(api);
  return { ...sale, page };
};

const shownOf = (record: Shown, ...names: string[]) => names.map((name) => record[name]);
const eventsOf = async ({ staff }: CardShop): Promise<string[]> => {
  const { body } = await staff<{ data: { type: string }[] }>("GET", "/events?limit=100");
  return body.data.map(({ type }) => type).toReversed();
};

test("a first charge is the set-up fee and the first period, with VAT; its card is kept, and the subscription begins", async () => {
  const { stage, packageId, page, addPlan } = await open();
  const planId = await addPlan({ setupFee: 50 });
  const shown = (await openSale(stage, page)).text;
  assert.match(shown, /R\u00a0172\.50/);
  assert.match(
    shown,
    /You pay <span class="money">R\u00a0172\.50<\/span> today, then R\u00a0115\.00 every month from 1 April 2027, until you cancel/,
  );
  assert.match(shown, /To end it, write to/);
  const session = (
    await stage.shop.post<Shown>("/checkout-sessions", {
      planId,
      metadata: { a: "b" },
      customer: { email: "s@example.co.za" },
    })
  ).body;
  const begun = await startSale(stage, String(session["checkoutUrl"]));
  const pending = await sessionNow(stage, session["id"]);
  const waiting = await customerSubscriptionNow(stage, pending["subscriptionId"]);
  assert.deepEqual(shownOf(waiting, "status", "source", "collectionMethod", "metadata"), [
    "pending",
    "checkout",
    "gateway",
    { a: "b" },
  ]);
  assert.deepEqual(
    shownOf(pending["transaction"] as Shown, "reference", "status", "amount", "discountAmount", "taxAmount"),
    [begun.reference, "pending", 172.5, 0, 22.5],
  );
  await endSale(stage, begun, "complete", choiceOf(VISA));
  const done = await sessionNow(stage, session["id"]);
  assert.deepEqual(shownOf(done, "status", "planId", "packageId"), ["completed", planId, packageId]);
  const active = await customerSubscriptionNow(stage, done["subscriptionId"]);
  assert.deepEqual(shownOf(active, "status", "currentPeriodStart", "nextBillingAt"), [
    "active",
    "2027-03-01",
    "2027-03-31T22:00:00.000Z",
  ]);
  assert.equal((active["card"] as Shown)["last4"], "4242");
  const { body: payment } = await stage.shop.get(`/transactions/${begun.reference}`);
  assert.deepEqual(
    [
      payment["type"],
      payment["status"],
      payment["subscriptionId"],
      (payment["invoice"] as Shown)["status"],
      payment["metadata"],
    ],
    ["invoice", "complete", done["subscriptionId"], "paid", { a: "b" }],
  );
  const events = await eventsOf(stage);
  assert.deepEqual(events.filter((type) => /^(checkout|subscription)\./.test(type)).sort(), [
    "checkout.completed",
    "subscription.activated",
    "subscription.created",
  ]);
  await stage.move("2027-04-03T10:00:00.000Z");
  assert.deepEqual(shownOf(await customerSubscriptionNow(stage, done["subscriptionId"]), "status", "cyclesBilled"), [
    "active",
    2,
  ]);
});

test("a trial and a free first charge need no payment and no gateway", async () => {
  const { stage, page, addPlan } = await open();
  const trial = await addPlan({ name: "Trial", trialDays: 14 });
  const free = await addPlan({ name: "Free", amount: 0 });
  await addPlan({ name: "Paid" });
  await stage.staff("PATCH", `/gateways/${stage.account.id}`, { enabled: false });
  const shown = (await openSale(stage, page)).text;
  assert.match(shown, new RegExp(`type="radio" name="plan" value="${trial}"[^>]* checked`));
  assert.match(shown, new RegExp(`type="radio" name="plan" value="${free}"`));
  assert.doesNotMatch(shown, />Paid</);
  assert.doesNotMatch(shown, /name="gateway"/);
  for (const [plan, status, event] of [
    [trial, "trialing", 1],
    [free, "active", 2],
  ] as const) {
    const answer = await postSale(stage, page, { ...PAYER, plan });
    assert.equal(answer.status, 303, answer.text);
    const session = await newestSession(stage);
    assert.deepEqual(shownOf(session, "status", "planId", "transaction", "source"), [
      "completed",
      plan,
      null,
      "hosted",
    ]);
    const subscription = await customerSubscriptionNow(stage, session["subscriptionId"]);
    assert.deepEqual(shownOf(subscription, "status", "source", "collectionMethod"), [status, "checkout", "gateway"]);
    const result = await openSale(stage, String(answer.headers.location));
    assert.match(result.text, /<h1[^>]*>You are signed up<\/h1>/);
    const events = await checkoutEvents(stage);
    assert.equal(events.length, event);
    assert.equal(events.at(-1)?.type, "checkout.completed");
    assert.deepEqual(events.at(-1)?.data, session);
  }
});

test("redirects after a trial leave out the reference", async () => {
  const { stage, addPlan } = await open();
  const planId = await addPlan({ trialDays: 7 });
  await stage.staff("PUT", "/allowed-return-urls", { origins: ["https://shop.example"] });
  const session = (
    await stage.shop.post<Shown>("/checkout-sessions", { planId, returnUrl: "https://shop.example/back" })
  ).body;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => postSale(stage, String(session["checkoutUrl"]), PAYER)),
  );
  const gone = answers.filter(({ status }) => status === 303);
  assert(gone.length > 0);
  // A later submission is answered that the session is complete.
  for (const { status, text } of answers)
    assert(status === 303 || (status === 200 && /<h1[^>]*>Already done<\/h1>/.test(text)), text);
  const { text } = await openSale(stage, String(gone[0]?.headers.location));
  assert(text.includes(`content="8;url=https://shop.example/back?status=complete&amp;session=${session["id"]}"`), text);
  const { body } = await stage.shop.get<{ data: Shown[] }>("/customer-subscriptions");
  assert.equal(body.data.length, 1);
  assert.deepEqual(
    (await checkoutEvents(stage)).map(({ type }) => type),
    ["checkout.completed"],
  );
});

test("the payer switches the plan; a retry goes on with the same subscription; a failed payment gives the coupon back", async () => {
  const { stage, packageId, page, addPlan } = await open();
  const [monthly, yearly] = [
    await addPlan({}),
    await addPlan({ name: "Year", amount: 1000, frequency: "annually", taxInclusive: true }),
  ];
  const { body: coupon } = await stage.staff<Shown>("POST", "/coupons", {
    code: "TEN",
    percent: 10,
    planIds: [yearly],
  });
  const redemptions = async () => (await stage.staff<Shown>("GET", `/coupons/${coupon["id"]}`)).body["redemptions"];
  assert.match((await openSale(stage, `${page}?plan=${yearly}`)).text, new RegExp(`value="${yearly}"[^>]* checked`));
  const session = (
    await stage.shop.post<Shown>("/checkout-sessions", { packageId, planId: monthly, couponCode: "TEN" })
  ).body;
  const url = String(session["checkoutUrl"]);
  const shown = (await openSale(stage, url)).text;
  assert.match(shown, /This coupon is not for this/);
  assert.match(shown, /R\u00a0900\.00 today, then R\u00a01\u00a0000\.00 every year/);
  assert.equal((await postSale(stage, url, { ...PAYER, gateway: stage.account.id, plan: monthly })).status, 400);
  const first = await startSale(stage, url, { plan: yearly });
  assert.equal(await redemptions(), 1);
  const chosen = await sessionNow(stage, session["id"]);
  assert.deepEqual(shownOf(chosen, "planId", "couponCode"), [yearly, "TEN"]);
  assert.deepEqual(
    shownOf(chosen["transaction"] as Shown, "amount", "discountAmount", "taxAmount"),
    [900, 100, 117.39],
  );
  await endSale(stage, first, "failed");
  assert.equal(await redemptions(), 0);
  await startSale(stage, url, { plan: yearly });
  const second = await startSale(stage, url, { plan: yearly });
  assert.equal(await redemptions(), 1);
  await endSale(stage, second, "complete", choiceOf(VISA));
  assert.equal(await redemptions(), 1);
  const done = await sessionNow(stage, session["id"]);
  assert.deepEqual(shownOf(done, "status", "subscriptionId"), ["completed", chosen["subscriptionId"]]);
  assert.deepEqual(shownOf(await customerSubscriptionNow(stage, done["subscriptionId"]), "status", "source"), [
    "active",
    "checkout",
  ]);
  assert.deepEqual(
    (await checkoutEvents(stage)).map(({ type }) => type),
    ["checkout.failed", "checkout.completed"],
  );
});

test("a payment of the plan that was chosen first wins, when it comes late", async () => {
  const { stage, packageId, addPlan } = await open();
  const [one, two] = [await addPlan({}), await addPlan({ name: "Other", amount: 200 })];
  const session = (await stage.shop.post<Shown>("/checkout-sessions", { packageId })).body;
  const url = String(session["checkoutUrl"]);
  const first = await startSale(stage, url, { plan: one });
  const { subscriptionId } = await sessionNow(stage, session["id"]);
  await startSale(stage, url, { plan: two });
  await stage.move("2027-03-02T10:00:00.000Z");
  assert.equal((await sessionNow(stage, session["id"]))["status"], "expired");
  await stage.staff("POST", "/sandbox/notify", { reference: first.reference, status: "complete" });
  const done = await sessionNow(stage, session["id"]);
  assert.deepEqual(shownOf(done, "status", "planId", "subscriptionId"), ["completed", one, subscriptionId]);
  assert.equal((await customerSubscriptionNow(stage, subscriptionId))["status"], "active");
});

test("a first charge that the payer's credit pays whole completes the checkout without a payment; the next one needs a card", async () => {
  const { stage, page, addPlan } = await open();
  const plan = await addPlan({ setupFee: 50 });
  const { body: payer } = await stage.shop.post<Shown>("/customers", PAYER);
  const credit = await stage.staff("POST", "/credit-notes", {
    customerId: payer["id"],
    amount: 500,
    taxRate: 0,
    reason: "A mistake",
  });
  assert.equal(credit.status, 201, credit.text);
  const answer = await postSale(stage, page, { ...PAYER, gateway: stage.account.id, plan });
  assert.equal(answer.status, 303, answer.text);
  assert.match((await openSale(stage, String(answer.headers.location))).text, /<h1[^>]*>You are signed up<\/h1>/);
  const session = await newestSession(stage);
  assert.deepEqual(shownOf(session, "status", "customerId", "transaction"), ["completed", payer["id"], null]);
  const paid = await customerSubscriptionNow(stage, session["subscriptionId"]);
  assert.deepEqual(shownOf(paid, "status", "payment", "card"), ["active", { due: false, url: null }, null]);
  assert.equal((paid["lastInvoice"] as Shown)["status"], "paid");
  assert.equal((await checkoutEvents(stage)).length, 1);
  const { body: standing } = await stage.shop.get(`/customers/${payer["id"]}/standing`);
  const left = Number(standing["credit"]);
  assert.ok(left > 0 && left < 500, String(left));
  // The credit that is left pays the next bills; then nothing can be charged, and the payer is asked.
  await stage.move("2027-08-02T10:00:00.000Z");
  const late = await customerSubscriptionNow(stage, session["subscriptionId"]);
  assert.deepEqual(shownOf(late, "status", "cyclesBilled"), ["past_due", 6]);
  assert.equal((late["payment"] as Shown)["due"], true);
});

describe("plans that are not sold here", () => {
  test("are named with where they are sold; a package without any other is not on sale", async () => {
    const { stage, page, addPlan } = await open();
    assert.match((await openSale(stage, page)).text, /<h1[^>]*>Not on sale<\/h1>/);
    const asked = await addPlan({ name: "Schools", callToAction: "contact_us" });
    await addPlan({ name: "Libraries", callToAction: "link", callToActionUrl: "https://shop.example/libraries" });
    assert.match((await openSale(stage, page)).text, /<h1[^>]*>Not on sale<\/h1>/);
    await addPlan({});
    const shown = (await openSale(stage, page)).text;
    assert.match(shown, /Schools/);
    assert.match(shown, /href="https:\/\/shop\.example\/libraries"/);
    assert.equal((await postSale(stage, page, { ...PAYER, gateway: stage.account.id, plan: asked })).status, 400);
    assert.equal((await postSale(stage, page, { ...PAYER, gateway: stage.account.id, plan: "plan_x" })).status, 400);
  });

  test("nor are plans of a package without Recurring card billing", async () => {
    const { stage, page, addPlan } = await open();
    await addPlan({});
    await stage.shop.change({ plan: "starter" });
    assert.match((await openSale(stage, page)).text, /<h1[^>]*>Checkout is paused<\/h1>/);
  });
});
