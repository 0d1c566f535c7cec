import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type TestApi } from "../support/api.ts";
import { addCard, begin, type CardShop, choiceOf, choose, eventsOf, openCardShop, VISA } from "../support/cards.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { faultsOf } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

type Step = {
  match: { kind: string; customerId?: string; subscriptionId?: string; nth?: number };
  outcome: string;
  delayDays?: number;
};
type Told = { data: { id: string; usedBy: string | null; seen: number }[] };

const tell = (shop: ApiMerchant, ...steps: Step[]) => shop.post<Told>("/sandbox/outcomes", { steps });
const statusOf = async (shop: ApiMerchant, reference: string) =>
  (await shop.get<{ status: string }>(`/transactions/${reference}`)).body.status;

/** A shop with a saved card, and a key that may charge it. The clock stands at 1 March 2027. */
async function openShop() {
  const shop = await openCardShop(api);
  await addCard(shop);
  const { key } = await shop.shop.addKey(["charge_saved_cards"]);
  let charges = 0;
  const charge = async () => {
    const body = { amount: 50, description: "Membership", externalReference: `C-${++charges}` };
    const path = `/customers/${shop.customer}/cards/default/charges`;
    return shop.shop.post<{ reference: string; status: string }>(path, body, { key });
  };
  return { ...shop, charge };
}

/** Two business days after a charge of 1 March 2027. */
const SETTLED = "2027-03-02T22:00:00.000Z";

describe("what the sandbox gateway is told of charges of saved cards", () => {
  for (const [outcome, status] of [
    ["complete", "complete"],
    ["declined", "failed"],
    ["insufficient_funds", "failed"],
    ["card_error", "failed"],
    ["pending", "pending"],
    ["unclear", "complete"],
    ["disputed", "complete"],
  ] as const)
    test(`${outcome}: the charge is ${status} when it is settled`, async () => {
      const { charge, shop, move } = await openShop();
      const told = await tell(shop, { match: { kind: "card_charge" }, outcome });
      assert.equal(told.status, 201, told.text);
      const { reference } = (await charge()).body;
      assert.equal(await statusOf(shop, reference), "pending");
      await move(SETTLED);
      await move("2027-03-04T08:00:00.000Z");
      assert.equal(await statusOf(shop, reference), status);
      const { body } = await shop.get<{ data: { status: string }[] }>("/disputes");
      assert.deepEqual(
        body.data.map((dispute) => dispute.status),
        outcome === "disputed" ? ["open"] : [],
      );
      const listed = await shop.get<Told>("/sandbox/outcomes");
      assert.equal(listed.body.data[0]?.usedBy, reference);
      assert.deepEqual(await faultsOf(api, shop.organisation), []);
    });

  test("a step is used once, by the attempt that it counts to, of its customer", async () => {
    const { charge, shop, move, customer } = await openShop();
    await tell(
      shop,
      { match: { kind: "card_charge", nth: 2 }, outcome: "declined" },
      { match: { kind: "card_charge", customerId: "cus_other" }, outcome: "card_error" },
      { match: { kind: "card_charge", customerId: customer, nth: 3 }, outcome: "insufficient_funds", delayDays: 5 },
    );
    const made: string[] = [];
    for (let n = 0; n < 4; n++) made.push((await charge()).body.reference);
    await move(SETTLED);
    const statuses = () => Promise.all(made.map((reference) => statusOf(shop, reference)));
    assert.deepEqual(await statuses(), ["complete", "failed", "pending", "complete"]);
    await move("2027-03-06T08:00:00.000Z");
    assert.deepEqual(await statuses(), ["complete", "failed", "failed", "complete"]);
  });
});

test("a payer's payment ends as the gateway was told, and one who leaves uses no step", async () => {
  const shop = await openCardShop(api);
  const link = (await shop.shop.post<{ url: string }>("/payment-links", { title: "Order", amount: 80 })).body;
  await tell(shop.shop, { match: { kind: "payment" }, outcome: "declined" });
  const left = await begin(shop, link.url);
  await choose(shop, left.gatewayUrl, { outcome: "cancelled" });
  assert.equal(await statusOf(shop.shop, left.reference), "cancelled");
  const declined = await begin(shop, link.url);
  await choose(shop, declined.gatewayUrl, choiceOf(VISA));
  assert.equal(await statusOf(shop.shop, declined.reference), "failed");
  const paid = await begin(shop, link.url);
  await choose(shop, paid.gatewayUrl, choiceOf(VISA));
  assert.equal(await statusOf(shop.shop, paid.reference), "complete");
});

test("a refund is refused as the gateway was told, then made", async () => {
  const shop: CardShop = await openCardShop(api);
  const link = (await shop.shop.post<{ url: string }>("/payment-links", { title: "Order", amount: 80 })).body;
  const { reference, gatewayUrl } = await begin(shop, link.url);
  await choose(shop, gatewayUrl, choiceOf(VISA));
  await tell(shop.shop, { match: { kind: "refund" }, outcome: "declined" });
  const refund = () => shop.shop.post(`/transactions/${reference}/refunds`, { amount: 10 });
  assert.notEqual((await refund()).status, 201);
  assert.equal((await refund()).status, 201);
  assert.ok((await eventsOf(shop, "refund.failed")).length > 0);
  assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
});

test("steps are checked, are for sandboxes alone, and those that wait can be taken back", async () => {
  const { shop } = await openCardShop(api);
  for (const steps of [
    [],
    [{ match: { kind: "payout" }, outcome: "complete" }],
    [{ match: { kind: "refund" }, outcome: "lost" }],
    [{ match: { kind: "refund", nth: 0 }, outcome: "complete" }],
    [{ match: { kind: "refund" }, outcome: "pending", delayDays: 1 }],
    [{ match: {}, outcome: "complete" }],
    [{ outcome: "complete" }],
  ])
    assert.equal((await shop.post("/sandbox/outcomes", { steps })).status, 400, JSON.stringify(steps));
  await tell(
    shop,
    { match: { kind: "debit" }, outcome: "disputed" },
    { match: { kind: "renewal" }, outcome: "declined" },
  );
  assert.deepEqual((await shop.call("DELETE", "/sandbox/outcomes")).body, { deleted: 2 });
  assert.deepEqual((await shop.get<Told>("/sandbox/outcomes")).body.data, []);
  const live = await api.addMerchant({ sandbox: false });
  assert.equal((await tell(live, { match: { kind: "refund" }, outcome: "complete" })).status, 403);
  for (const path of ["/sandbox/outcomes", "/sandbox/notify", "/test-clock", "/test-clock/snapshots"])
    assert.equal((await live.post(path, { steps: [], name: 1 })).status, 403, path);
});

test("a debit is returned unpaid as the gateway was told, and the next one is collected", async () => {
  const shop = await openMandateShop(api);
  for (let n = 0; n < 2; n++) await addActiveMandate(shop);
  await tell(shop.shop, { match: { kind: "debit" }, outcome: "insufficient_funds" });
  await shop.move("2027-04-10T10:00:00.000Z");
  const { body } = await shop.shop.get<{ data: { reference: string; status: string }[] }>(
    "/transactions?type=debit_order",
  );
  assert.deepEqual(body.data.map(({ status }) => status).toSorted(), ["complete", "failed"]);
  assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
});

for (const [outcome, status] of [
  ["complete", "complete"],
  ["declined", "failed"],
] as const)
  test(`a debit that is told to be late and ${outcome} is pending when its batch settles, and ${status} three days later`, async () => {
    const shop = await openMandateShop(api);
    for (let n = 0; n < 2; n++) await addActiveMandate(shop);
    await tell(shop.shop, { match: { kind: "debit" }, outcome, delayDays: 3 });
    const statuses = async () => {
      const { body } = await shop.shop.get<{ data: { status: string }[] }>("/transactions?type=debit_order");
      return body.data.map((debit) => debit.status).toSorted();
    };
    // The batch of 25 March settles on the second business day after Easter.
    await shop.move("2027-03-31T10:00:00.000Z");
    assert.deepEqual(await statuses(), ["complete", "pending"]);
    assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
    await shop.move("2027-04-02T10:00:00.000Z");
    assert.deepEqual(await statuses(), ["complete", "pending"]);
    await shop.move("2027-04-03T10:00:00.000Z");
    assert.deepEqual(await statuses(), ["complete", status].toSorted());
    assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
  });

test("a renewal of a subscription fails as the gateway was told, and its retry is collected", async () => {
  const shop = await openCollectingShop(api);
  const subscription = await shop.subscribe();
  await shop.pay(subscription);
  const match = { kind: "renewal", subscriptionId: subscription.id, nth: 1 };
  await tell(shop.shop, { match, outcome: "insufficient_funds" });
  await shop.move("2027-04-05T10:00:00.000Z");
  assert.equal((await shop.now(subscription.id)).status, "past_due");
  await shop.move("2027-04-20T10:00:00.000Z");
  assert.equal((await shop.now(subscription.id)).status, "active");
  assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
});
