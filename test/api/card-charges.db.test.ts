import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, openApi, type Sent, type TestApi } from "../support/api.ts";
import {
  AMEX,
  addCard,
  addCardCustomer,
  type CardShop,
  cardsNow,
  eventsOf,
  openCardShop,
  type Shown,
  VISA,
} from "../support/cards.ts";
import { stopClock } from "../support/still-clock.ts";
import { faultsOf } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

/** A shop whose key may charge saved cards. */
interface ChargingShop extends CardShop {
  readonly key: string;
  charge(body?: object, of?: { card?: string; customer?: string; sent?: Sent }): Promise<Answer<Shown>>;
}

let references = 0;
const BODY = { amount: 125.5, description: "Membership" };

async function openChargingShop(facts = {}, gateway = {}): Promise<ChargingShop> {
  const shop = await openCardShop(api, facts, gateway);
  const { key } = await shop.shop.addKey(["charge_saved_cards"]);
  return {
    ...shop,
    key,
    charge: (body = {}, { card = "default", customer = shop.customer, sent = {} } = {}) =>
      shop.shop.post<Shown>(
        `/customers/${customer}/cards/${card}/charges`,
        { ...BODY, externalReference: `C-${++references}`, ...body },
        { key, ...sent },
      ),
  };
}

// The clock stands at Monday 1 March 2027, 10:00; the second business day after it is Wednesday.
const ON_DAY = "2027-03-02T22:00:00.000Z";
const transactionOf = async ({ shop }: CardShop, { reference }: Shown) =>
  (await shop.get(`/transactions/${reference}`)).body;
const told = async (of: CardShop) => (await eventsOf(of, "payment.%")).map(({ type, data }) => [type, data["type"]]);
const errorOf = ({ status, body }: Answer<Shown>) => [status, body["error"]];

describe("a charge", () => {
  test("is pending, settles on the second business day, and can be refunded", async () => {
    const shop = await openChargingShop();
    const card = await addCard(shop);
    const answer = await shop.charge({ externalReference: "  M-1 ", metadata: { period: 3 }, currency: "zar" });
    assert.equal(answer.status, 201, answer.text);
    const { id, reference, ...rest } = answer.body;
    assert.match(String(id), /^chg_/);
    assert.match(String(reference), /^TEFOC-[0-9a-f]{16}-1$/);
    assert.deepEqual(rest, {
      object: "card_charge",
      status: "pending",
      amount: 125.5,
      currency: "ZAR",
      description: "Membership",
      externalReference: "M-1",
      metadata: { period: "3" },
      customerId: shop.customer,
      card: { id: card["id"], brand: "visa", last4: "4242" },
      failureReason: null,
      paidAt: null,
      createdAt: "2027-03-01T10:00:00.000Z",
    });
    const pending = {
      type: "card_debit",
      status: "pending",
      externalReference: "M-1",
      metadata: { period: "3" },
      card: { brand: "visa", last4: "4242" },
      sandbox: true,
    };
    assert.partialDeepStrictEqual(await transactionOf(shop, answer.body), pending);
    const found = await shop.staff<{ data: Shown[] }>("GET", "/transactions?q=M-1");
    assert.deepEqual(
      found.body.data.map((one) => one["reference"]),
      [reference],
    );
    assert.equal((await cardsNow(shop))[0]?.["lastUsedAt"], null);
    await shop.move(ON_DAY);
    const paid = { status: "complete", fee: 4.64, net: 120.86, paidAt: ON_DAY };
    assert.partialDeepStrictEqual(await transactionOf(shop, answer.body), paid);
    assert.equal((await cardsNow(shop))[0]?.["lastUsedAt"], ON_DAY);
    assert.deepEqual((await told(shop)).at(-1), ["payment.complete", "card_debit"]);
    const refund = await shop.staff("POST", `/transactions/${reference}/refunds`, { amount: 25.5 });
    assert.partialDeepStrictEqual(refund, {
      status: 201,
      body: { status: "partially_refunded", refundedAmount: 25.5 },
    });
    assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
  });

  const DECLINED: [string, string, string][] = [
    ["4000000000000341", "active", "the bank declined"],
    ["4000000000009979", "failed", "a card token error"],
  ];
  for (const [number, status, why] of DECLINED)
    test(`that fails (${why}) leaves the card ${status}, and its reference may be charged again`, async () => {
      const shop = await openChargingShop();
      const card = await addCard(shop, number);
      const { body } = await shop.charge({ externalReference: "M-1" });
      await shop.move(ON_DAY);
      assert.equal((await transactionOf(shop, body))["status"], "failed");
      assert.deepEqual((await told(shop)).at(-1), ["payment.failed", "card_debit"]);
      const [shown] = await cardsNow(shop);
      assert.partialDeepStrictEqual(shown, {
        id: card["id"],
        status,
        chargeable: status === "active",
        lastUsedAt: null,
      });
      const [row] = await api.query<{ failure_reason: string }>(
        "select failure_reason from card_charges where id = $1",
        body["id"],
      );
      assert.ok(row?.failure_reason);
      const again = await shop.charge({ externalReference: "M-1" });
      if (status === "failed") assert.deepEqual(errorOf(again), [409, "card_not_chargeable"]);
      else assert.match(String(again.body["reference"]), /-2$/);
      assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
    });

  test("by id charges that card, and the default card by the word default", async () => {
    const shop = await openChargingShop();
    const first = await addCard(shop);
    const second = await addCard(shop, "5555555555554444");
    const named = await shop.charge({}, { card: String(first["id"]) });
    const byDefault = await shop.charge();
    assert.deepEqual(
      [named, byDefault].map(({ body }) => (body["card"] as Shown)["id"]),
      [first["id"], second["id"]],
    );
  });

  test("by staff needs card_charges:write, which finance has and support has not", async () => {
    const shop = await openChargingShop();
    await addCard(shop);
    const path = `/customers/${shop.customer}/cards/default/charges`;
    for (const [role, status] of [
      ["finance", 201],
      ["support", 403],
    ] as const) {
      const call = await shop.shop.signIn(role);
      assert.equal((await call("POST", path, { ...BODY, externalReference: role })).status, status, role);
    }
  });
});

describe("refusals", () => {
  const INVALID: [string, object][] = [
    ["no amount", { amount: undefined }],
    ["zero", { amount: 0 }],
    ["below zero", { amount: -1 }],
    ["three decimals", { amount: 10.001 }],
    ["over a million", { amount: 1_000_000.01 }],
    ["text", { amount: "10" }],
    ["null", { amount: null }],
    ["another currency", { currency: "USD" }],
    ["no description", { description: undefined }],
    ["an empty description", { description: " " }],
    ["256 characters", { description: "x".repeat(256) }],
    ["no externalReference", { externalReference: undefined }],
    ["an externalReference of 101", { externalReference: "x".repeat(101) }],
    ["an unknown field", { capture: true }],
    ["nested metadata", { metadata: { a: {} } }],
  ];
  test("400 for what the body may not hold, and nothing is written", async () => {
    const shop = await openChargingShop();
    await addCard(shop);
    for (const [what, body] of INVALID)
      assert.deepEqual(errorOf(await shop.charge(body)), [400, "invalid_request"], what);
    const rows = await api.query("select from card_charges where organisation_id = $1", shop.shop.organisation.id);
    assert.equal(rows.length, 0);
    assert.equal((await shop.charge({ amount: 1_000_000, description: "x".repeat(255) })).status, 201);
  });

  test("come in the order of the table: each with the faults of all that follow", async () => {
    const shop = await openChargingShop();
    const { customer, shop: merchant } = shop;
    const card = String((await addCard(shop))["id"]);
    const amex = String((await addCard(shop, AMEX, { body: { makeDefault: false } }))["id"]);
    const taken = { externalReference: "taken" };
    assert.equal((await shop.charge(taken)).status, 201);
    const other = await addCardCustomer(merchant);
    const bad = { ...taken, amount: 0 };
    const plain = { sent: { key: merchant.key } };
    const unknown = { customer: "cus_none" };
    assert.deepEqual(errorOf(await shop.charge(bad, { ...unknown, ...plain })), [403, "permission_required"]);
    assert.deepEqual(errorOf(await shop.charge(bad, unknown)), [400, "invalid_request"]);
    assert.deepEqual(errorOf(await shop.charge(taken, unknown)), [404, "not_found"]);
    assert.deepEqual(errorOf(await shop.charge(taken, { card: "card_none" })), [404, "not_found"]);
    assert.deepEqual(errorOf(await shop.charge(taken, { customer: other, card })), [404, "not_found"]);
    const existing = await shop.charge(taken);
    assert.deepEqual(errorOf(existing), [409, "charge_exists"]);
    assert.partialDeepStrictEqual(existing.body["charge"], {
      object: "card_charge",
      externalReference: "taken",
      status: "pending",
    });
    const ofAnother = await shop.charge(taken, { customer: other });
    assert.deepEqual([...errorOf(ofAnother), "charge" in ofAnother.body], [409, "charge_exists", false]);
    assert.deepEqual(errorOf(await shop.charge({}, { customer: other })), [409, "no_default_card"]);
    assert.deepEqual(errorOf(await shop.charge(taken, { card: amex })), [409, "charge_exists"]);
    const paths = `/gateways/${shop.account.id}`;
    assert.equal((await shop.staff("PATCH", paths, { enabled: false })).status, 200);
    assert.deepEqual(errorOf(await shop.charge({}, { card: amex })), [409, "card_not_chargeable"]);
    assert.deepEqual(errorOf(await shop.charge()), [409, "card_charges_unavailable"]);
    assert.equal((await shop.staff("PATCH", paths, { enabled: true })).status, 200);
    assert.equal(
      (await merchant.call("PATCH", `/customers/${customer}`, { body: { active: false, onActive: "keep" } })).status,
      200,
    );
    assert.deepEqual(errorOf(await shop.charge(taken)), [400, "invalid_request"]);
    assert.deepEqual(errorOf(await shop.charge(taken, { card: "card_none" })), [404, "not_found"]);
    assert.equal((await merchant.call("DELETE", `/customers/${customer}/cards/${card}`)).status, 200);
    assert.deepEqual(errorOf(await shop.charge({}, { card })), [404, "not_found"]);
  });

  test("409 card_not_chargeable for an expired card, with a gateway of any kind", async () => {
    const shop = await openChargingShop();
    await addCard(shop, VISA, { expiry: "04/27" });
    await shop.move("2027-05-01T10:00:00.000Z");
    assert.deepEqual(errorOf(await shop.charge()), [409, "card_not_chargeable"]);
    const cancelOnly = await openChargingShop({}, { type: "sandbox_cancel_only" });
    await addCard(cancelOnly);
    assert.deepEqual(errorOf(await cancelOnly.charge()), [409, "card_charges_unavailable"]);
  });

  test("403 plan_limit when the plan's payments of the month are used up, those of callers at the same time counted; 409 comes first", async () => {
    const shop = await openChargingShop({ limits: { monthlyTransactions: 4 } });
    await addCard(shop);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => shop.charge({ externalReference: `Q-${n}` })),
    );
    const kinds = answers.map(({ status, body }) => [status, body["error"]].join(" ")).toSorted();
    assert.deepEqual(kinds, [...Array(3).fill("201 "), ...Array(5).fill("403 plan_limit")]);
    const made = answers.find(({ status }) => status === 201)?.body["externalReference"];
    assert.deepEqual(errorOf(await shop.charge({ externalReference: made })), [409, "charge_exists"]);
    await shop.move("2027-03-31T22:00:00.000Z");
    assert.equal((await shop.charge()).status, 201, "a new month");
  });

  test("429 from the eleventh charge of a customer's day on; refused ones do not count, and the next day begins anew", async () => {
    const shop = await openChargingShop();
    await addCard(shop);
    for (let made = 0; made < 10; made++) {
      assert.equal((await shop.charge({ externalReference: `D-${made}` })).status, 201);
      assert.equal((await shop.charge({ externalReference: `D-${made}` })).status, 409);
    }
    const refused = await shop.charge();
    assert.deepEqual(errorOf(refused), [429, "rate_limited"]);
    assert.equal(refused.headers["retry-after"], String(12 * 3600), "until midnight, South African time");
    const other = await addCardCustomer(shop.shop);
    await addCard(shop, VISA, { of: other });
    assert.equal((await shop.charge({}, { customer: other })).status, 201);
    await shop.move("2027-03-01T22:00:00.000Z");
    assert.equal((await shop.charge()).status, 201);
  });

  test("429 from the sixty-first charge of an organisation's minute on, however many ask at once", async (t) => {
    const shop = await openChargingShop();
    const customers = [shop.customer];
    while (customers.length < 7) customers.push(await addCardCustomer(shop.shop));
    for (const customer of customers) await addCard(shop, VISA, { of: customer });
    stopClock(t);
    const asked = customers.flatMap((customer) => Array.from({ length: 10 }, () => shop.charge({}, { customer })));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    assert.deepEqual(
      [statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 429).length],
      [60, 10],
    );
    const refused = await shop.charge({}, { customer: customers.at(-1) ?? "" });
    assert.deepEqual(errorOf(refused), [429, "rate_limited"]);
    assert.ok(Number(refused.headers["retry-after"]) <= 60);
  });
});

describe("once", () => {
  test("20 callers at once with one externalReference make one charge, also for two customers", async () => {
    const shop = await openChargingShop();
    const other = await addCardCustomer(shop.shop);
    for (const customer of [shop.customer, other]) await addCard(shop, VISA, { of: customer });
    const asked = Array.from({ length: 20 }, (_, n) =>
      shop.charge({ externalReference: "once" }, { customer: n % 2 ? other : shop.customer }),
    );
    const answers = await Promise.all(asked);
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 1, answers.map(({ status, text }) => `${status} ${text}`).join("\n"));
    for (const answer of answers) if (answer !== made[0]) assert.deepEqual(errorOf(answer), [409, "charge_exists"]);
    const rows = await api.query(
      "select from transactions where organisation_id = $1 and type = 'card_debit'",
      shop.shop.organisation.id,
    );
    assert.equal(rows.length, 1);
  });

  test("a repeated Idempotency-Key is answered from the first time, refusals too, but not 429", async () => {
    const shop = await openChargingShop();
    await addCard(shop);
    const sent = { headers: { "idempotency-key": "k-1" } };
    const body = { externalReference: "keyed" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.charge(body, { sent })));
    assert.deepEqual([...new Set(answers.map(({ status, body: { id } }) => `${status} ${id}`))].length, 1);
    assert.equal((await shop.charge({ ...body, amount: 1 }, { sent })).body["error"], "idempotency_conflict");
    const refused = { headers: { "idempotency-key": "k-2" } };
    assert.equal((await shop.charge(body, { sent: refused })).status, 409);
    const replayed = await shop.charge(body, { sent: refused });
    assert.deepEqual([replayed.status, replayed.headers["idempotent-replayed"]], [409, "true"]);
  });
});
