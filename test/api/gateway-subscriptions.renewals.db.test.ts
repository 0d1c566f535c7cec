import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CARD_TOKEN_COLUMN } from "../../src/modules/gateway-subscriptions/store.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { type CardShop, eventsOf } from "../support/cards.ts";
import {
  chargesNow,
  collectionFact,
  openSubscriptionShop,
  reportFacts,
  subscribe,
  subscriptionNow,
} from "../support/gateway-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** The dates for which staff were told that a collection did not come. */
const alerts = async ({ shop }: CardShop): Promise<string[]> => {
  const mails = await mailsOf(api.services, shop.organisation, { kind: "staff_alert" });
  return mails
    .filter(({ subject }) => subject.includes("was not collected"))
    .map(({ text }) => /due on (\d+ \w+ \d{4})/.exec(text.replaceAll(/\s+/g, " "))?.[1] ?? text);
};
/** How often the gateway was asked how the subscription stands and answered. */
const answers = async (reference: string): Promise<number> =>
  (
    await api.query(
      "select from gateway_notifications where reference = $1 and source = 'query' and fact ->> 'about' = 'subscription'",
      reference,
    )
  ).length;

/** A subscription whose gateway stops collecting by itself on 1 April. */
async function silent() {
  const shop = await openSubscriptionShop(api);
  const { id, reference } = await subscribe(shop);
  await api.query(
    "update due_work set due_at = '2035-01-01' where kind = 'sandbox.renew' and organisation_id = $1",
    shop.shop.organisation.id,
  );
  const [row] = await api.query<{ link_key: string }>("select link_key from gateway_subscriptions where id = $1", id);
  const fact = (payment: string) => collectionFact(reference, { key: row?.link_key ?? "", providerRef: payment });
  return { shop, id, reference, fact };
}

test("a collection that tells a renewed card: the subscription is collected from it by hand, too", async () => {
  const { shop, id, fact } = await silent();
  const card = { token: "tok_new", brand: "mastercard", last4: "1111", expiryMonth: 5, expiryYear: 2031 } as const;
  await reportFacts(shop, [{ ...fact("renewed"), card: { ...card, holderName: null, fingerprint: "f" } }]);
  await reportFacts(shop, [{ ...fact("later"), card: null }]);
  const [row] = await api.query<{ token: string; brand: string; last4: string }>(
    "select card_token_sealed as token, card_brand as brand, card_last4 as last4 from gateway_subscriptions where id = $1",
    id,
  );
  const context = { organisation: shop.shop.organisation.id, column: CARD_TOKEN_COLUMN };
  const token = api.services.secrets.open(row?.token as never, context);
  assert.deepEqual({ ...row, token }, { token: "tok_new", brand: "mastercard", last4: "1111" });
});

describe("a renewal that was expected", () => {
  test("and has not come a day after its date: the gateway is asked, staff are told once, and it runs on", async () => {
    const { shop, id, reference } = await silent();
    await shop.move("2027-04-01T21:59:00Z");
    assert.deepEqual([await alerts(shop), await answers(reference)], [[], 0]);
    await shop.move("2027-04-01T22:00:00Z");
    assert.deepEqual([await alerts(shop), await answers(reference)], [["1 April 2027"], 1]);
    await shop.move("2027-04-30T10:00:00Z");
    assert.deepEqual([await alerts(shop), await answers(reference)], [["1 April 2027"], 1]);
    assert.equal((await subscriptionNow(shop, id))["status"], "active");
    assert.equal((await chargesNow(shop, id)).length, 1, "nothing is made up");
  });

  test("and comes late, once: it is booked as any other, and the next one is awaited on its own date", async () => {
    const { shop, id, fact } = await silent();
    await shop.move("2027-04-05T10:00:00Z");
    await Promise.all(Array.from({ length: 5 }, () => reportFacts(shop, [fact("late")])));
    assert.deepEqual(
      (await chargesNow(shop, id)).map(({ status, renewal }) => [status, renewal]),
      [
        ["complete", true],
        ["complete", false],
      ],
    );
    assert.equal((await eventsOf(shop, "subscription.charged")).length, 1);
    assert.deepEqual(await alerts(shop), ["1 April 2027"]);
    await shop.move("2027-05-01T22:00:00Z");
    assert.deepEqual(await alerts(shop), ["1 April 2027", "1 May 2027"]);
  });

  test("and never comes: staff are told once for each date", async () => {
    const { shop, reference } = await silent();
    await shop.move("2027-07-15T10:00:00Z");
    assert.deepEqual(await alerts(shop), ["1 April 2027", "1 May 2027", "1 June 2027", "1 July 2027"]);
    assert.equal(await answers(reference), 4);
  });

  test("of one that the gateway has cancelled meanwhile: the answer cancels it here, and nobody is told of a missing one", async () => {
    const { shop, id } = await silent();
    await api.query(
      "update sandbox_subscriptions set status = 'cancelled', updated_at = '2027-03-20T10:00:00Z' where organisation_id = $1",
      shop.shop.organisation.id,
    );
    await shop.move("2027-04-02T10:00:00Z");
    assert.equal((await subscriptionNow(shop, id))["status"], "cancelled");
    assert.equal((await eventsOf(shop, "subscription.cancelled")).length, 1);
    assert.deepEqual(await alerts(shop), []);
    await shop.move("2027-06-15T10:00:00Z");
    assert.deepEqual(await alerts(shop), []);
  });
});
