import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, type CardShop, eventsOf } from "../support/cards.ts";
import {
  addRecurringLink,
  chargesNow,
  MISSING,
  openSubscriptionShop,
  subscribe,
  subscriptionNow,
} from "../support/subscriptions.ts";
import { faultsOf } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(async () => {
  const faults = await faultsOf(api);
  await api.close();
  assert.deepEqual(faults, []);
});

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, at) =>
        permutations(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]),
      );
const ORDERS = permutations(["pending", "failed", "cancelled", "complete"]);

/** The gateway reports these statuses of a payment, one after the other. */
async function report(shop: CardShop, reference: string, order: readonly string[]): Promise<void> {
  for (const status of order) {
    const answer = await shop.staff("POST", "/sandbox/notify", { reference, status });
    assert.equal(answer.status, 200, answer.text);
  }
}

const entriesOf = async (reference: string): Promise<number> =>
  (await api.query("select from journal_entries where subject = $1", reference)).length;

test("every order of four notifications of a first payment begins one subscription and posts one payment", async () => {
  const shop = await openSubscriptionShop(api);
  for (const order of ORDERS) {
    const { reference } = await begin(shop, String((await addRecurringLink(shop))["url"]));
    await report(shop, reference, order);
    const payment = (await shop.shop.get(`/transactions/${reference}`)).body;
    const what = order.join(", ");
    assert.equal(payment["status"], "complete", what);
    assert.equal((await subscriptionNow(shop, String(payment["subscriptionId"])))["status"], "active", what);
    assert.equal(await entriesOf(reference), 1, what);
  }
  assert.equal((await eventsOf(shop, "subscription.activated")).length, ORDERS.length);
});

test("every order of four notifications of a renewal that was missed ends in one charge", async () => {
  const shop = await openSubscriptionShop(api);
  const begun = [];
  for (const order of ORDERS) begun.push({ order, ...(await subscribe(shop, MISSING)) });
  await shop.move("2027-04-01T10:00:00Z");
  for (const { order, id } of begun) {
    const [missed] = await chargesNow(shop, id);
    const reference = String(missed?.["reference"]);
    await report(shop, reference, order);
    const what = order.join(", ");
    assert.deepEqual(
      (await chargesNow(shop, id)).map(({ status }) => status),
      ["complete", "complete"],
      what,
    );
    assert.equal((await subscriptionNow(shop, id))["status"], "active", what);
    assert.equal(await entriesOf(reference), 1, what);
  }
  assert.equal((await eventsOf(shop, "subscription.charged")).length, ORDERS.length);
});
