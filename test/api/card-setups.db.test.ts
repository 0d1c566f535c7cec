import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import {
  AMEX,
  addSetup,
  begin,
  type CardShop,
  cardsNow,
  choiceOf,
  choose,
  eventsOf,
  openCardShop,
  openPage,
  type Shown,
  setupNow,
  VISA,
} from "../support/cards.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
let stage: CardShop;
before(async () => {
  api = await openApi();
  stage = await openCardShop(api);
});
after(() => closeVerified(api));

const transaction = async (reference: string) => (await stage.shop.get(`/transactions/${reference}`)).body;
const notes = async ({ shop }: CardShop) => (await shop.get<{ data: Shown[] }>("/credit-notes")).body.data.toReversed();

test("a customer adds a card: 1.00 is paid, the card saved, the session completed, the 1.00 credited", async () => {
  const shop = await openCardShop(api);
  const setup = await addSetup(shop, { metadata: { order: "7" } });
  assert.deepEqual(setup, {
    object: "card_setup_session",
    id: setup["id"],
    customerId: shop.customer,
    status: "pending",
    url: setup["url"],
    returnUrl: null,
    amount: 1,
    currency: "ZAR",
    makeDefault: true,
    cardId: null,
    failureReason: null,
    metadata: { order: "7" },
    expiresAt: "2027-03-02T10:00:00.000Z",
    completedAt: null,
    createdAt: "2027-03-01T10:00:00.000Z",
  });
  const page = await openPage(api, String(setup["url"]));
  assert.equal(page.status, 200);
  assert.match(page.text, /<h1[^>]*>Add a card<\/h1>/);
  const { reference, gatewayUrl } = await begin(shop, String(setup["url"]));
  const back = await choose(shop, gatewayUrl, choiceOf(VISA, { expiry: "08/29" }));
  assert.match((await openPage(api, back)).text, /Visa ending in 4242<\/bdi> is saved/);

  const [card] = await cardsNow(shop);
  assert.deepEqual(card, {
    object: "card",
    id: card?.["id"],
    customerId: shop.customer,
    brand: "visa",
    last4: "4242",
    expiryMonth: 8,
    expiryYear: 2029,
    holderName: "Thandi",
    isDefault: true,
    status: "active",
    expiring: false,
    source: "card_setup",
    createdAt: "2027-03-01T10:00:00.000Z",
    lastUsedAt: null,
    chargeable: true,
  });
  const after = await setupNow(shop, setup);
  assert.deepEqual(after, {
    ...setup,
    status: "completed",
    cardId: card?.["id"],
    completedAt: "2027-03-01T10:00:00.000Z",
  });
  const paid = (await shop.shop.get(`/transactions/${reference}`)).body;
  assert.deepEqual(
    [paid["type"], paid["status"], paid["amount"], paid["description"], paid["metadata"]],
    ["card_setup", "complete", 1, "Card set-up", {}],
  );
  const [note] = await notes(shop);
  assert.deepEqual(
    [note?.["amount"], note?.["remaining"], note?.["status"], note?.["transactionReference"], note?.["customerId"]],
    [1, 1, "issued", reference, shop.customer],
  );
  assert.deepEqual(
    (await eventsOf(shop, "%")).map(({ type }) => type).filter((type) => !type.startsWith("customer.standing")),
    [
      "customer.created",
      "customer.payment_method.added",
      "credit_note.created",
      "credit_note.issued",
      "payment.complete",
    ],
  );
  const [added] = await eventsOf(shop, "customer.payment_method.added");
  const { chargeable: _, ...event } = card as Shown;
  assert.deepEqual(added?.data, { ...event, customer: { id: shop.customer, externalReference: null } });
});

test("the 1.00 is not refunded as well, since its credit note gives it back", async () => {
  const shop = await openCardShop(api);
  const { reference, gatewayUrl } = await begin(shop, String((await addSetup(shop))["url"]));
  await choose(shop, gatewayUrl, choiceOf(VISA));
  const [note] = await notes(shop);
  const refused = await shop.staff("POST", `/transactions/${reference}/refunds`, { method: "manual" });
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), new RegExp(`credit note ${note?.["number"]} has given it back`));
  assert.equal((await shop.shop.get(`/transactions/${reference}`)).body["refundedAmount"], 0);
});

test("the 1.00 is applied to the oldest open invoice, or to the next one that is issued", async () => {
  const shop = await openCardShop(api);
  const invoice = async (externalReference: string) =>
    (
      await shop.shop.post("/invoices", {
        customer: { id: shop.customer },
        externalReference,
        lines: [{ description: "Tuition", quantity: 1, unitPrice: 100, taxRate: 0 }],
        send: true,
      })
    ).body;
  const due = async (id: unknown) => (await shop.shop.get(`/invoices/${id}`)).body["amountDue"];
  const add = async (card: string) => {
    const { gatewayUrl } = await begin(shop, String((await addSetup(shop))["url"]));
    await choose(shop, gatewayUrl, choiceOf(card));
  };
  const [older, newer] = [await invoice("older"), await invoice("newer")];
  await add(VISA);
  assert.deepEqual([await due(older["id"]), await due(newer["id"])], [99, 100]);
  const other = await openCardShop(api);
  const { gatewayUrl } = await begin(other, String((await addSetup(other))["url"]));
  await choose(other, gatewayUrl, choiceOf(VISA));
  const next = await other.shop.post("/invoices", {
    customer: { id: other.customer },
    lines: [{ description: "Tuition", quantity: 1, unitPrice: 100, taxRate: 0 }],
    send: true,
  });
  const read = (await other.shop.get(`/invoices/${next.body["id"]}`)).body;
  assert.deepEqual([read["amountDue"], read["amountPaid"]], [99, 1]);
  assert.deepEqual(
    (await eventsOf(other, "credit_note.%")).map(({ type }) => type),
    ["credit_note.created", "credit_note.issued", "credit_note.applied"],
  );
});

describe("what comes of an attempt (interface 3.7)", () => {
  for (const [name, fields, failureReason, credited] of [
    ["declined", { outcome: "failed" }, "declined", 0],
    ["cancelled", { outcome: "cancelled" }, "cancelled", 0],
    ["paid without a card", choiceOf(""), "no_card_saved", 1],
    ["paid by a card that is not saved", { outcome: "complete", card: VISA }, "no_card_saved", 1],
  ] as const)
    test(`${name}: pending, ${failureReason}; then a card is saved`, async () => {
      const shop = await openCardShop(api);
      const setup = await addSetup(shop);
      const first = await begin(shop, String(setup["url"]));
      await openPage(api, await choose(shop, first.gatewayUrl, fields));
      const failed = await setupNow(shop, setup);
      assert.deepEqual(failed, { ...setup, failureReason });
      assert.equal((await notes(shop)).length, credited);
      assert.deepEqual(await cardsNow(shop), []);
      const second = await begin(shop, String(setup["url"]));
      await choose(shop, second.gatewayUrl, choiceOf(AMEX));
      const done = await setupNow(shop, setup);
      assert.deepEqual([done["status"], done["failureReason"]], ["completed", null]);
      const [card] = await cardsNow(shop);
      assert.deepEqual([card?.["brand"], card?.["chargeable"]], ["amex", false]);
    });

  test("nothing: it expires at its time, as reads show at once and due work records", async () => {
    const shop = await openCardShop(api);
    const setup = await addSetup(shop, { expiresInMinutes: 5 });
    await api.query(
      "update organisations set clock_at = $2 where id = $1",
      shop.shop.organisation.id,
      "2027-03-01T10:04:59.999Z",
    );
    assert.equal((await setupNow(shop, setup))["status"], "pending");
    await api.query(
      "update organisations set clock_at = $2 where id = $1",
      shop.shop.organisation.id,
      "2027-03-01T10:05:00.000Z",
    );
    assert.deepEqual(await setupNow(shop, setup), { ...setup, status: "expired" });
    assert.equal((await shop.move("2027-03-01T10:05:00.000Z"))["card_setup.expire"], 1);
    assert.deepEqual(await setupNow(shop, setup), { ...setup, status: "expired" });
    const page = await openPage(api, String(setup["url"]));
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /<form/);
    assert.match(page.text, /This page has expired/);
  });

  test("paid after it expired: it stays expired, the card is saved and the 1.00 credited", async () => {
    const shop = await openCardShop(api);
    const setup = await addSetup(shop, { expiresInMinutes: 5 });
    const { gatewayUrl } = await begin(shop, String(setup["url"]));
    await shop.move("2027-03-01T11:00:00.000Z");
    await choose(shop, gatewayUrl, choiceOf(VISA));
    const after = await setupNow(shop, setup);
    assert.deepEqual([after["status"], after["cardId"]], ["expired", null]);
    const [card] = await cardsNow(shop);
    assert.deepEqual([card?.["last4"], card?.["isDefault"]], ["4242", true]);
    assert.equal((await notes(shop)).length, 1);
  });

  test("paid twice: both cards are saved, each 1.00 is credited, the first card stays the session's and the default", async () => {
    const shop = await openCardShop(api);
    const setup = await addSetup(shop);
    const [one, two] = [await begin(shop, String(setup["url"])), await begin(shop, String(setup["url"]))];
    await choose(shop, one.gatewayUrl, choiceOf(VISA));
    await choose(shop, two.gatewayUrl, choiceOf(AMEX));
    const cards = await cardsNow(shop);
    assert.deepEqual(
      cards.map(({ brand, isDefault }) => [brand, isDefault]),
      [
        ["visa", true],
        ["amex", false],
      ],
    );
    assert.equal((await setupNow(shop, setup))["cardId"], cards[0]?.["id"]);
    assert.deepEqual(
      (await notes(shop)).map(({ transactionReference }) => transactionReference),
      [one.reference, two.reference],
    );
  });
});

describe("news of a payment that has completed, five times at once each", () => {
  for (const order of [
    ["complete", "complete", "failed", "cancelled"],
    ["failed", "complete", "cancelled", "complete"],
    ["cancelled", "failed", "complete", "pending"],
    ["pending", "cancelled", "complete", "failed"],
  ] as const)
    test(order.join(", "), async () => {
      const shop = await openCardShop(api);
      const setup = await addSetup(shop);
      const { reference, gatewayUrl } = await begin(shop, String(setup["url"]));
      await choose(shop, gatewayUrl, choiceOf(VISA));
      for (const status of order) await shop.staff("POST", "/sandbox/notify", { reference, status, times: 5 });
      assert.equal((await setupNow(shop, setup))["status"], "completed");
      assert.equal((await notes(shop)).length, 1);
      assert.equal((await cardsNow(shop)).length, 1);
      assert.equal((await eventsOf(shop, "customer.payment_method.added")).length, 1);
    });
});

describe("the way back", () => {
  const RETURN = "https://shop.example/cards?x=1";
  const withReturn = async (body: object = {}) => {
    const shop = await openCardShop(api);
    await shop.staff("PUT", "/allowed-return-urls", { origins: ["https://shop.example"] });
    return { shop, setup: await addSetup(shop, { returnUrl: RETURN, ...body }) };
  };
  for (const [fields, status] of [
    [choiceOf(VISA), "completed"],
    [{ outcome: "failed" }, "failed"],
    [{ outcome: "cancelled" }, "failed"],
    [choiceOf(""), "failed"],
  ] as const)
    test(`${JSON.stringify(fields)}: ${status}`, async () => {
      const { shop, setup } = await withReturn();
      const { gatewayUrl } = await begin(shop, String(setup["url"]));
      const back = await openPage(api, await choose(shop, gatewayUrl, fields));
      assert.deepEqual(
        [back.status, back.headers.location],
        [303, `${RETURN}&cardSetup=${setup["id"]}&status=${status}`],
      );
    });

  test("expired meanwhile: expired", async () => {
    const { shop, setup } = await withReturn({ expiresInMinutes: 5 });
    const { gatewayUrl } = await begin(shop, String(setup["url"]));
    await shop.move("2027-03-01T11:00:00.000Z");
    const back = await openPage(api, await choose(shop, gatewayUrl, { outcome: "failed" }));
    assert.equal(back.headers.location, `${RETURN}&cardSetup=${setup["id"]}&status=expired`);
    assert.match((await openPage(api, String(setup["url"]))).text, /cardSetup=cset_\w+&amp;status=expired/);
  });

  test("a payment of another page is not shown", async () => {
    const { shop, setup } = await withReturn();
    const { reference } = await begin(shop, String(setup["url"]));
    const other = await addSetup(shop);
    assert.equal((await openPage(api, `${other["url"]}/result/${reference}`)).status, 404);
    assert.equal((await openPage(api, `${setup["url"]}/result/${reference}`)).status, 200, "pending: waits");
  });
});

describe("refusals", () => {
  const asked = (body: unknown, shop = stage) => shop.shop.post(`/customers/${shop.customer}/cards/setup`, body);
  for (const [name, body] of [
    ["an unknown field", { colour: "red" }],
    ["minutes below 5", { expiresInMinutes: 4 }],
    ["minutes above 10080", { expiresInMinutes: 10_081 }],
    ["minutes with a fraction", { expiresInMinutes: 5.5 }],
    ["minutes as text", { expiresInMinutes: "60" }],
    ["makeDefault as text", { makeDefault: "yes" }],
    ["nested metadata", { metadata: { a: { b: "c" } } }],
    ["http", { returnUrl: "http://shop.example/x" }],
    ["an origin that is not allowed", { returnUrl: "https://evil.example/x" }],
    ["a body that is no object", []],
  ] as const)
    test(`${name}: 400`, async () => {
      const answer = await asked(body);
      assert.deepEqual([answer.status, answer.body["error"]], [400, "invalid_request"], answer.text);
    });

  for (const [name, body, minutes] of [
    ["no body", undefined, 1440],
    ["the shortest", { expiresInMinutes: 5 }, 5],
    ["the longest", { expiresInMinutes: 10_080 }, 10_080],
  ] as const)
    test(`${name}: taken`, async () => {
      const answer = await asked(body);
      assert.equal(answer.status, 201, answer.text);
      const ms =
        new Date(String(answer.body["expiresAt"])).getTime() - new Date(String(answer.body["createdAt"])).getTime();
      assert.equal(ms / 60_000, minutes);
    });

  test("unknown customer or session, another's session: 404", async () => {
    const other = await openCardShop(api);
    const setup = await addSetup(other);
    for (const path of [
      `/customers/cus_x/cards/setup/${setup["id"]}`,
      `/customers/${stage.customer}/cards/setup/${setup["id"]}`,
      `/customers/${stage.customer}/cards/setup/cset_x`,
    ])
      assert.equal((await stage.shop.get(path)).status, 404, path);
    assert.equal((await stage.shop.post("/customers/cus_x/cards/setup", {})).status, 404);
  });

  test("no gateway that can save cards: 409 card_setup_unavailable, and a page that is open says so", async () => {
    const shop = await openCardShop(api);
    const setup = await addSetup(shop);
    await shop.staff("PATCH", `/gateways/${shop.account.id}`, { enabled: false });
    const answer = await asked({}, shop);
    assert.deepEqual([answer.status, answer.body["error"]], [409, "card_setup_unavailable"]);
    assert.match((await openPage(api, String(setup["url"]))).text, /No card can be added yet/);
  });

  test("a read-only account: 403, and the page is paused", async () => {
    const shop = await openCardShop(api);
    const setup = await addSetup(shop);
    await shop.shop.change({ state: "suspended" });
    assert.equal((await asked({}, shop)).body["error"], "account_restricted");
    assert.match((await openPage(api, String(setup["url"]))).text, /Adding cards is paused/);
  });

  test("a tampered page is a 404", async () => {
    const { url } = (await addSetup(stage)) as { url: string };
    for (const changed of [url.slice(0, -1), `${url.slice(0, -1)}${url.endsWith("A") ? "B" : "A"}`])
      assert.equal((await openPage(api, changed)).status, 404);
  });
});

test("a receipt is mailed to the customer", async () => {
  const setup = await addSetup(stage);
  const { reference, gatewayUrl } = await begin(stage, String(setup["url"]));
  await choose(stage, gatewayUrl, choiceOf(VISA));
  await stage.move("2027-03-01T10:00:01.000Z");
  assert.equal((await transaction(reference))["status"], "complete");
  const rows = await api.query<{ subject: string; kind: string }>(
    "select kind, subject from emails where organisation_id = $1 and about = $2",
    stage.shop.organisation.id,
    reference,
  );
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ["receipt"],
  );
});
