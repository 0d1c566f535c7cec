import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type Refusal, type TestApi } from "../support/api.ts";
import { begin, type CardShop, cardsNow, choiceOf, choose, eventsOf, type Shown, VISA } from "../support/cards.ts";
import { openSubscriptionShop } from "../support/gateway-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

/* What becomes of a migration's customer subscription until its card is confirmed, and which plan it has (interface 4.7). */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const rowOf = (legacyReference: string, more: object = {}) => ({
  payerName: "Thandi Nkosi",
  email: `${legacyReference}@example.co.za`,
  amount: 120,
  frequency: "monthly",
  nextDate: "2027-03-15",
  legacyReference,
  ...more,
});
const migrate = (shop: CardShop, ...subscriptions: object[]) =>
  shop.shop.post<{ data: Shown[] }>("/subscriptions/migrations", { subscriptions, cancelLegacy: "manual" });
/** Migrations that have begun, in the order of the rows. */
async function begun(shop: CardShop, ...rows: object[]): Promise<Shown[]> {
  const answer = await migrate(shop, ...rows);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}
const list = async (shop: CardShop) => (await shop.shop.get<{ data: Shown[] }>("/subscriptions/migrations")).body.data;
const now = async (shop: CardShop, { id }: Shown): Promise<Shown> =>
  (await list(shop)).find((one) => one["id"] === id) ?? {};
const subscriptionOf = async (shop: CardShop, { subscriptionId }: Shown): Promise<Shown> =>
  (await shop.shop.get(`/customer-subscriptions/${subscriptionId}`)).body;
const statuses = async (shop: CardShop, migration: Shown) => [
  (await now(shop, migration))["status"],
  (await subscriptionOf(shop, migration))["status"],
];
const act = (shop: CardShop, { id }: Shown, action: string) =>
  shop.shop.call("POST", `/subscriptions/migrations/${id}/${action}`);
const customerOf = async (shop: CardShop, migration: Shown): Promise<string> =>
  ((await subscriptionOf(shop, migration))["customer"] as { id: string }).id;
const pageOf = async ({ checkoutUrl }: Shown) => (await api.call("GET", new URL(String(checkoutUrl)).pathname)).text;
async function confirm(shop: CardShop, { checkoutUrl }: Shown, fields = choiceOf(VISA)): Promise<void> {
  const { gatewayUrl } = await begin(shop, String(checkoutUrl));
  await choose(shop, gatewayUrl, fields);
}
const planOf = async (shop: CardShop, migration: Shown) =>
  (await subscriptionOf(shop, migration))["plan"] as { id: string; name: string; packageId: string };

describe("the card of a migration", () => {
  test("confirmed on two pages of the gateway at once, begins one subscription, once", async () => {
    const shop = await openSubscriptionShop(api);
    const [migration = {}] = await begun(shop, rowOf("twice"));
    const tabs = [];
    for (const _ of [1, 2, 3]) tabs.push(await begin(shop, String(migration["checkoutUrl"])));
    await Promise.all(tabs.map(({ gatewayUrl }) => choose(shop, gatewayUrl, choiceOf(VISA))));
    assert.deepEqual(await statuses(shop, migration), ["authorised", "active"]);
    const types = (await eventsOf(shop, "subscription.%")).map(({ type }) => type);
    assert.deepEqual(types, ["subscription.created", "subscription.activated"]);
    const notes = (await shop.shop.get<{ data: Shown[] }>("/credit-notes")).body.data;
    assert.equal(notes.length, 3, "each 1.00 is given back");
    await shop.move("2027-03-20T10:00:00Z");
    const invoices = await shop.shop.get<{ data: Shown[] }>("/invoices");
    assert.deepEqual(
      invoices.body.data.map(({ total, status }) => [total, status]),
      [[120, "paid"]],
    );
  });

  test("that is declined or not saved leaves everything waiting; another attempt confirms it", async () => {
    const shop = await openSubscriptionShop(api);
    const [migration = {}] = await begun(shop, rowOf("declined"));
    for (const fields of [
      { outcome: "failed", card: VISA },
      { outcome: "complete", card: VISA },
    ]) {
      await confirm(shop, migration, fields);
      assert.deepEqual(await statuses(shop, migration), ["link_sent", "pending"]);
    }
    assert.deepEqual(await cardsNow(shop, "", await customerOf(shop, migration)), []);
    await confirm(shop, migration);
    assert.deepEqual(await statuses(shop, migration), ["authorised", "active"]);
  });

  test("confirmed after nextDate is first charged on the next day of its rhythm: the old instruction went on until then", async () => {
    const shop = await openSubscriptionShop(api);
    const [migration = {}] = await begun(shop, rowOf("late", { nextDate: "2027-03-31" }));
    await shop.move("2027-04-02T10:00:00Z");
    assert.deepEqual(await statuses(shop, migration), ["link_sent", "pending"]);
    assert.equal((await subscriptionOf(shop, migration))["nextBillingAt"], "2027-04-29T22:00:00.000Z");
    await shop.move("2027-05-10T10:00:00Z");
    assert.equal((await now(shop, migration))["nextDate"], "2027-03-31", "as it was asked for");
    const sent = await act(shop, migration, "send-link");
    assert.notEqual(sent.body["checkoutUrl"], migration["checkoutUrl"]);
    await shop.move("2027-05-10T10:00:01Z");
    const [mail] = (await mailsOf(api.services, shop.shop.organisation, { kind: "subscription_migration" })).slice(-1);
    assert.match(mail?.text ?? "", /R 120\.00 is collected every month, from 31 May 2027/);
    await confirm(shop, sent.body);
    const active = await subscriptionOf(shop, migration);
    assert.deepEqual([active["status"], active["nextBillingAt"]], ["active", "2027-05-30T22:00:00.000Z"]);
    assert.deepEqual((await shop.shop.get<{ data: Shown[] }>("/invoices")).body.data, []);
    await shop.move("2027-06-07T10:00:00Z");
    const invoices = (await shop.shop.get<{ data: Shown[] }>("/invoices")).body.data;
    assert.deepEqual(
      invoices.map(({ total, status, periodStart }) => [total, status, periodStart]),
      [[120, "paid", "2027-05-31"]],
    );
  });

  test("paid for while its customer was deactivated is kept, and begins nothing; the page takes no new payment", async () => {
    const shop = await openSubscriptionShop(api);
    const [migration = {}] = await begun(shop, rowOf("inactive"));
    const customer = await customerOf(shop, migration);
    const { gatewayUrl } = await begin(shop, String(migration["checkoutUrl"]));
    const patch = (body: object) => shop.shop.call("PATCH", `/customers/${customer}`, { body });
    const asked = await patch({ active: false });
    assert.deepEqual([asked.status, asked.body["error"]], [409, "invalid_state"], "it says what runs");
    assert.equal((await patch({ active: false, onActive: "keep" })).status, 200);
    assert.match(await pageOf(migration), /has paused your account/);
    assert.doesNotMatch(await pageOf(migration), /name="gateway"/);
    await choose(shop, gatewayUrl, choiceOf(VISA));
    assert.deepEqual(await statuses(shop, migration), ["link_sent", "pending"]);
    const refused = await act(shop, migration, "send-link");
    assert.deepEqual([refused.status, refused.body["error"]], [409, "invalid_state"]);
    assert.match(String(refused.body["message"]), /inactive/);
    assert.equal((await patch({ active: true })).status, 200);
    const sent = await act(shop, migration, "send-link");
    await confirm(shop, sent.body);
    assert.deepEqual(await statuses(shop, migration), ["authorised", "active"]);
  });
});

describe("a migration whose card is not confirmed", () => {
  test("ends with its subscription, and the subscription with it; the page closes, and nothing can go on", async () => {
    const shop = await openSubscriptionShop(api);
    const both = await begun(shop, rowOf("by-migration"), rowOf("by-subscription"));
    const [one = {}, other = {}] = both;
    const { gatewayUrl } = await begin(shop, String(other["checkoutUrl"]));
    assert.equal((await act(shop, one, "cancel")).body["status"], "cancelled");
    const cancelled = await shop.shop.post(`/customer-subscriptions/${other["subscriptionId"]}/cancel`, {});
    assert.deepEqual([cancelled.status, cancelled.body["status"]], [200, "cancelled"]);
    for (const migration of both) {
      assert.deepEqual(await statuses(shop, migration), ["cancelled", "cancelled"]);
      assert.doesNotMatch(await pageOf(migration), /name="gateway"/);
      const again = await shop.shop.post(`/customer-subscriptions/${migration["subscriptionId"]}/reactivate`, {});
      assert.deepEqual([again.status, again.body["error" as never]], [409, "invalid_state"]);
    }
    await choose(shop, gatewayUrl, choiceOf(VISA));
    assert.deepEqual(
      await statuses(shop, other),
      ["cancelled", "cancelled"],
      "a payment that came late begins nothing",
    );
    assert.equal((await cardsNow(shop, "", await customerOf(shop, other))).length, 1, "its card is saved");
    await shop.move("2027-06-01T10:00:00Z");
    assert.deepEqual((await shop.shop.get<{ data: Shown[] }>("/invoices")).body.data, []);
    const types = (await eventsOf(shop, "subscription.%")).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "subscription.cancelled").length, 2);
  });

  test("cancelled and confirmed at once ends in one of both", async () => {
    const shop = await openSubscriptionShop(api);
    for (let round = 0; round < 4; round++) {
      const [migration = {}] = await begun(shop, rowOf(`race-${round}`));
      const { gatewayUrl } = await begin(shop, String(migration["checkoutUrl"]));
      const path = `/customer-subscriptions/${migration["subscriptionId"]}/cancel`;
      const cancel = () => (round % 2 ? act(shop, migration, "cancel") : shop.shop.post(path, { when: "now" }));
      await Promise.all([choose(shop, gatewayUrl, choiceOf(VISA)), cancel()]);
      const [status, subscription] = await statuses(shop, migration);
      const ends = [
        ["cancelled", "cancelled"],
        ["authorised", "active"],
        ["authorised", "cancelled"],
      ];
      assert.ok(
        ends.some(([one, other]) => one === status && other === subscription),
        `${status}, ${subscription}`,
      );
    }
  });

  test("takes no pause, no change of plan and no other day", async () => {
    const shop = await openSubscriptionShop(api);
    const [migration = {}] = await begun(shop, rowOf("waits"));
    const path = `/customer-subscriptions/${migration["subscriptionId"]}`;
    for (const [method, to, body] of [
      ["POST", "/pause", {}],
      ["POST", "/change-plan", { quantity: 2 }],
      ["PATCH", "", { nextBillingAt: "2027-03-20" }],
    ] as const) {
      const answer = await shop.shop.call(method, `${path}${to}`, { body });
      assert.deepEqual([answer.status, answer.body["error"]], [409, "invalid_state"], to);
      assert.match(String(answer.body["message"]), /has not confirmed the card yet/);
    }
  });

  test("ends when its customer is deactivated so; then the customer can be erased", async () => {
    const shop = await openSubscriptionShop(api);
    const staff = shop.staff;
    const [migration = {}, other = {}] = await begun(shop, rowOf("erased"), rowOf("cancelled"));
    const customer = await customerOf(shop, migration);
    const open = await staff("POST", `/customers/${customer}/erase`, {});
    assert.equal(open.status, 409, "its subscription is not finished");
    const body = { active: false, onActive: "cancel" };
    assert.equal((await shop.shop.call("PATCH", `/customers/${customer}`, { body })).status, 200);
    assert.deepEqual(await statuses(shop, migration), ["cancelled", "cancelled"]);
    const erased = await staff("POST", `/customers/${customer}/erase`, {});
    assert.equal(erased.status, 200, erased.text);
    const { payerName, email } = await now(shop, migration);
    assert.deepEqual([payerName, email], ["erased", "erased"]);
    assert.deepEqual(await statuses(shop, other), ["link_sent", "pending"]);
  });
});

describe("a list of migrations", () => {
  test("is refused for an inactive customer, whose row is named, and nothing is written", async () => {
    const shop = await openSubscriptionShop(api);
    const inactive = await shop.shop.post("/customers", { email: "second@example.co.za", active: false });
    assert.equal(inactive.status, 201, inactive.text);
    const answer = await migrate(shop, rowOf("first"), rowOf("second"));
    assert.equal(answer.status, 400, answer.text);
    const [issue] = (JSON.parse(answer.text) as Refusal).issues ?? [];
    assert.deepEqual(issue?.path, ["subscriptions", 1, "email"]);
    assert.match(String(issue?.message), /subscription 2 of the list is inactive/);
    assert.deepEqual(await list(shop), []);
    const far = await migrate(shop, rowOf("far", { nextDate: "2047-01-01" }));
    assert.deepEqual((JSON.parse(far.text) as Refusal).issues?.[0]?.path, ["subscriptions", 0, "nextDate"]);
  });

  test("takes the merchant's plan that charges the amount; else one plan is made for all of one amount, which is not sold", async () => {
    const shop = await openSubscriptionShop(api);
    const pack = String((await shop.shop.post("/packages", { name: "Gym" })).body["id"]);
    const add = async (name: string, more: object = {}) => {
      const body = { name, amount: 120, frequency: "monthly", ...more };
      const answer = await shop.shop.post(`/packages/${pack}/plans`, body);
      assert.equal(answer.status, 201, answer.text);
      return String(answer.body["id"]);
    };
    await add("Without VAT in it");
    await add("With a fee", { taxInclusive: true, setupFee: 10 });
    await add("With a trial", { taxInclusive: true, trialDays: 7 });
    await add("With an end", { taxInclusive: true, cycles: 12 });
    await add("At its own rate", { taxInclusive: true, taxRate: 5 });
    await add("Exempt", { taxInclusive: true, taxExempt: true });
    const [first = {}, yearly = {}, second = {}] = await begun(
      shop,
      rowOf("a"),
      rowOf("b", { frequency: "annually" }),
      rowOf("c"),
    );
    const made = await planOf(shop, first);
    assert.match(made.name, /R 120\.00 every month/);
    assert.deepEqual((await planOf(shop, second)).id, made.id);
    assert.notEqual((await planOf(shop, yearly)).id, made.id);
    const packages = (await shop.shop.get<{ data: Shown[] }>("/packages")).body.data;
    assert.deepEqual(
      packages.map(({ name, enabled }) => [name, enabled]),
      [
        ["Migrated subscriptions", false],
        ["Gym", true],
      ],
    );
    const plain = await add("Plain", { taxInclusive: true });
    const [third = {}] = await begun(shop, rowOf("d"));
    assert.equal((await planOf(shop, third)).id, plain, "one that is sold comes first");
  });

  test("charges a payer what was asked for, with VAT in it, whatever the settings say of prices", async () => {
    const shop = await openSubscriptionShop(api);
    const settings = await shop.staff("PATCH", "/settings", { taxInclusivePrices: false, vatNumber: "4123456789" });
    assert.equal(settings.status, 200, settings.text);
    const pack = String((await shop.shop.post("/packages", { name: "Gym" })).body["id"]);
    for (const taxInclusive of [false, true])
      await shop.shop.post(`/packages/${pack}/plans`, {
        ...{ name: `inclusive: ${taxInclusive}`, amount: 115, frequency: "monthly", taxInclusive },
      });
    const [one = {}, other = {}] = await begun(shop, rowOf("vat", { amount: 115 }), rowOf("own", { amount: 230 }));
    assert.equal((await planOf(shop, one)).name, "inclusive: true");
    for (const migration of [one, other]) await confirm(shop, migration);
    await shop.move("2027-03-20T10:00:00Z");
    const invoices = (await shop.shop.get<{ data: Shown[] }>("/invoices")).body.data;
    assert.deepEqual(invoices.map(({ total, subtotal }) => [total, subtotal]).toSorted(), [
      [115, 100],
      [230, 200],
    ]);
  });

  test("keeps its reference as the subscription's, unless another one has it", async () => {
    const shop = await openSubscriptionShop(api);
    const pack = String((await shop.shop.post("/packages", { name: "Gym" })).body["id"]);
    const body = { name: "Plan", amount: 9, frequency: "monthly" };
    const plan = String((await shop.shop.post(`/packages/${pack}/plans`, body)).body["id"]);
    await shop.shop.post("/customer-subscriptions", {
      ...{ customer: { id: shop.customer }, planId: plan, collectionMethod: "invoice", externalReference: "taken" },
    });
    const [free = {}, taken = {}] = await begun(shop, rowOf("free"), rowOf("taken"));
    assert.equal((await subscriptionOf(shop, free))["externalReference"], "free");
    assert.equal((await subscriptionOf(shop, taken))["externalReference"], null);
  });
});
