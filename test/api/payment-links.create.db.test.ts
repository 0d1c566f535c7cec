import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Refusal } from "../support/api.ts";
import { BANK } from "../support/eft.ts";
import { at, DAY, type Link, metadataOf, NOW, SHOP, setUpLinks, urlOf } from "../support/payment-links.ts";
import { EMOJI, long } from "../support/text.ts";

const links = setUpLinks();
const { body, count, create, refused } = links;

describe("201", () => {
  test("a body of the required fields gives the object of interface 2.3, without payments and subscription", async () => {
    const { status, body, headers } = await create();
    assert.equal(status, 201);
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
    const { id, url, shortUrl, ...rest } = body;
    assert.match(id, /^plink_[0-9a-z]{26}$/);
    assert.match(url, new RegExp(`^${links.api.baseUrl}/pay/[A-Za-z0-9_-]+$`));
    assert.match(String(shortUrl), new RegExp(`^${links.api.baseUrl}/p/[A-Za-z0-9_-]{15}$`));
    assert.deepEqual(rest, {
      title: "Deposit",
      description: null,
      amount: 250,
      currency: "ZAR",
      externalReference: null,
      returnUrl: null,
      metadata: {},
      recurring: null,
      singleUse: true,
      active: true,
      expiresAt: null,
      paidCount: 0,
      createdAt: NOW,
    });
  });

  test("repeated without a key it makes another link with another page", async () => {
    const [one, two] = [await create(), await create()];
    assert.notEqual(one.body.id, two.body.id);
    assert.notEqual(one.body.url, two.body.url);
  });

  /** Fields of the request, and those of the answer. */
  const KEPT: [string, object, object][] = [
    ["title trimmed", { title: " \t Deposit \n" }, { title: "Deposit" }],
    ["title of 1", { title: "x" }, { title: "x" }],
    ["title of 100", { title: long(100) }, { title: long(100) }],
    ["title of 100 emoji", { title: long(100, EMOJI) }, { title: long(100, EMOJI) }],
    ["title of 100 within spaces", { title: `  ${long(100)}  ` }, { title: long(100) }],
    ["amount of a cent", { amount: 0.01 }, { amount: 0.01 }],
    ["amount at its most", { amount: 10_000_000 }, { amount: 10_000_000 }],
    ["amount 1.005 away from zero", { amount: 1.005 }, { amount: 1.01 }],
    ["amount 0.005 up", { amount: 0.005 }, { amount: 0.01 }],
    ["amount 1.004 down", { amount: 1.004 }, { amount: 1 }],
    ["amount 8.575 as written", { amount: 8.575 }, { amount: 8.58 }],
    ["amount 1.115 as written", { amount: 1.115 }, { amount: 1.12 }],
    ["amount 9999999.995 as written", { amount: 9_999_999.995 }, { amount: 10_000_000 }],
    ["currency in lower case", { currency: "usd" }, { currency: "USD" }],
    ["currency null", { currency: null }, { currency: "ZAR" }],
    ["reference trimmed", { externalReference: "  A-1  " }, { externalReference: "A-1" }],
    ["reference of 100 emoji", { externalReference: long(100, EMOJI) }, { externalReference: long(100, EMOJI) }],
    ["reference null", { externalReference: null }, { externalReference: null }],
    ["description of 255", { description: long(255) }, { description: long(255) }],
    ["description of 255 emoji", { description: long(255, EMOJI) }, { description: long(255, EMOJI) }],
    ["description empty", { description: "" }, { description: null }],
    ["description as given", { description: " a " }, { description: " a " }],
    ["description with lines", { description: "a\nb" }, { description: "a\nb" }],
    ["a return URL", { returnUrl: `${SHOP}/done?order=1` }, { returnUrl: `${SHOP}/done?order=1` }],
    ["a return URL without a path", { returnUrl: SHOP }, { returnUrl: SHOP }],
    ["a return URL with its default port", { returnUrl: `${SHOP}:443/a` }, { returnUrl: `${SHOP}:443/a` }],
    ["a return URL's fragment dropped", { returnUrl: `${SHOP}/done#part` }, { returnUrl: `${SHOP}/done` }],
    ["a return URL's second hash dropped", { returnUrl: `${SHOP}/#a#b` }, { returnUrl: `${SHOP}/` }],
    ["a return URL of 1000", { returnUrl: urlOf(1000) }, { returnUrl: urlOf(1000) }],
    ["a loopback URL of a sandbox", { returnUrl: "http://127.0.0.1:3000/a" }, { returnUrl: "http://127.0.0.1:3000/a" }],
    ["localhost of a sandbox", { returnUrl: "http://localhost:3000/" }, { returnUrl: "http://localhost:3000/" }],
    ["singleUse false", { singleUse: false }, { singleUse: false }],
    ["singleUse null", { singleUse: null }, { singleUse: true }],
    ["expiry with Z", { expiresAt: at(1000) }, { expiresAt: at(1000) }],
    ["expiry with an offset", { expiresAt: "2027-03-01T12:00:01+02:00" }, { expiresAt: "2027-03-01T10:00:01.000Z" }],
    ["expiry in a millisecond", { expiresAt: at(1) }, { expiresAt: at(1) }],
    ["expiry 366 days ahead", { expiresAt: at(366 * DAY) }, { expiresAt: at(366 * DAY) }],
    ["expiry null", { expiresAt: null }, { expiresAt: null }],
    [
      "unknown fields ignored",
      { colour: "red", id: "plink_x", active: false, paidCount: 9 },
      { active: true, paidCount: 0 },
    ],
    [
      "every optional field null",
      { description: null, returnUrl: null, metadata: null, recurring: null },
      { metadata: {} },
    ],
  ];
  for (const [name, given, shown] of KEPT)
    test(name, async () => {
      const { status, body } = await create(given);
      assert.equal(status, 201, JSON.stringify(body));
      for (const [field, value] of Object.entries(shown)) assert.deepEqual(body[field], value, field);
    });

  test("what create answers, get answers", async () => {
    const { body } = await create({
      externalReference: "same",
      metadata: { a: 1 },
      description: "d",
      expiresAt: at(DAY),
    });
    const { body: read } = await links.merchant.get(`/payment-links/${body.id}`);
    assert.deepEqual(read, { ...body, payments: [], subscription: null });
  });

  /** Numbers as text, since JSON holds more digits than a double. */
  const WRITTEN: [string, number][] = [
    ["1.00499999999999999999", 1],
    ["1.005000000000000000001", 1.01],
    ["0.00500000000000000000000", 0.01],
    ["2.50e2", 250],
    ["1E0", 1],
    ["25000e-2", 250],
    ["1.0050", 1.01],
    ["0.1000000000000000055511151231257827", 0.1],
  ];
  for (const [text, amount] of WRITTEN)
    test(`amount ${text} is ${amount}`, async () => {
      const { status, body } = await links.merchant.post<Link>("/payment-links", `{"title":"a","amount":${text}}`);
      assert.deepEqual([status, body["amount"]], [201, amount]);
    });
});

describe("201, metadata (interface 2.1)", () => {
  const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, "v"]));
  const KEPT: [string, unknown, object][] = [
    [
      "numbers and booleans become strings",
      { a: 1, b: 1.5, c: true, d: false, e: -0.5 },
      { a: "1", b: "1.5", c: "true", d: "false", e: "-0.5" },
    ],
    ["nulls are dropped", { a: null, b: "x" }, { b: "x" }],
    ["empty strings are values", { a: "" }, { a: "" }],
    ["every character of a key", { "Az09_.:-": "x" }, { "Az09_.:-": "x" }],
    ["a key of 40", { [long(40)]: "x" }, { [long(40)]: "x" }],
    ["a value of 500 emoji", { a: long(500, EMOJI) }, { a: long(500, EMOJI) }],
    ["values keep their spaces", { a: "  x  " }, { a: "  x  " }],
    ["50 keys", fifty, fifty],
    ["50 keys beside nulls", { ...fifty, n: null }, fifty],
    ["4000 characters as JSON", metadataOf(4000), metadataOf(4000)],
    ["constructor and toString", { constructor: "a", toString: "b" }, { constructor: "a", toString: "b" }],
    ["null", null, {}],
    ["empty", {}, {}],
    ["the largest whole number of a double", { a: 9_007_199_254_740_991 }, { a: "9007199254740991" }],
    ["16 digits", { order: 1_234_567_890_123_456 }, { order: "1234567890123456" }],
  ];
  for (const [name, given, shown] of KEPT)
    test(name, async () => {
      const { status, body } = await create({ metadata: given });
      assert.equal(status, 201, JSON.stringify(body));
      assert.deepEqual(body["metadata"], shown);
      const { body: read } = await links.merchant.get(`/payment-links/${body.id}`);
      assert.deepEqual(read["metadata"], shown);
    });

  test("a key called __proto__ is data", async () => {
    const { status, body, text } = await links.merchant.post<Link>(
      "/payment-links",
      '{"title":"a","amount":1,"metadata":{"__proto__":"x"}}',
    );
    assert.equal(status, 201);
    assert.match(text, /"metadata":\{"__proto__":"x"\}/);
    assert.match((await links.merchant.get(`/payment-links/${body.id}`)).text, /"metadata":\{"__proto__":"x"\}/);
  });
});

describe("currency and Manual EFT", () => {
  test("a once-off link may be for Manual EFT alone", async () => {
    const shop = await links.api.addMerchant();
    await shop.addGateway({ type: "manual_eft", credentials: BANK, currencies: ["ZAR"] });
    assert.equal((await shop.post("/payment-links", body())).status, 201);
    await refused(shop.post("/payment-links", body({ currency: "USD" })), "currency");
  });

  test("a recurring one may not", async () => {
    const shop = await links.api.addMerchant();
    await shop.addGateway({ type: "manual_eft", credentials: BANK });
    await refused(shop.post("/payment-links", body({ recurring: { frequency: "monthly" } })), "recurring");
  });
});

describe("customers of a link", () => {
  const customerOf = async (link: Link) =>
    (
      await links.api.query<{ id: string; email: string; first_name: string; last_name: string | null }>(
        "select c.id, c.email, c.first_name, c.last_name from payment_links l join customers c on c.id = l.customer_id where l.id = $1",
        link.id,
      )
    )[0];
  const add = async (fields: object, of = links.merchant) =>
    (await of.post<{ id: string }>("/customers", fields)).body.id;

  test("an unknown email creates a customer", async () => {
    const { body } = await create({
      customerEmail: "new@example.org",
      customerFirstName: "Nandi",
      customerLastName: "Dube",
    });
    const { id: _id, ...made } = (await customerOf(body)) ?? { id: "" };
    assert.deepEqual(made, { email: "new@example.org", first_name: "Nandi", last_name: "Dube" });
  });

  test("the first name defaults to what stands before the at-sign", async () => {
    const { body } = await create({ customerEmail: "thandi.m+1@example.org" });
    assert.equal((await customerOf(body))?.first_name, "thandi.m+1");
    const empty = await create({ customerEmail: "sipho@example.org", customerFirstName: "", customerLastName: " " });
    const made = await customerOf(empty.body);
    assert.deepEqual([made?.first_name, made?.last_name], ["sipho", null]);
  });

  test("names of 100 characters are kept", async () => {
    const { body } = await create({
      customerEmail: "names@example.org",
      customerFirstName: long(100, EMOJI),
      customerLastName: long(100),
    });
    const made = await customerOf(body);
    assert.deepEqual([made?.first_name, made?.last_name], [long(100, EMOJI), long(100)]);
  });

  test("the customer with the email is used, the oldest of several, upper and lower case alike, and is not changed", async () => {
    const oldest = await add({ email: "Match@Example.org", firstName: "First" });
    await add({ email: "match@example.org", firstName: "Second" });
    const { body } = await create({
      customerEmail: "mATCH@eXAMPLE.ORG",
      customerFirstName: "Other",
      customerLastName: "Name",
    });
    assert.deepEqual(await customerOf(body), {
      id: oldest,
      email: "Match@Example.org",
      first_name: "First",
      last_name: null,
    });
  });

  test("customerId takes precedence over customerEmail, which then creates no customer", async () => {
    const id = await add({ email: "given@example.org" });
    const { status, body } = await create({ customerId: id, customerEmail: "ignored@example.org" });
    assert.equal(status, 201);
    assert.equal((await customerOf(body))?.id, id);
    assert.equal((await links.api.query("select from customers where email = 'ignored@example.org'")).length, 0);
  });

  test("another organisation's customer is no customer here: neither by id nor by email", async () => {
    const other = await links.api.addMerchant();
    const id = await add({ email: "theirs@example.org" }, other);
    await refused(create({ customerId: id }), "customerId");
    const { body } = await create({ customerEmail: "theirs@example.org" });
    assert.notEqual((await customerOf(body))?.id, id);
  });

  test("twenty at once with one new email make one customer", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create({ customerEmail: n % 2 ? "race@example.org" : "RACE@example.org" })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal((await links.api.query("select from customers where lower(email) = 'race@example.org'")).length, 1);
  });
});

describe("products of a link", () => {
  const PRODUCT = `insert into products (organisation_id, id, name, amount_cents, currency, tax_rate, tax_inclusive, recurring_frequency, enabled,
    created_at, updated_at) values ($1, $2, 'Box', 9900, 'ZAR', 15, true, $3, true, now(), now())`;

  test("one of the organisation is taken, another's is unknown", async () => {
    const other = await links.api.addMerchant();
    const [own, theirs] = ["prod_00000000000000000000000001", "prod_00000000000000000000000002"];
    await links.api.query(PRODUCT, links.merchant.organisation.id, own, null);
    await links.api.query(PRODUCT, other.organisation.id, theirs, null);
    assert.equal((await create({ productId: own })).status, 201);
    await refused(create({ productId: theirs }), "productId");
  });
});

describe("403", () => {
  const code = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    return [status, (body as Refusal).error];
  };

  test("plan_restricted: a plan without the REST API", async () => {
    const starter = await links.api.addMerchant({ plan: "starter" });
    await starter.addGateway();
    assert.deepEqual(await code(starter.post("/payment-links", body())), [403, "plan_restricted"]);
    assert.equal(await count(starter), 0);
  });

  test("plan_limit: a new customer past the quota, while those there are go on", async () => {
    const full = await links.api.addMerchant({ limits: { customers: 1 } });
    await full.addGateway();
    assert.deepEqual(await code(full.post("/payment-links", body({ customerEmail: "one@example.org" }))), [
      201,
      undefined,
    ]);
    assert.deepEqual(await code(full.post("/payment-links", body({ customerEmail: "two@example.org" }))), [
      403,
      "plan_limit",
    ]);
    assert.deepEqual(await code(full.post("/payment-links", body({ customerEmail: "ONE@example.org" }))), [
      201,
      undefined,
    ]);
    assert.equal(await count(full), 2, "a link without its customer is not made");
  });

  for (const state of ["suspended", "cancelled"] as const)
    test(`account_restricted: ${state}`, async () => {
      const shut = await links.api.addMerchant();
      await shut.addGateway();
      await shut.change({ state });
      assert.deepEqual(await code(shut.post("/payment-links", body())), [403, "account_restricted"]);
      assert.equal((await shut.get("/payment-links")).status, 200);
    });
});
