import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import {
  AMEX,
  addSetup,
  begin,
  type CardShop,
  cardsNow,
  choiceOf,
  choose,
  DINERS,
  eventsOf,
  MASTERCARD,
  openCardShop,
  type Shown,
  setupNow,
  VISA,
} from "../support/cards.ts";
import { eventually } from "../support/processes.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const notes = async ({ shop }: CardShop) => (await shop.get<{ data: Shown[] }>("/credit-notes")).body.data;
/** The gateway does not wait for long: on a busy machine its browser is back before the last of many reports is applied. */
const applied = (shop: CardShop, reports: number) =>
  eventually(`${reports} reports are applied`, async () => (await notes(shop)).length >= reports);

test("of 20 callers with one key one session comes; of 20 attempts on it one card and 20 credits", async () => {
  const shop = await openCardShop(api);
  const path = `/customers/${shop.customer}/cards/setup`;
  const made = await Promise.all(
    Array.from({ length: 20 }, () => shop.shop.post(path, {}, { headers: { "idempotency-key": "k" } })),
  );
  assert.deepEqual([...new Set(made.map(({ status, body }) => `${status} ${body["id"]}`))].length, 1);
  const setup = made[0]?.body ?? {};
  const begun = [];
  for (let n = 0; n < 20; n++) begun.push(await begin(shop, String(setup["url"])));
  await Promise.all(begun.map(({ gatewayUrl }) => choose(shop, gatewayUrl, choiceOf(VISA))));
  await applied(shop, 20);
  assert.equal((await cardsNow(shop)).length, 1);
  assert.equal((await notes(shop)).length, 20);
  assert.equal((await eventsOf(shop, "customer.payment_method.added")).length, 1);
});

test("20 notifications at once of one payment credit its 1.00 once", async () => {
  const shop = await openCardShop(api);
  const setup = await addSetup(shop);
  const { reference, gatewayUrl } = await begin(shop, String(setup["url"]));
  await choose(shop, gatewayUrl, { outcome: "failed", card: VISA });
  const sent = await shop.staff("POST", "/sandbox/notify", { reference, status: "complete", times: 20 });
  assert.deepEqual(sent.body["answers"], Array(20).fill(200));
  assert.equal((await notes(shop)).length, 1);
  assert.equal((await eventsOf(shop, "credit_note.issued")).length, 1);
  assert.equal((await eventsOf(shop, "payment.complete")).length, 1);
});

test("of 20 payments at once on one session, by four cards, the first alone completes it, and its card is the default", async () => {
  for (let round = 0; round < 3; round++) {
    const shop = await openCardShop(api);
    const setup = await addSetup(shop);
    const begun = [];
    for (let n = 0; n < 20; n++) begun.push(await begin(shop, String(setup["url"])));
    const numbers = [VISA, MASTERCARD, AMEX, DINERS];
    await Promise.all(begun.map(({ gatewayUrl }, n) => choose(shop, gatewayUrl, choiceOf(numbers[n % 4] ?? VISA))));
    await applied(shop, 20);
    const added = await eventsOf(shop, "customer.payment_method.added");
    const cards = await cardsNow(shop);
    assert.deepEqual([added.length, cards.length, (await notes(shop)).length], [4, 4, 20]);
    const first = added[0]?.data["id"];
    assert.equal((await setupNow(shop, setup))["cardId"], first);
    assert.deepEqual(
      cards.filter(({ isDefault }) => isDefault).map(({ id }) => id),
      [first],
    );
  }
});
