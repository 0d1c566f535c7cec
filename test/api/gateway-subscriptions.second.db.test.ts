import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, type CardShop, choose, eventsOf, type Shown, VISA } from "../support/cards.ts";
import {
  addRecurringLink,
  chargesNow,
  collectionFact,
  openSubscriptionShop,
  reportFact,
  subscriptionNow,
} from "../support/gateway-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

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
const listed = async ({ shop }: CardShop) => (await shop.get<{ data: Shown[] }>("/subscriptions")).body.data;

describe("a single-use recurring link that is paid in two tabs", () => {
  for (const [how, together] of [
    ["one after the other", false],
    ["at once", true],
  ] as const)
    test(`${how}: one subscription runs; the other is cancelled here and at its gateway, its payment is flagged and staff are told`, async () => {
      const shop = await openSubscriptionShop(api);
      for (let round = 0; round < (together ? 5 : 1); round++) {
        const link = await addRecurringLink(shop, { singleUse: true });
        const url = String(link["url"]);
        const tabs = [await begin(shop, url), await begin(shop, url)];
        const pay = (gatewayUrl: string) => choose(shop, gatewayUrl, { outcome: "complete", card: VISA });
        if (together) await Promise.all(tabs.map(({ gatewayUrl }) => pay(gatewayUrl)));
        else for (const { gatewayUrl } of tabs) await pay(gatewayUrl);
        const paid = await Promise.all(tabs.map(({ reference }) => paymentNow(shop, reference)));
        assert.deepEqual(
          paid.map(({ status }) => status),
          ["complete", "complete"],
        );
        const subscriptions = await Promise.all(
          paid.map(({ subscriptionId }) => subscriptionNow(shop, String(subscriptionId))),
        );
        assert.deepEqual(subscriptions.map(({ status }) => status).toSorted(), ["active", "cancelled"]);
        const begun = subscriptions.find(({ status }) => status === "active")?.["id"];
        const { subscription } = (await shop.shop.get(`/payment-links/${link["id"]}`)).body;
        assert.deepEqual(subscription, { id: begun, status: "active" });
        await shop.move(`2027-03-01T10:00:0${round + 1}Z`);
        for (const [at, { flags, reference }] of paid.entries()) {
          const isSecond = subscriptions[at]?.["status"] === "cancelled";
          assert.deepEqual(flags, isSecond ? ["overpaid"] : []);
          assert.equal((await alertsAbout(shop, String(reference))).length, isSecond ? 1 : 0);
        }
      }
      const rounds = (await listed(shop)).length / 2;
      await shop.move("2027-04-02T10:00:00Z");
      assert.equal((await eventsOf(shop, "subscription.charged")).length, rounds, "the gateway collects one");
    });

  test("a link for many payers begins a subscription for each", async () => {
    const shop = await openSubscriptionShop(api);
    const url = String((await addRecurringLink(shop, { singleUse: false }))["url"]);
    for (const { gatewayUrl } of [await begin(shop, url), await begin(shop, url)])
      await choose(shop, gatewayUrl, { outcome: "complete", card: VISA });
    assert.deepEqual(
      (await listed(shop)).map(({ status }) => status),
      ["active", "active"],
    );
  });
});

describe("a gateway's page that is paid a second time, under the same reference", () => {
  const twice = async (shop: CardShop, body: object) => {
    const { reference } = await begin(shop, String((await addRecurringLink(shop, body))["url"]));
    const first = collectionFact(reference, { key: `sub_1_${reference}`, providerRef: `pay_1_${reference}` });
    const second = collectionFact(reference, { key: `sub_2_${reference}`, providerRef: `pay_2_${reference}` });
    return { reference, first, second, secondReference: `${reference}-pay_2_${reference}` };
  };

  for (const singleUse of [true, false])
    test(`singleUse ${singleUse}: the second payment is booked as one of its own, flagged, and its subscription is cancelled`, async () => {
      const shop = await openSubscriptionShop(api);
      const { reference, first, second, secondReference } = await twice(shop, { singleUse });
      assert.equal(await reportFact(shop, first), "applied");
      const told = await Promise.all(Array.from({ length: 10 }, () => reportFact(shop, second)));
      assert.deepEqual(told.toSorted(), ["applied", ...Array(9).fill("repeated")]);
      const [kept, flagged] = [await paymentNow(shop, reference), await paymentNow(shop, secondReference)];
      assert.deepEqual([kept["status"], kept["flags"]], ["complete", []]);
      assert.deepEqual(
        [flagged["status"], flagged["flags"], flagged["amount"], flagged["renewal"], flagged["providerRef"]],
        ["complete", ["overpaid"], 100, false, `pay_2_${reference}`],
      );
      assert.equal((await subscriptionNow(shop, String(kept["subscriptionId"])))["status"], "active");
      assert.equal((await subscriptionNow(shop, String(flagged["subscriptionId"])))["status"], "cancelled");
      await shop.move("2027-03-01T10:00:01Z");
      const alerts = (await alertsAbout(shop, secondReference)).map(({ subject }) => subject);
      assert.equal(alerts.filter((subject) => /too much was paid/.test(subject)).length, 1);
      assert.equal(alerts.filter((subject) => /was not cancelled/.test(subject)).length, 1, "no gateway knows it");
      assert.deepEqual(
        (await eventsOf(shop, "subscription.%")).map(({ type }) => type),
        ["subscription.activated", "subscription.cancelled"],
      );
      const refund = await shop.staff("POST", `/transactions/${secondReference}/refunds`, { method: "manual" });
      assert.equal(refund.status, 201, refund.text);
    });

  test("both reported at once, before either was known: one begins, the other is cancelled", async () => {
    const shop = await openSubscriptionShop(api);
    for (let round = 0; round < 5; round++) {
      const { first, second } = await twice(shop, { singleUse: false });
      assert.deepEqual(await Promise.all([first, second].map((fact) => reportFact(shop, fact))), [
        "applied",
        "applied",
      ]);
      const statuses = (await listed(shop)).slice(0, 2).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), ["active", "cancelled"]);
    }
  });

  test("a later collection of the first subscription is one of its charges all the same", async () => {
    const shop = await openSubscriptionShop(api);
    const { reference, first, second } = await twice(shop, {});
    for (const fact of [first, second, { ...first, providerRef: "renewal_1" }]) await reportFact(shop, fact);
    const { subscriptionId } = await paymentNow(shop, reference);
    const [renewal] = await chargesNow(shop, String(subscriptionId));
    assert.deepEqual([renewal?.["providerRef"], renewal?.["renewal"]], ["renewal_1", true]);
  });
});
