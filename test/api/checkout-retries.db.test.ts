import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { type CardShop, choiceOf, choose, eventsOf, type Shown, VISA } from "../support/cards.ts";
import {
  checkoutEvents,
  customerSubscriptionNow,
  endSale,
  openSale,
  openSaleShop,
  postSale,
  sessionNow,
  startSale,
} from "../support/checkout.ts";
import { collectionFact, reportFact, subscriptionNow } from "../support/gateway-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.12 and 3.9, decisions.md#a-session-sells-once: a session sells once, however often and for whatever its payer tries. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const paymentNow = async ({ shop }: CardShop, reference: string): Promise<Shown> =>
  (await shop.get(`/transactions/${reference}`)).body;
const alertsAbout = async ({ shop }: CardShop, reference: string) =>
  (await mailsOf(api.services, shop.organisation, { kind: "staff_alert" })).filter(({ text }) =>
    text.includes(reference),
  );
const notify = ({ staff }: CardShop, reference: string, status: string) =>
  staff("POST", "/sandbox/notify", { reference, status });

/** A payer who has begun to pay one plan, and then another. */
async function switched() {
  const sale = await openSaleShop(api);
  const { stage, packageId } = sale;
  const plans = [await sale.addPlan({}), await sale.addPlan({ name: "Other", amount: 200 })] as const;
  const session = await sale.addSession({ packageId });
  const url = String(session["checkoutUrl"]);
  const begin = async (plan: string) => {
    const attempt = await startSale(stage, url, { plan });
    return { ...attempt, plan, subscription: (await sessionNow(stage, session["id"]))["subscriptionId"] };
  };
  return { ...sale, session, url, attempts: [await begin(plans[0]), await begin(plans[1])] as const };
}

describe("a payer who switches the plan and pays both", () => {
  for (const [firstPaid, isEnded] of [
    [0, true],
    [1, true],
    [0, false],
    [1, false],
  ] as const)
    test(`has number ${firstPaid + 1}, paid first; the other, ${isEnded ? "ended by then" : "not ended yet"}, is cancelled, its money is credit, and staff are told`, async () => {
      const { stage, session, attempts } = await switched();
      const [kept, other] = firstPaid === 0 ? attempts : attempts.toReversed();
      assert(kept && other);
      await choose(stage, kept.gatewayUrl, choiceOf(VISA));
      if (isEnded) {
        await stage.move("2027-03-01T10:00:01.000Z");
        assert.equal((await customerSubscriptionNow(stage, other.subscription))["status"], "cancelled");
      }
      await choose(stage, other.gatewayUrl, choiceOf(VISA));
      await stage.move("2027-03-01T10:00:02.000Z");
      const done = await sessionNow(stage, session["id"]);
      assert.deepEqual(
        [done["status"], done["planId"], done["subscriptionId"], (done["transaction"] as Shown)["reference"]],
        ["completed", kept.plan, kept.subscription, kept.reference],
      );
      assert.equal((await customerSubscriptionNow(stage, kept.subscription))["status"], "active");
      assert.equal((await customerSubscriptionNow(stage, other.subscription))["status"], "cancelled");
      const [paid, second] = [await paymentNow(stage, kept.reference), await paymentNow(stage, other.reference)];
      assert.deepEqual([paid["status"], paid["flags"]], ["complete", []]);
      assert.deepEqual([second["status"], second["flags"]], ["complete", ["overpaid"]]);
      const { body: standing } = await stage.shop.get(`/customers/${done["customerId"]}/standing`);
      assert.deepEqual([standing["credit"], standing["balance"]], [second["amount"], 0]);
      await stage.move("2027-03-01T10:00:05.000Z");
      assert.equal((await alertsAbout(stage, other.reference)).length, 1);
      assert.equal((await alertsAbout(stage, kept.reference)).length, 0);
      assert.equal((await checkoutEvents(stage)).length, 1);
      await stage.move("2027-04-03T10:00:00.000Z");
      assert.equal(
        (await customerSubscriptionNow(stage, other.subscription))["cyclesBilled"],
        1,
        "it is billed no more",
      );
    });

  test("at once, has one of them", async () => {
    for (let round = 0; round < 3; round++) {
      const { stage, attempts } = await switched();
      await Promise.all(attempts.map(({ gatewayUrl }) => choose(stage, gatewayUrl, choiceOf(VISA))));
      await stage.move("2027-03-01T10:00:02.000Z");
      const statuses = await Promise.all(
        attempts.map(async ({ subscription }) => (await customerSubscriptionNow(stage, subscription))["status"]),
      );
      assert.deepEqual(statuses.toSorted(), ["active", "cancelled"]);
      const flags = await Promise.all(
        attempts.map(async ({ reference }) => (await paymentNow(stage, reference))["flags"]),
      );
      assert.deepEqual(flags.flat(), ["overpaid"]);
    }
  });
});

test("a free trial after a failed payment completes the session without it, and ends what it was for", async () => {
  const { stage, packageId, addPlan, addSession } = await openSaleShop(api);
  const paid = await addPlan({});
  const trial = await addPlan({ name: "Trial", trialDays: 7 });
  const session = await addSession({ packageId });
  const url = String(session["checkoutUrl"]);
  const first = await startSale(stage, url, { plan: paid });
  await endSale(stage, first, "failed");
  const { subscriptionId: ended } = await sessionNow(stage, session["id"]);
  const answer = await postSale(stage, url, { email: "thandi@example.co.za", firstName: "Thandi", plan: trial });
  assert.equal(answer.status, 303, answer.text);
  const result = await openSale(stage, String(answer.headers.location));
  assert.match(result.text, /<h1[^>]*>You are signed up<\/h1>/);
  const done = await sessionNow(stage, session["id"]);
  assert.deepEqual([done["status"], done["planId"], done["transaction"]], ["completed", trial, null]);
  assert.equal((await customerSubscriptionNow(stage, done["subscriptionId"]))["status"], "trialing");
  await stage.move("2027-03-01T10:00:02.000Z");
  assert.equal((await customerSubscriptionNow(stage, ended))["status"], "cancelled");
  await notify(stage, first.reference, "complete");
  assert.deepEqual((await paymentNow(stage, first.reference))["flags"], ["overpaid"]);
  assert.equal((await customerSubscriptionNow(stage, ended))["status"], "cancelled");
  assert.equal((await sessionNow(stage, session["id"]))["transaction"], null);
});

test("whoever tries again on the link of a session finds what they entered", async () => {
  const { stage, addProduct, addSession } = await openSaleShop(api);
  const design = { fields: { phone: "optional", company: "optional", address: "optional", vatNumber: "optional" } };
  const { body: before } = await stage.staff("GET", "/checkout-pages");
  assert.equal((await stage.staff("PUT", "/checkout-pages", { ...before, ...design })).status, 200);
  const prefill = { firstName: "Thandi", company: "Karoo Books" };
  const session = await addSession({ productId: await addProduct(), customer: prefill });
  const url = String(session["checkoutUrl"]);
  const entered = {
    email: "thandi@example.co.za",
    firstName: "Thandiwe",
    lastName: "Nkosi",
    phone: "082 000 0000",
    address: "1 Long Street",
    vatNumber: "4123456789",
  };
  const { page } = await endSale(stage, await startSale(stage, url, entered), "failed");
  assert.ok(page.text.includes("Try again"), page.text);
  const again = (await openSale(stage, url)).text;
  for (const value of Object.values({ ...entered, company: prefill.company })) assert.ok(again.includes(value), value);
  const { status, prefill: shown } = await sessionNow(stage, session["id"]);
  assert.deepEqual([status, shown], ["failed", prefill], "the session shows what it was made with");
  await startSale(stage, url, { ...entered, email: "other@example.co.za" });
  assert.match((await openSale(stage, url)).text, /value="other@example\.co\.za"/, "their address is not fixed");
});

test("a coupon stays counted for what was paid when another attempt fails", async () => {
  const { stage, addProduct, packageId, addPlan, addSession } = await openSaleShop(api);
  const { body: coupon } = await stage.staff<Shown>("POST", "/coupons", { code: "TEN", percent: 10 });
  const redemptions = async () => (await stage.staff<Shown>("GET", `/coupons/${coupon["id"]}`)).body["redemptions"];
  const plan = await addPlan({});
  for (const [sold, counted] of [
    [{ productId: await addProduct() }, 1],
    [{ packageId, planId: plan }, 2],
  ] as const) {
    const url = String((await addSession({ ...sold, couponCode: "TEN" }))["checkoutUrl"]);
    const [one, two] = [await startSale(stage, url), await startSale(stage, url)];
    await choose(stage, one.gatewayUrl, choiceOf(VISA));
    assert.equal(await redemptions(), counted);
    await notify(stage, two.reference, "failed");
    assert.equal(await redemptions(), counted);
  }
});

describe("a recurring product that is paid twice", () => {
  test("in two tabs: one subscription runs, the other is cancelled, its payment is credit", async () => {
    const { stage, addProduct, addSession } = await openSaleShop(api);
    const productId = await addProduct({ recurring: { frequency: "monthly" } });
    const url = String((await addSession({ productId }))["checkoutUrl"]);
    const tabs = [await startSale(stage, url), await startSale(stage, url)];
    for (const { gatewayUrl } of tabs) await choose(stage, gatewayUrl, { outcome: "complete", card: VISA });
    const paid = await Promise.all(tabs.map(({ reference }) => paymentNow(stage, reference)));
    assert.deepEqual(
      paid.map(({ flags }) => flags),
      [[], ["overpaid"]],
    );
    const begun = await Promise.all(paid.map(({ subscriptionId }) => subscriptionNow(stage, String(subscriptionId))));
    assert.deepEqual(
      begun.map(({ status }) => status),
      ["active", "cancelled"],
    );
  });

  test("under one reference at the gateway: the second payment is booked as one of its own", async () => {
    const { stage, addProduct, addSession } = await openSaleShop(api);
    const productId = await addProduct({ recurring: { frequency: "monthly" } });
    const session = await addSession({ productId });
    const { reference } = await startSale(stage, String(session["checkoutUrl"]));
    const fact = (n: number) =>
      collectionFact(
        reference,
        { key: `sub_${n}_${reference}`, providerRef: `pay_${n}_${reference}` },
        { amount: 11_500 as never },
      );
    assert.equal(await reportFact(stage, fact(1)), "applied");
    const told = await Promise.all(Array.from({ length: 5 }, () => reportFact(stage, fact(2))));
    assert.deepEqual(told.toSorted(), ["applied", ...Array(4).fill("repeated")]);
    const [kept, second] = [
      await paymentNow(stage, reference),
      await paymentNow(stage, `${reference}-pay_2_${reference}`),
    ];
    assert.deepEqual([kept["flags"], second["status"], second["flags"]], [[], "complete", ["overpaid"]]);
    assert.equal((await subscriptionNow(stage, String(kept["subscriptionId"])))["status"], "active");
    assert.equal((await subscriptionNow(stage, String(second["subscriptionId"])))["status"], "cancelled");
    const done = await sessionNow(stage, session["id"]);
    assert.deepEqual(
      [done["status"], (done["transaction"] as Shown)["reference"], done["subscriptionId"]],
      ["completed", reference, kept["subscriptionId"]],
    );
    assert.deepEqual(
      (await eventsOf(stage, "subscription.%")).map(({ type }) => type),
      ["subscription.activated", "subscription.cancelled"],
    );
  });
});
