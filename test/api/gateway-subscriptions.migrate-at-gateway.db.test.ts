import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { cents } from "../../src/kernel/money.ts";
import type { CalendarDay } from "../../src/kernel/time.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, type CardShop, choiceOf, choose, eventsOf, type Shown, VISA } from "../support/cards.ts";
import {
  chargesNow,
  collectionFact,
  openSubscriptionShop,
  reportFact,
  subscriptionNow,
} from "../support/gateway-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { addMigrationAtGateway } from "../support/migrations-at-gateway.ts";
import { closeVerified } from "../support/verified.ts";

/* Migrations that were begun before their subscriptions were customer subscriptions: the gateway runs theirs (interface 4.7). */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const list = async (shop: CardShop) => (await shop.shop.get<{ data: Shown[] }>("/subscriptions/migrations")).body.data;
const act = (shop: CardShop, migration: Shown | undefined, action: string) =>
  shop.shop.call("POST", `/subscriptions/migrations/${migration?.["id"]}/${action}`);

/** Migrations that were begun before, oldest first, as the API shows them. */
async function begunBefore(shop: CardShop, ...references: string[]): Promise<Shown[]> {
  const ctx = await shop.shop.ctx();
  const nextDate = "2027-03-15" as CalendarDay;
  for (const legacyReference of references)
    await api.services.db.transaction(ctx.organisation.id, (tx) =>
      addMigrationAtGateway(tx, ctx, { legacyReference, nextDate }),
    );
  return (await list(shop)).slice(0, references.length).toReversed();
}

const CARD = {
  brand: "visa",
  last4: "4242",
  expiryMonth: 12,
  expiryYear: 2030,
  holderName: null,
  fingerprint: "4242",
} as const;

/** The payer confirms the card on the page. */
async function confirm(shop: CardShop, migration: Shown | undefined): Promise<string> {
  const { reference, gatewayUrl } = await begin(shop, String(migration?.["checkoutUrl"]));
  await choose(shop, gatewayUrl, choiceOf(VISA));
  return reference;
}

describe("the page of a migration that is paid again under the same reference", () => {
  const twice = async (shop: CardShop, legacyReference: string) => {
    const [migration = {}] = await begunBefore(shop, legacyReference);
    const { reference } = await begin(shop, String(migration["checkoutUrl"]));
    const told = (n: number) =>
      collectionFact(
        reference,
        { key: `sub_${n}_${reference}`, providerRef: `pay_${n}_${reference}` },
        { amount: cents(100), card: { ...CARD, token: `tok_${n}` } },
      );
    return { migration, reference, told };
  };

  test("the second subscription is cancelled at once, here and at its gateway; its 1.00 is credited too", async () => {
    const shop = await openSubscriptionShop(api);
    const { migration, reference, told } = await twice(shop, "twice");
    assert.equal(await reportFact(shop, told(1)), "applied");
    for (const n of [2, 3]) {
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => reportFact(shop, told(n))));
      assert.deepEqual(outcomes.toSorted(), ["applied", ...Array(9).fill("repeated")]);
    }
    assert.equal((await list(shop))[0]?.["status"], "authorised");
    const subscriptions = (await shop.shop.get<{ data: Shown[] }>("/subscriptions")).body.data;
    assert.deepEqual(
      subscriptions.map(({ status }) => status),
      ["cancelled", "cancelled", "active"],
    );
    assert.equal(subscriptions[2]?.["id"], migration["subscriptionId"]);
    const { body: second } = await shop.shop.get(`/transactions/${reference}-pay_2_${reference}`);
    assert.deepEqual([second["status"], second["type"], second["amount"]], ["complete", "card_setup", 1]);
    await shop.move("2027-03-01T10:00:01Z");
    const notes = (await shop.shop.get<{ data: Shown[] }>("/credit-notes")).body.data;
    assert.equal(notes.length, 3);
    const alerts = await mailsOf(api.services, shop.shop.organisation, { kind: "staff_alert" });
    assert.equal(alerts.filter(({ subject }) => /was not cancelled/.test(subject)).length, 2, "no gateway knows them");
  });

  test("both reported at once: one runs, the other is cancelled", async () => {
    const shop = await openSubscriptionShop(api);
    for (let round = 0; round < 5; round++) {
      const { told } = await twice(shop, `at-once-${round}`);
      const outcomes = await Promise.all([1, 2].map((n) => reportFact(shop, told(n))));
      assert.deepEqual(outcomes, ["applied", "applied"]);
      const statuses = (await shop.shop.get<{ data: Shown[] }>("/subscriptions")).body.data.slice(0, 2);
      assert.deepEqual(statuses.map(({ status }) => status).toSorted(), ["active", "cancelled"]);
    }
  });
});

test("one is confirmed by 1.00, runs at its gateway, and is first charged on its date", async () => {
  const shop = await openSubscriptionShop(api);
  const [first] = await begunBefore(shop, "old-1");
  assert.deepEqual([first?.["amount"], first?.["frequency"], first?.["status"]], [120, "monthly", "link_sent"]);
  const id = String(first?.["subscriptionId"]);
  assert.equal((await subscriptionNow(shop, id))["status"], "pending");
  const reference = await confirm(shop, first);
  const payment = (await shop.shop.get(`/transactions/${reference}`)).body;
  assert.deepEqual([payment["type"], payment["amount"], payment["subscriptionId"]], ["card_setup", 1, id]);
  assert.equal((await subscriptionNow(shop, id))["status"], "active");
  assert.equal((await list(shop))[0]?.["status"], "authorised");
  assert.deepEqual(
    (await eventsOf(shop, "subscription.%")).map(({ type }) => type),
    ["subscription.activated"],
  );
  await shop.move("2027-03-14T10:00:00Z");
  assert.equal((await chargesNow(shop, id)).length, 1);
  await shop.move("2027-04-16T10:00:00Z");
  assert.deepEqual(
    (await chargesNow(shop, id)).map(({ amount }) => amount),
    [120, 120, 1],
  );
  assert.equal((await act(shop, first, "cancel-legacy")).body["status"], "legacy_cancelled");
});

test("the link of one that has expired is sent anew; a cancelled one takes its subscription along", async () => {
  const shop = await openSubscriptionShop(api);
  const [late, never] = await begunBefore(shop, "late", "never");
  await shop.move("2027-03-10T10:00:00Z");
  const sent = await act(shop, late, "send-link");
  assert.notEqual(sent.body["checkoutUrl"], late?.["checkoutUrl"]);
  await confirm(shop, sent.body);
  assert.equal((await subscriptionNow(shop, String(late?.["subscriptionId"])))["status"], "active");
  assert.equal((await act(shop, never, "cancel")).body["status"], "cancelled");
  assert.equal((await subscriptionNow(shop, String(never?.["subscriptionId"])))["status"], "cancelled");
  const page = await api.call("GET", new URL(String(never?.["checkoutUrl"])).pathname);
  assert.doesNotMatch(page.text, /name="gateway"/);
});
