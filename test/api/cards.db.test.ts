import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import {
  AMEX,
  addCard,
  addCardCustomer,
  begin,
  type CardShop,
  cardsNow,
  choiceOf,
  choose,
  eventsOf,
  MASTERCARD,
  openCardShop,
  type Shown,
  VISA,
} from "../support/cards.ts";
import { closeVerified, faultsOf } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const TOKEN_ERROR = "4000000000009979";
const path = ({ customer }: CardShop, card: Shown | string, below = "") =>
  `/customers/${customer}/cards/${typeof card === "string" ? card : card["id"]}${below}`;
const remove = (stage: CardShop, card: Shown) => stage.shop.call("DELETE", path(stage, card));
const prefer = (stage: CardShop, card: Shown) => stage.shop.call("POST", path(stage, card, "/default"));
/** As the flows leave a card that has ended: without due work. */
async function setStatus({ shop: { organisation } }: CardShop, card: Shown, status: string): Promise<void> {
  await api.services.db.transaction(
    organisation.id,
    async (tx) => tx.queue`
    update cards set status = ${status} where organisation_id = ${tx.organisation} and id = ${card["id"]}`,
  );
  await api.query("delete from due_work where subject = $1", card["id"]);
}

describe("default and removal", () => {
  test("the list has pages, from either end, in its own order", async () => {
    const stage = await openCardShop(api);
    const [visa, mastercard, amex] = [
      await addCard(stage, VISA),
      await addCard(stage, MASTERCARD, { body: { makeDefault: false } }),
      await addCard(stage, AMEX, { body: { makeDefault: false } }),
    ].map(({ id }) => String(id));
    for (const [query, ids, hasMore, nextCursor] of [
      ["", [visa, amex, mastercard], false, null],
      ["?limit=2", [visa, amex], true, amex],
      [`?limit=2&startingAfter=${amex}`, [mastercard], false, null],
      [`?limit=1&endingBefore=${mastercard}`, [amex], true, amex],
      [`?endingBefore=${amex}`, [visa], false, null],
    ] as const) {
      const { body } = await stage.shop.get<{ data: Shown[]; hasMore: boolean; nextCursor: string | null }>(
        `/customers/${stage.customer}/cards${query}`,
      );
      const shown = body.data.map(({ id }) => id);
      assert.deepEqual([shown, body.hasMore, body.nextCursor], [ids, hasMore, nextCursor], query);
    }
    for (const query of ["?startingAfter=nonsense", `?startingAfter=${visa}&endingBefore=${amex}`])
      assert.equal((await stage.shop.get(`/customers/${stage.customer}/cards${query}`)).status, 400, query);
  });

  test("the default comes first, then the newest; makeDefault false leaves the default as it is", async () => {
    const stage = await openCardShop(api);
    const visa = await addCard(stage, VISA, { body: { makeDefault: false } });
    assert.equal(visa["isDefault"], false, "a first card is no default by itself");
    const mastercard = await addCard(stage, MASTERCARD);
    const amex = await addCard(stage, AMEX, { body: { makeDefault: false } });
    const listed = await stage.shop.get<{ object: string; data: Shown[] }>(`/customers/${stage.customer}/cards`);
    assert.equal(listed.body.object, "list");
    assert.deepEqual(
      listed.body.data.map(({ id, isDefault, chargeable }) => [id, isDefault, chargeable]),
      [
        [mastercard["id"], true, true],
        [amex["id"], false, false],
        [visa["id"], false, true],
      ],
    );
    const preferred = await prefer(stage, visa);
    assert.deepEqual([preferred.status, preferred.body], [200, { ...visa, isDefault: true }]);
    assert.deepEqual((await prefer(stage, visa)).body, preferred.body, "again: the same");
    const unknown = await stage.shop.post(path(stage, amex, "/default"), { colour: "red" });
    assert.deepEqual([unknown.status, unknown.body["error"]], [400, "invalid_request"]);
    assert.deepEqual(
      (await cardsNow(stage)).map(({ isDefault }) => isDefault),
      [true, false, false],
    );
  });

  test("a removed default is followed by the newest other usable card; removed cards are gone but for includeRemoved", async () => {
    const stage = await openCardShop(api);
    const visa = await addCard(stage, VISA, { body: { makeDefault: false } });
    const amex = await addCard(stage, AMEX, { body: { makeDefault: false } });
    const mastercard = await addCard(stage, MASTERCARD);
    await setStatus(stage, amex, "failed");
    const removed = await remove(stage, mastercard);
    const expected = { ...mastercard, status: "removed", isDefault: false, chargeable: false };
    assert.deepEqual([removed.status, removed.body], [200, expected]);
    assert.deepEqual(
      (await cardsNow(stage)).map(({ id, isDefault }) => [id, isDefault]),
      [
        [visa["id"], true],
        [amex["id"], false],
      ],
    );
    assert.equal((await cardsNow(stage, "?includeRemoved=true")).length, 3);
    assert.equal((await cardsNow(stage, "?includeRemoved=false")).length, 2);
    const [event] = await eventsOf(stage, "customer.payment_method.removed");
    const { chargeable: _, ...data } = expected;
    assert.deepEqual(event?.data, data);
    assert.equal((await remove(stage, mastercard)).status, 404, "again");
    assert.equal((await stage.shop.get(path(stage, mastercard))).status, 404);
    assert.equal((await prefer(stage, mastercard)).status, 400);
    assert.equal((await eventsOf(stage, "customer.payment_method.removed")).length, 1);
    await remove(stage, visa);
    assert.deepEqual(
      (await cardsNow(stage)).map(({ isDefault }) => isDefault),
      [false],
      "a failed card is not promoted",
    );
  });

  for (const status of ["expired", "failed", "removed"])
    test(`a card that is ${status}: no default (400), and active again under its id when it is saved again`, async () => {
      const stage = await openCardShop(api);
      const card = await addCard(stage, VISA, { expiry: "08/29" });
      if (status === "removed") await remove(stage, card);
      else await setStatus(stage, card, status);
      const refused = await prefer(stage, card);
      assert.deepEqual([refused.status, refused.body["error"]], [400, "invalid_request"]);
      const again = await addCard(stage, VISA, { expiry: "09/31" });
      assert.deepEqual(again, { ...card, expiryMonth: 9, expiryYear: 2031 });
      assert.equal((await eventsOf(stage, "customer.payment_method.added")).length, 2);
      assert.equal((await cardsNow(stage, "?includeRemoved=true")).length, 1);
    });

  test("an active card that is saved again keeps its id, takes the new expiry, and is not told again", async () => {
    const stage = await openCardShop(api);
    const card = await addCard(stage, VISA, { expiry: "08/29" });
    const tokens = () =>
      api.query<{ token_sealed: string }>("select token_sealed from cards where id = $1", card["id"]);
    const [before] = await tokens();
    assert.deepEqual(await addCard(stage, VISA, { expiry: "09/31" }), { ...card, expiryMonth: 9, expiryYear: 2031 });
    assert.notDeepEqual((await tokens())[0], before);
    assert.equal((await eventsOf(stage, "customer.payment_method.added")).length, 1);
  });

  test("a card past its expiry is saved as expired: it completes its session, and takes no other's place as the default", async () => {
    const stage = await openCardShop(api);
    const expired = await addCard(stage, VISA, { expiry: "02/27" });
    assert.partialDeepStrictEqual(expired, { status: "expired", isDefault: false, chargeable: false, expiring: false });
    const card = await addCard(stage, MASTERCARD);
    await addCard(stage, VISA, { expiry: "01/27" });
    const shown = (await cardsNow(stage)).map(({ id, status, isDefault }) => [id, status, isDefault]);
    assert.deepEqual(shown, [
      [card["id"], "active", true],
      [expired["id"], "expired", false],
    ]);
    await addCard(stage, VISA, { expiry: "03/27" });
    assert.deepEqual((await cardsNow(stage))[0]?.["id"], expired["id"], "renewed, it is the default");
    assert.deepEqual(await faultsOf(api, stage.shop.organisation), []);
  });

  test("the same card of two customers is two cards; one customer's card is not another's", async () => {
    const stage = await openCardShop(api);
    const other = await addCardCustomer(stage.shop);
    const [mine, theirs] = [await addCard(stage), await addCard(stage, VISA, { of: other })];
    assert.notEqual(mine["id"], theirs["id"]);
    for (const [method, below] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/default"],
    ] as const)
      assert.equal((await stage.shop.call(method, path(stage, theirs, below))).status, 404);
    for (const [method, url] of [
      ["GET", `/customers/cus_x/cards`],
      ["GET", `/customers/cus_x/cards/${mine["id"]}`],
      ["DELETE", `/customers/cus_x/cards/${mine["id"]}`],
      ["POST", `/customers/cus_x/cards/${mine["id"]}/default`],
      ["GET", path(stage, "card_x")],
    ] as const)
      assert.equal((await stage.shop.call(method, url)).status, 404, url);
  });

  test("20 at once make defaults and remove: one default of those that are left, each removal told once", async () => {
    const stage = await openCardShop(api);
    const cards = [await addCard(stage, VISA), await addCard(stage, MASTERCARD), await addCard(stage, AMEX)];
    const gone = cards[2] ?? {};
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 4 === 0 ? remove(stage, gone) : prefer(stage, cards[n % 2] ?? {}))),
    );
    assert.equal(answers.filter(({ status }, n) => n % 4 === 0 && status === 200).length, 1);
    assert.deepEqual(
      (await cardsNow(stage)).map(({ isDefault }) => isDefault),
      [true, false],
    );
    assert.equal((await eventsOf(stage, "customer.payment_method.removed")).length, 1);
  });
});

describe("expiry", () => {
  test("expiring 30 days before the end of its month, told once; then expired, and still the default", async () => {
    const stage = await openCardShop(api);
    const card = await addCard(stage, VISA, { expiry: "04/27" });
    const shown = async () => (await stage.shop.get(path(stage, card))).body;
    await stage.move("2027-03-31T21:59:59.999Z");
    assert.deepEqual([(await shown())["expiring"], (await eventsOf(stage, "%.expiring")).length], [false, 0]);
    const ran = await stage.move("2027-03-31T22:00:00.000Z");
    assert.equal(ran["card.announce_expiring"], 1);
    assert.equal((await shown())["expiring"], true);
    const [told] = await eventsOf(stage, "%.expiring");
    const { chargeable: _, ...data }: Shown = { ...card, expiring: true };
    assert.deepEqual(told?.data, data);
    await stage.move("2027-04-30T21:59:59.999Z");
    assert.equal((await shown())["status"], "active");
    await stage.move("2027-04-30T22:00:00.000Z");
    const expired = await shown();
    assert.deepEqual(
      [expired["status"], expired["expiring"], expired["isDefault"], expired["chargeable"]],
      ["expired", false, true, false],
    );
    assert.equal((await eventsOf(stage, "%.expiring")).length, 1);
  });

  test("a card saved within its last 30 days is told at once; saved again with the same expiry, not again", async () => {
    const stage = await openCardShop(api);
    await addCard(stage, VISA, { expiry: "03/27" });
    await stage.move("2027-03-10T10:00:00.000Z");
    await addCard(stage, VISA, { expiry: "03/27" });
    await stage.move("2027-03-11T10:00:00.000Z");
    assert.equal((await eventsOf(stage, "%.expiring")).length, 1);
    await addCard(stage, VISA, { expiry: "04/27" });
    await stage.move("2027-04-02T10:00:00.000Z");
    assert.equal((await eventsOf(stage, "%.expiring")).length, 2, "a new expiry is told");
  });

  test("a removed card is not told of", async () => {
    const stage = await openCardShop(api);
    await remove(stage, await addCard(stage, VISA, { expiry: "04/27" }));
    await stage.move("2027-06-01T10:00:00.000Z");
    assert.equal((await eventsOf(stage, "%.expiring")).length, 0);
    assert.equal((await cardsNow(stage, "?includeRemoved=true"))[0]?.["status"], "removed");
  });
});

describe("cards saved on pay pages", () => {
  const pay = async (stage: CardShop, fields: object, choice = choiceOf(VISA)) => {
    const link = await stage.shop.post("/payment-links", { title: "Deposit", amount: 50, ...fields });
    assert.equal(link.status, 201, link.text);
    const { gatewayUrl } = await begin(stage, String(link.body["url"]));
    await choose(stage, gatewayUrl, choice);
  };

  test("of a link issued to a customer: saved, source checkout, the default where there is none", async () => {
    const stage = await openCardShop(api);
    await pay(stage, { customerId: stage.customer });
    await pay(stage, { customerId: stage.customer }, choiceOf(MASTERCARD));
    assert.deepEqual(
      (await cardsNow(stage)).map(({ brand, source, isDefault }) => [brand, source, isDefault]),
      [
        ["visa", "checkout", true],
        ["mastercard", "checkout", false],
      ],
    );
    assert.equal((await eventsOf(stage, "customer.payment_method.added")).length, 2);
    assert.equal((await eventsOf(stage, "credit_note.%")).length, 0);
  });

  test("of an invoice: saved", async () => {
    const stage = await openCardShop(api);
    const invoice = await stage.shop.post("/invoices", {
      customer: { id: stage.customer },
      lines: [{ description: "Tuition", quantity: 1, unitPrice: 100, taxRate: 0 }],
      send: true,
    });
    const { gatewayUrl } = await begin(stage, String(invoice.body["payUrl"]));
    await choose(stage, gatewayUrl, choiceOf(VISA));
    assert.equal((await cardsNow(stage)).length, 1);
  });

  test("not without the payer's consent, and not of a link that anyone can open", async () => {
    const stage = await openCardShop(api);
    await pay(stage, { customerId: stage.customer }, { outcome: "complete", card: VISA });
    await pay(stage, {});
    assert.deepEqual(await api.query("select from cards where organisation_id = $1", stage.shop.organisation.id), []);
  });
});

test("chargeable: only while the account that keeps the card is enabled, and where it charges cards", async () => {
  const stage = await openCardShop(api);
  const card = await addCard(stage);
  const chargeable = async (of = stage, one = card) => (await of.shop.get(path(of, one))).body["chargeable"];
  assert.equal(await chargeable(), true);
  await stage.staff("PATCH", `/gateways/${stage.account.id}`, { enabled: false });
  assert.equal(await chargeable(), false);
  const saving = await openCardShop(api, {}, { type: "sandbox_cancel_only" });
  assert.equal(await chargeable(saving, await addCard(saving)), false);
});

test("a token and a card's number are in no event, audit entry, mail, stored answer or export; the token is stored sealed", async () => {
  const stage = await openCardShop(api);
  const { key } = await stage.shop.addKey(["charge_saved_cards"]);
  for (const card of [VISA, TOKEN_ERROR]) {
    await addCard(stage, card);
    const charge = { amount: 10, description: "Membership", externalReference: card.slice(-4) };
    const sent = { key, headers: { "idempotency-key": charge.externalReference } };
    const path = `/customers/${stage.customer}/cards/default/charges`;
    assert.equal((await stage.shop.post(path, charge, sent)).status, 201);
  }
  await stage.move("2027-03-03T10:00:00.000Z");
  const secret = `sct_[0-9a-f]{24}|${VISA}|${TOKEN_ERROR}`;
  const stored = await api.query<{ table_name: string }>(
    "select table_name from information_schema.columns where table_schema = 'public' and column_name = 'organisation_id'",
  );
  const holding: string[] = [];
  for (const { table_name: table } of stored) {
    const rows = await api.query(
      `select from ${table} t where t.organisation_id = $1 and t::text ~ $2 limit 1`,
      stage.shop.organisation.id,
      secret,
    );
    if (rows.length > 0) holding.push(table);
  }
  // The simulated gateway's own records, of which the product reads nothing.
  assert.deepEqual(holding, ["sandbox_payments"]);
  for (const name of ["transactions", "customers", "journal", "invoices"]) {
    const { status, text } = await stage.staff("GET", `/exports/${name}.csv`);
    assert.equal(status, 200);
    assert.doesNotMatch(text, new RegExp(secret), name);
  }
});

test("staff do the same by the dashboard, as their roles allow", async () => {
  const stage = await openCardShop(api);
  const card = await addCard(stage);
  const at = path(stage, card);
  assert.deepEqual((await stage.staff("GET", at)).body, (await stage.shop.get(at)).body);
  const viewer = await stage.shop.signIn("viewer");
  assert.equal((await viewer("GET", at)).status, 200);
  assert.deepEqual((await viewer("DELETE", at)).body["error"], "permission_required");
  const support = await stage.shop.signIn("support");
  assert.equal((await support("POST", `${at}/default`)).status, 200);
  assert.equal((await support("DELETE", at)).status, 200);
});

test("GET /me says that cards can be saved", async () => {
  const stage = await openCardShop(api);
  assert.equal(((await stage.shop.get("/me")).body["capabilities"] as Shown)["savedCards"], true);
});
