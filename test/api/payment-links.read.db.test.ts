import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, type TestApi } from "../support/api.ts";

interface Link {
  readonly id: string;
  readonly title: string;
  readonly payments: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}
interface List {
  readonly data: readonly Link[];
}

/** Fields of list and get (interface 2.3). */
const FIELDS = [
  "id",
  "url",
  "shortUrl",
  "title",
  "description",
  "amount",
  "currency",
  "externalReference",
  "returnUrl",
  "metadata",
  "recurring",
  "singleUse",
  "active",
  "expiresAt",
  "paidCount",
  "createdAt",
  "payments",
  "subscription",
];
const PAYMENT_FIELDS = ["reference", "status", "amount", "currency", "paidAt", "createdAt"];

let api: TestApi;
let merchant: ApiMerchant;
let other: ApiMerchant;

before(async () => {
  api = await openApi();
  merchant = await addShop();
  other = await addShop();
});
after(() => api.close());

async function addShop(): Promise<ApiMerchant> {
  const shop = await api.addMerchant();
  await shop.addGateway();
  return shop;
}

const create = async (of: ApiMerchant, fields: object = {}) =>
  (await of.post<Link>("/payment-links", { title: "a", amount: 10, ...fields })).body.id;

/** Inserts `count` payments of a link, oldest first. */
async function addPayments(of: ApiMerchant, link: string, count: number): Promise<void> {
  await api.query(
    `insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type,
        sandbox, payment_link_id, paid_at, created_at)
     select $1, 'txn_' || lpad(nextval('attempts')::text, 26, '0'), 'TEFO-20270101-' || right($2, 6) || n, case when n % 2 = 0 then 'complete' else 'failed' end,
        1000 + n, 'ZAR', 'once', (select id from gateway_accounts where organisation_id = $1), 'sandbox', true, $2,
        case when n % 2 = 0 then timestamptz '2027-01-01 10:00:00Z' end, timestamptz '2027-01-01 09:00:00Z' + n * interval '1 second'
       from generate_series(1, $3::int) n`,
    of.organisation.id,
    link,
    count,
  );
}

describe("GET /payment-links/{id}", () => {
  before(() => api.query("create sequence if not exists attempts"));

  test("200: exactly the fields of interface 2.3", async () => {
    const id = await create(merchant);
    const { status, body } = await merchant.get<Link>(`/payment-links/${id}`);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), [...FIELDS].sort());
    assert.deepEqual([body.payments, body["subscription"]], [[], null]);
  });

  test("200: attempts newest first, failed ones too, each with its six fields", async () => {
    const id = await create(merchant);
    await addPayments(merchant, id, 3);
    const { payments } = (await merchant.get<Link>(`/payment-links/${id}`)).body;
    assert.deepEqual(
      payments.map((payment) => [payment["status"], payment["amount"], payment["paidAt"]]),
      [
        ["failed", 10.03, null],
        ["complete", 10.02, "2027-01-01T10:00:00.000Z"],
        ["failed", 10.01, null],
      ],
    );
    assert.equal(payments[0]?.["createdAt"], "2027-01-01T09:00:03.000Z");
    for (const payment of payments) assert.deepEqual(Object.keys(payment).sort(), [...PAYMENT_FIELDS].sort());
  });

  test("200: at most 100 attempts, the newest; 50 in the list", async () => {
    const id = await create(merchant, { externalReference: "many" });
    await addPayments(merchant, id, 130);
    const alone = (await merchant.get<Link>(`/payment-links/${id}`)).body.payments;
    const [listed] = (await merchant.get<List>("/payment-links?externalReference=many")).body.data;
    assert.deepEqual([alone.length, alone[0]?.["amount"], alone[99]?.["amount"]], [100, 11.3, 10.31]);
    assert.deepEqual([listed?.payments.length, listed?.payments[49]?.["amount"]], [50, 10.81]);
  });

  const UNKNOWN = [
    "plink_00000000000000000000000000",
    "x",
    "%00",
    "a%00b",
    "%F0%9F%8E%89",
    "plink_%27%20or%201%3D1--",
    "a".repeat(900),
    "..%2F..%2Fme",
  ];
  for (const id of UNKNOWN)
    test(`404 not_found: ${id.slice(0, 40)}`, async () => {
      const { status, body, headers } = await merchant.get<Refusal>(`/payment-links/${id}`);
      assert.deepEqual([status, body.error], [404, "not_found"]);
      assert.ok(headers["x-ratelimit-limit"]);
    });

  test("404 not_found: another organisation's, in the same words as one that is none", async () => {
    const theirs = await merchant.get<Refusal>(`/payment-links/${await create(other)}`);
    const none = await merchant.get<Refusal>("/payment-links/plink_00000000000000000000000000");
    assert.equal(theirs.status, 404);
    assert.deepEqual({ ...theirs.body, requestId: null }, { ...none.body, requestId: null });
  });
});

describe("GET /payment-links", () => {
  let shop: ApiMerchant;
  const list = async (query = "", of = shop) => (await of.get<List>(`/payment-links${query}`)).body;
  const titles = async (query: string) => (await list(query)).data.map(({ title }) => title);

  before(async () => {
    shop = await addShop();
    for (let n = 1; n <= 103; n++)
      await create(shop, { title: `n${n}`, externalReference: n % 2 ? `odd ${n % 10}` : undefined });
  });

  test("200: newest first, full objects, 20 of them", async () => {
    const { data, ...rest } = await list();
    assert.deepEqual(rest, { hasMore: true, nextCursor: data.at(-1)?.id });
    assert.deepEqual(
      data.map(({ title }) => title),
      Array.from({ length: 20 }, (_, n) => `n${103 - n}`),
    );
    for (const link of data) assert.deepEqual(Object.keys(link).sort(), [...FIELDS].sort());
  });

  /** Interface 4.1: out of range is clamped, invalid falls back to 20. */
  const LIMITS: [string, number][] = [
    ["1", 1],
    ["20", 20],
    ["99", 99],
    ["100", 100],
    ["101", 100],
    ["1000000", 100],
    ["99999999999999999999999", 100],
    ["0", 1],
    ["-1", 1],
    ["-99999999999999999999999", 1],
    ["", 20],
    ["abc", 20],
    ["5.5", 20],
    ["1e1", 20],
    ["0x10", 20],
    ["5%00", 20],
    ["%F0%9F%8E%89", 20],
    ["NaN", 20],
    ["Infinity", 20],
    ["5&limit=7", 20],
    ["007", 7],
    ["%205%20", 5],
  ];
  for (const [limit, length] of LIMITS)
    test(`limit=${limit}: ${length}`, async () => assert.equal((await list(`?limit=${limit}`)).data.length, length));

  const FILTERS: [string, string[]][] = [
    ["?externalReference=odd%201&limit=2", ["n101", "n91"]],
    ["?externalReference=%20%09odd%201%0A&limit=1", ["n101"]],
    ["?externalReference=+odd+1+&limit=1", ["n101"]],
    ["?externalReference=odd", []],
    ["?externalReference=ODD%201", []],
    ["?externalReference=odd%25", []],
    ["?externalReference=odd%201%00", []],
    ["?externalReference=%ED%A0%80", []],
    ["?externalReference=x%27%20or%201%3D1--", []],
    [`?externalReference=${"a".repeat(5000)}`, []],
  ];
  for (const [query, expected] of FILTERS)
    test(query.slice(0, 60), async () => assert.deepEqual(await titles(query), expected));

  test("a reference of emoji is found", async () => {
    await create(other, { title: "party", externalReference: "🎉 é" });
    const { data } = await list(`?externalReference=${encodeURIComponent(" 🎉 é ")}`, other);
    assert.deepEqual(
      data.map(({ title }) => title),
      ["party"],
    );
  });

  test("references are not unique: every link that has it", async () => {
    await create(other, { title: "one", externalReference: "twice" });
    await create(other, { title: "two", externalReference: "twice" });
    const { data } = await list("?externalReference=twice", other);
    assert.deepEqual(
      data.map(({ title }) => title),
      ["two", "one"],
    );
  });

  test("another organisation's links are not there", async () => {
    const empty = await addShop();
    assert.deepEqual(await list("", empty), { data: [], hasMore: false, nextCursor: null });
    assert.deepEqual(await list("?externalReference=odd%201", empty), { data: [], hasMore: false, nextCursor: null });
  });

  test("200 on a read-only account", async () => {
    const shut = await addShop();
    const id = await create(shut);
    await shut.change({ state: "suspended" });
    assert.equal((await shut.get("/payment-links")).status, 200);
    assert.equal((await shut.get(`/payment-links/${id}`)).status, 200);
  });
});

test("staff see which links are invoices'", async () => {
  const shop = await addShop();
  const staff = await shop.signIn("support");
  const customer = await shop.post<{ id: string }>("/customers", { email: "t@example.co.za" });
  const lines = [{ description: "Rent", quantity: 1, unitPrice: 100, taxRate: 0 }];
  const invoice = await shop.post<{ id: string }>("/invoices", { customerId: customer.body.id, lines, send: true });
  const given = await shop.post<Link>("/payment-links", { title: "A part", amount: 10, invoiceId: invoice.body.id });
  assert.equal(given.status, 201, given.text);
  const listed = async () => (await staff<List>("GET", "/payment-links")).body.data;
  const [part, own] = await listed();
  assert.ok(part && own);
  assert.partialDeepStrictEqual(part, { id: given.body.id, invoiceId: invoice.body.id, collectsBalance: false });
  assert.partialDeepStrictEqual(own, { active: true, invoiceId: invoice.body.id, collectsBalance: true });
  const one = await staff<Link>("GET", `/payment-links/${own.id}`);
  assert.equal(one.body["collectsBalance"], true);
  for (const link of (await shop.get<List>("/payment-links")).body.data)
    assert.deepEqual(Object.keys(link), FIELDS, "clients are shown what they were");
});
