import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { mailsOf } from "../support/mails.ts";
import { LINE, NOW, openQuoting, type Quoting, TODAY } from "../support/quotes.ts";
import { EMOJI, long } from "../support/text.ts";

const line = (fields: object) => [{ ...LINE, ...fields }];

let api: TestApi;
let shop: Quoting;
before(async () => {
  api = await openApi();
  shop = await openQuoting(api);
});
after(() => api.close());

describe("201", () => {
  test("a body of the required fields gives the object of interface 2.6, a draft", async () => {
    const { status, body } = await shop.create();
    assert.equal(status, 201, JSON.stringify(body));
    const { id, number, ...rest } = body;
    assert.match(id, /^quo_[0-9a-z]{26}$/);
    assert.match(number, /^QUO-\d{6}$/);
    assert.deepEqual(rest, {
      object: "quote",
      status: "draft",
      issueDate: "2027-02-28T22:00:00.000Z",
      expiryDate: null,
      periodStart: null,
      periodEnd: null,
      currency: "ZAR",
      taxInclusive: false,
      subtotal: 100,
      taxAmount: 15,
      total: 115,
      notes: null,
      customer: { id: shop.customerId, externalReference: "shop-17", email: "thandi@example.co.za" },
      invoice: null,
      lineItems: [{ ...LINE, details: null, amount: 100, taxRate: 15, periodStart: null, periodEnd: null }],
      sentAt: null,
      acceptedAt: null,
      acceptedBy: null,
      declinedAt: null,
      createdAt: NOW,
      updatedAt: NOW,
    });
    assert.deepEqual(
      (await shop.eventsOf(id)).map(({ type, data }) => [type, data]),
      [["quote.created", body]],
    );
  });

  test("send: true gives a sent one; quote.created, then quote.sent, and one mail with its page", async () => {
    const { body } = await shop.create({ send: true, expiryDate: "2027-03-31" });
    assert.deepEqual([body.status, body["sentAt"], body.expiryDate], ["sent", NOW, "2027-03-31T21:59:59.999Z"]);
    const events = await shop.eventsOf(body.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["quote.created", "quote.sent"],
    );
    for (const { data } of events) assert.deepEqual(data, body);
    const mails = await mailsOf(api.services, shop.merchant.organisation, { q: body.number });
    assert.deepEqual(
      mails.map(({ recipients }) => recipients),
      [["thandi@example.co.za"]],
    );
    assert.ok(JSON.stringify(mails[0]).includes(`${api.baseUrl}/quote/`), "the mail links to the page");
  });

  test("a customer without an address gets no mail, and the quote becomes sent", async () => {
    const { body: customer } = await shop.merchant.post<{ id: string }>("/customers", { firstName: "Sipho" });
    const { body } = await shop.create({ customerId: customer.id, send: true });
    assert.equal(body.status, "sent");
    const mails = await mailsOf(api.services, shop.merchant.organisation, { q: body.number });
    assert.deepEqual(mails, []);
  });

  /** Fields of the request, and those of the answer. */
  const KEPT: [string, object, object][] = [
    ["customerExternalReference", { customerId: undefined, customerExternalReference: "shop-17" }, {}],
    ["customerId null beside a reference", { customerId: null, customerExternalReference: "shop-17" }, {}],
    ["currency in lower case", { currency: "usd" }, { currency: "USD" }],
    ["a currency that no gateway takes", { currency: "JPY" }, { currency: "JPY" }],
    ["issueDate", { issueDate: "2026-01-31" }, { issueDate: "2026-01-30T22:00:00.000Z" }],
    ["expiryDate on the issue date", { expiryDate: TODAY }, { expiryDate: "2027-03-01T21:59:59.999Z" }],
    ["a leap day", { expiryDate: "2028-02-29" }, { expiryDate: "2028-02-29T21:59:59.999Z" }],
    [
      "a period of one day",
      { periodStart: "2027-04-01", periodEnd: "2027-04-01" },
      { periodStart: "2027-04-01", periodEnd: "2027-04-01" },
    ],
    ["notes of 4000 emoji", { notes: long(4000, EMOJI) }, { notes: long(4000, EMOJI) }],
    ["notes as given", { notes: " a\nb " }, { notes: " a\nb " }],
    ["notes empty", { notes: "" }, { notes: null }],
    ["taxInclusive null", { taxInclusive: null }, { taxInclusive: false }],
    ["send null", { send: null }, { status: "draft" }],
    ["unknown fields ignored", { colour: "red", status: "accepted", number: "QUO-9" }, { status: "draft" }],
    ["200 lines", { lineItems: Array.from({ length: 200 }, () => LINE) }, { subtotal: 20_000, total: 23_000 }],
    ["VAT on top", { lineItems: line({ quantity: 1, unitPrice: 100 }) }, { subtotal: 100, taxAmount: 15, total: 115 }],
    [
      "VAT taken out",
      { taxInclusive: true, lineItems: line({ quantity: 1, unitPrice: 115 }) },
      { taxInclusive: true, subtotal: 100, taxAmount: 15, total: 115 },
    ],
    [
      "the gross of a tax-inclusive quote does not move",
      { taxInclusive: true, lineItems: line({ quantity: 3, unitPrice: 33.33 }) },
      { subtotal: 86.95, taxAmount: 13.04, total: 99.99 },
    ],
    ["zero-rated", { lineItems: line({ taxRate: 0 }) }, { subtotal: 100, taxAmount: 0, total: 100 }],
    [
      "rates differ by line, each rounded once",
      {
        lineItems: [
          { ...LINE, quantity: 1, unitPrice: 0.1 },
          { ...LINE, quantity: 1, unitPrice: 0.1, taxRate: 15.5 },
        ],
      },
      { subtotal: 0.2, taxAmount: 0.04, total: 0.24 },
    ],
    ["a free line beside one that is not", { lineItems: [LINE, ...line({ unitPrice: 0 })] }, { total: 115 }],
    ["a unit price of 6 decimals", { lineItems: line({ quantity: 1000, unitPrice: 0.123456 }) }, { subtotal: 123.46 }],
  ];
  for (const [name, given, shown] of KEPT)
    test(name, async () => {
      const { status, body } = await shop.create(given);
      assert.equal(status, 201, JSON.stringify(body));
      for (const [field, value] of Object.entries(shown)) assert.deepEqual(body[field], value, field);
      assert.deepEqual((await shop.merchant.get(`/quotes/${body.id}`)).body, body, "read again it is the same");
    });

  test("a line keeps what it was given", async () => {
    const item = {
      description: " Painting ",
      details: "Two coats.\nWhite.",
      quantity: 0.125,
      unitPrice: 1234.567891,
      taxRate: 14.5,
      periodStart: "2027-03-01",
      periodEnd: "2027-03-31",
    };
    const { body } = await shop.create({ lineItems: [item] });
    assert.deepEqual(body.lineItems, [{ ...item, description: "Painting", amount: 154.32 }]);
  });

  test("lines stay in the order given, and a rate of null is the organisation's", async () => {
    const owner = await shop.merchant.signIn();
    await owner("PATCH", "/settings", { vatRate: 12.5 });
    const names = Array.from({ length: 12 }, (_, index) => `Item ${index}`);
    const { body } = await shop.create({
      lineItems: names.map((description) => ({ description, quantity: 1, unitPrice: 8, taxRate: null })),
    });
    await owner("PATCH", "/settings", { vatRate: null });
    assert.deepEqual(
      body.lineItems.map((item) => item["description"]),
      names,
    );
    assert.deepEqual([body.lineItems[0]?.["taxRate"], body.taxAmount], [12.5, 12]);
  });
});

describe("400 invalid_request, and nothing is kept:", () => {
  const REFUSED: [string, object, string][] = [
    ["no customer", { customerId: undefined }, "customerId"],
    ["two customers", { customerExternalReference: "shop-17" }, "customerId"],
    ["an unknown id", { customerId: "cus_00000000000000000000000000" }, "customerId"],
    ["an unknown reference", { customerId: null, customerExternalReference: "nobody" }, "customerExternalReference"],
    ["no lines", { lineItems: undefined }, "lineItems"],
    ["an empty list of lines", { lineItems: [] }, "lineItems"],
    ["201 lines", { lineItems: Array.from({ length: 201 }, () => LINE) }, "lineItems"],
    ["a line without a description", { lineItems: line({ description: "  " }) }, "lineItems.0.description"],
    ["a description of 1001", { lineItems: line({ description: long(1001) }) }, "lineItems.0.description"],
    ["details of 4001", { lineItems: line({ details: long(4001) }) }, "lineItems.0.details"],
    ["quantity 0", { lineItems: line({ quantity: 0 }) }, "lineItems.0.quantity"],
    ["quantity below 0", { lineItems: line({ quantity: -1 }) }, "lineItems.0.quantity"],
    ["quantity as text", { lineItems: line({ quantity: "2" }) }, "lineItems.0.quantity"],
    ["quantity of 7 decimals", { lineItems: line({ quantity: 0.0000001 }) }, "lineItems.0.quantity"],
    ["quantity of too many digits", { lineItems: line({ quantity: 1e21 }) }, "lineItems.0.quantity"],
    ["unit price below 0", { lineItems: line({ unitPrice: -0.01 }) }, "lineItems.0.unitPrice"],
    ["unit price of 7 decimals", { lineItems: line({ unitPrice: 1.0000001 }) }, "lineItems.0.unitPrice"],
    ["a rate above 100", { lineItems: line({ taxRate: 100.1 }) }, "lineItems.0.taxRate"],
    ["a rate below 0", { lineItems: line({ taxRate: -1 }) }, "lineItems.0.taxRate"],
    ["the second line's fault", { lineItems: [LINE, { ...LINE, quantity: 0 }] }, "lineItems.1.quantity"],
    ["a total of 0", { lineItems: line({ unitPrice: 0 }) }, "lineItems"],
    ["a total that rounds to 0", { lineItems: line({ quantity: 0.01, unitPrice: 0.01 }) }, "lineItems"],
    ["a total of too many digits", { lineItems: line({ quantity: 1e9, unitPrice: 1e9 }) }, "lineItems.0"],
    ["an unknown currency", { currency: "RND" }, "currency"],
    ["a date that does not exist", { issueDate: "2027-02-29" }, "issueDate"],
    ["a timestamp for a date", { expiryDate: "2027-03-31T00:00:00Z" }, "expiryDate"],
    ["a date before there were dates", { issueDate: "0000-00-00" }, "issueDate"],
    ["expiry before issue", { expiryDate: "2027-02-28" }, "expiryDate"],
    ["a period without an end", { periodStart: "2027-04-01" }, "periodEnd"],
    ["a period without a start", { periodEnd: "2027-04-01" }, "periodStart"],
    ["a period that ends first", { periodStart: "2027-04-02", periodEnd: "2027-04-01" }, "periodEnd"],
    ["a line's single period date", { lineItems: line({ periodStart: "2027-04-01" }) }, "lineItems.0.periodEnd"],
    [
      "a line's period that ends first",
      { lineItems: line({ periodStart: "2027-04-02", periodEnd: "2027-04-01" }) },
      "lineItems.0.periodEnd",
    ],
    ["notes of 4001", { notes: long(4001) }, "notes"],
    ["taxInclusive as text", { taxInclusive: "true" }, "taxInclusive"],
    ["send as a number", { send: 1 }, "send"],
  ];
  for (const [name, given, path] of REFUSED)
    test(name, async () => {
      const kept = await shop.merchant.get<{ data: { id: string }[] }>("/quotes?limit=1");
      const answer = await shop.create<Refusal>(given);
      const { status, body } = answer;
      assert.deepEqual([status, body.error], [400, "invalid_request"], JSON.stringify(body));
      assert.deepEqual([...new Set(issuePaths(answer))], [path], JSON.stringify(body));
      const now = await shop.merchant.get<{ data: { id: string }[] }>("/quotes?limit=1");
      assert.deepEqual(now.body.data[0]?.id, kept.body.data[0]?.id);
    });

  test("another organisation's customer", async () => {
    const other = await openQuoting(api);
    const { status } = await shop.create({ customerId: other.customerId });
    assert.equal(status, 400);
  });
});

test("numbers are sequential, and a refusal uses none up", async () => {
  const own = await openQuoting(api);
  const numbers: string[] = [];
  for (let n = 0; n < 3; n++) {
    numbers.push((await own.create()).body.number);
    assert.equal((await own.create({ customerId: "nobody" })).status, 400);
  }
  const together = await Promise.all(
    Array.from({ length: 12 }, (_, n) => own.create(n % 3 === 0 ? { lineItems: line({ unitPrice: 0 }) } : {})),
  );
  numbers.push(...together.filter(({ status }) => status === 201).map(({ body }) => body.number));
  assert.deepEqual(
    numbers.toSorted(),
    Array.from({ length: 11 }, (_, n) => `QUO-${String(n + 1).padStart(6, "0")}`),
  );
});

test("an Idempotency-Key gives the same quote again, and its events once", async () => {
  const sent = { headers: { "idempotency-key": "quote-1" } };
  const first = await shop.create({ send: true }, sent);
  const again = await shop.create({ send: true }, sent);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.equal((await shop.eventsOf(first.body.id)).length, 2);
  assert.equal((await shop.create({ send: false }, sent)).status, 409);
});

describe("403", () => {
  test("account_restricted: a read-only account may read, and change nothing", async () => {
    const own = await openQuoting(api);
    const { body } = await own.create();
    await own.merchant.change({ state: "suspended" });
    const refused = await own.create<Refusal>();
    assert.deepEqual([refused.status, refused.body.error], [403, "account_restricted"]);
    assert.equal((await own.merchant.get(`/quotes/${body.id}`)).status, 200);
  });

  for (const [role, status] of [
    ["viewer", 403],
    ["support", 201],
    ["finance", 201],
  ] as const)
    test(`staff who are ${role}: ${status}`, async () => {
      const staff = await shop.merchant.signIn(role);
      const body = { customerId: shop.customerId, lineItems: [LINE] };
      assert.equal((await staff("POST", "/quotes", body)).status, status);
      assert.equal((await staff("GET", "/quotes")).status, 200);
    });
});
