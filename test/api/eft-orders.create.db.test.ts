import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { type ApiMerchant, issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { addOrder, addTransfers, BANK, type EftOrderBody } from "../support/eft.ts";
import { mailsOf } from "../support/mails.ts";

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  await addTransfers(shop);
});
after(() => api.close());

const create = (body: object, headers = {}) => shop.post<EftOrderBody & Refusal>("/eft-orders", body, { headers });
const transactionOf = async (reference: string) => (await shop.get(`/transactions/${reference}`)).body;
const due = async (id: string) =>
  (
    await api.query<{ kind: string; due_at: Date }>(
      "select kind, due_at from due_work where subject = $1 order by kind",
      id,
    )
  ).map(({ kind, due_at }) => [kind, due_at.toISOString()]);
const mails = (organisation: Organisation) => mailsOf(api.services, organisation);

describe("creating an EFT order (interface 2.11, 4.9)", () => {
  test("answers 201 with every field", async () => {
    const still = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
    await addTransfers(still);
    const { body: customer } = await still.post<{ id: string }>("/customers", {
      externalReference: "C-1",
      email: "t@example.co.za",
    });
    const answer = await still.post<EftOrderBody>("/eft-orders", {
      amount: 1234.5,
      description: "Order 1042",
      externalReference: " o-1042 ",
      metadata: { cart: 7 },
      customer: { externalReference: "C-1" },
    });
    assert.equal(answer.status, 201);
    const { id, reference, payUrl, ...rest } = answer.body;
    assert.match(id, /^eft_[0-9a-z]{26}$/);
    assert.match(reference, /^EFT-[2-9A-HJKMNP-Z]{8}$/);
    assert.match(payUrl, new RegExp(`^${api.baseUrl}/eft/[A-Za-z0-9_-]{64}$`));
    assert.deepEqual(rest, {
      status: "awaiting_payment",
      amount: 1234.5,
      currency: "ZAR",
      description: "Order 1042",
      externalReference: "o-1042",
      metadata: { cart: "7" },
      customer: { id: customer.id, externalReference: "C-1" },
      bankDetails: BANK,
      paymentReference: reference,
      proofs: [],
      rejectionReason: null,
      expiresAt: "2027-03-08T10:00:00.000Z",
      reviewedAt: null,
      paidAt: null,
      createdAt: "2027-03-01T10:00:00.000Z",
    });
    assert.deepEqual((await still.get(`/eft-orders/${id}`)).body, answer.body);
    assert.deepEqual(await due(id), [
      ["eft.expire", "2027-03-08T10:00:00.000Z"],
      ["eft.remind", "2027-03-06T10:00:00.000Z"],
    ]);
  });

  test("makes its pending transaction, about which no gateway is asked", async () => {
    const order = await addOrder(shop, { externalReference: "t-1", metadata: { a: "b" }, description: "Deposit" });
    const transaction = await transactionOf(order.reference);
    assert.deepEqual(
      [
        transaction["status"],
        transaction["type"],
        transaction["gateway"],
        transaction["eftOrderId"],
        transaction["amount"],
      ],
      ["pending", "eft", "manual_eft", order.id, 100],
    );
    assert.deepEqual(
      [transaction["externalReference"], transaction["metadata"], transaction["description"], transaction["sandbox"]],
      ["t-1", { a: "b" }, "Deposit", true],
    );
    const [{ n } = { n: -1 }] = await api.query<{ n: number }>(
      "select count(*)::int as n from due_work d join transactions t on t.id = d.subject where t.reference = $1",
      order.reference,
    );
    assert.equal(n, 0);
  });

  test("takes a customer by id, and another currency that an account takes", async () => {
    const merchant = await api.addMerchant();
    await addTransfers(merchant, ["USD"]);
    const { body: customer } = await merchant.post<{ id: string }>("/customers", {});
    const order = await addOrder(merchant, { currency: "usd", customer: { id: customer.id } });
    assert.deepEqual([order.currency, order.customer], ["USD", { id: customer.id, externalReference: null }]);
    assert.equal((await merchant.post("/eft-orders", { amount: 1 })).status, 400);
  });

  test("is mailed to the payer when asked, once", async () => {
    const merchant = await api.addMerchant();
    await addTransfers(merchant);
    await merchant.post("/customers", { externalReference: "C-1", email: "thandi@example.co.za" });
    const body = { amount: 50, externalReference: "n-1", customer: { externalReference: "C-1" }, notifyPayer: true };
    const { body: order } = await merchant.post<EftOrderBody>("/eft-orders", body);
    assert.equal((await merchant.post("/eft-orders", body)).status, 200);
    const sent = await mails(merchant.organisation);
    assert.deepEqual(
      sent.map(({ kind, recipients }) => [kind, recipients]),
      [["eft_details", ["thandi@example.co.za"]]],
    );
    for (const text of [order.reference, BANK.accountNumber, order.payUrl])
      assert.ok(sent[0]?.text.includes(text), text);
  });

  const WRONG: [string, object, string][] = [
    ["no amount", { amount: undefined }, "amount"],
    ["an amount of zero", { amount: 0 }, "amount"],
    ["an amount that rounds to zero", { amount: 0.004 }, "amount"],
    ["an amount below zero", { amount: -1 }, "amount"],
    ["an amount over ten million", { amount: 10_000_000.01 }, "amount"],
    ["an amount as text", { amount: "100" }, "amount"],
    ["a currency that is none", { currency: "ZZZ" }, "currency"],
    ["a currency without a Manual EFT gateway", { currency: "USD" }, "currency"],
    ["a long reference", { externalReference: "x".repeat(101) }, "externalReference"],
    ["a blank reference", { externalReference: "  " }, "externalReference"],
    ["a long description", { description: "x".repeat(256) }, "description"],
    ["nested metadata", { metadata: { a: { b: 1 } } }, "metadata"],
    ["an expiry in the past", { expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
    ["an expiry over a year ahead", { expiresAt: "2099-01-01T00:00:00Z" }, "expiresAt"],
    ["an expiry without a time", { expiresAt: "2027-01-01" }, "expiresAt"],
    ["an unknown customer", { customer: { externalReference: "nobody" } }, "customer"],
    ["an unknown customer id", { customer: { id: "cus_nobody" } }, "customer"],
    ["a customer who is not named", { customer: {} }, "customer"],
    ["a customer named twice", { customer: { id: "cus_a", externalReference: "a" } }, "customer"],
    ["notifyPayer without a customer", { notifyPayer: true }, "notifyPayer"],
    ["notifyPayer that is no boolean", { notifyPayer: "yes" }, "notifyPayer"],
  ];
  for (const [name, body, path] of WRONG)
    test(`${name}: 400`, async () => {
      const answer = await create({ amount: 100, ...body });
      assert.deepEqual([answer.status, answer.body.error, issuePaths(answer)], [400, "invalid_request", [path]]);
    });

  test("notifyPayer with a customer without an address: 400", async () => {
    await shop.post("/customers", { externalReference: "silent" });
    const answer = await create({ amount: 1, customer: { externalReference: "silent" }, notifyPayer: true });
    assert.deepEqual([answer.status, issuePaths(answer)], [400, ["notifyPayer"]]);
  });

  test("the bounds themselves are taken", async () => {
    await addOrder(shop, { amount: 10_000_000, externalReference: "x".repeat(100), description: "y".repeat(255) });
    await addOrder(shop, { amount: 0.01 });
  });

  test("a disabled account is none", async () => {
    const merchant = await api.addMerchant();
    const account = await addTransfers(merchant);
    const staff = await merchant.signIn();
    await staff("PATCH", `/gateways/${account.id}`, { enabled: false });
    const refused = await merchant.post<Refusal>("/eft-orders", { amount: 1 });
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["currency"]]);
  });

  test("another organisation's customer is unknown, its order not found", async () => {
    const other = await api.addMerchant();
    await addTransfers(other);
    const { body: customer } = await other.post<{ id: string }>("/customers", {});
    assert.equal((await create({ amount: 1, customer: { id: customer.id } })).status, 400);
    const order = await addOrder(other);
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/cancel"],
    ] as const)
      assert.equal((await shop.call(method, `/eft-orders/${order.id}${path}`)).status, 404, path);
  });

  test("needs Payment links and the REST API, and an account that is not read-only", async () => {
    const starter = await api.addMerchant({ plan: "starter" });
    assert.equal((await starter.post<Refusal>("/eft-orders", { amount: 1 })).body.error, "plan_restricted");
    const closed = await api.addMerchant();
    await addTransfers(closed);
    const order = await addOrder(closed);
    await closed.change({ state: "suspended" });
    assert.equal((await closed.post<Refusal>("/eft-orders", { amount: 1 })).body.error, "account_restricted");
    assert.equal((await closed.get(`/eft-orders/${order.id}`)).status, 200);
  });
});

describe("an externalReference has one open order", () => {
  test("the same again: 200 with the same order; another amount or currency: 400", async () => {
    const first = await addOrder(shop, { amount: 70, externalReference: "same" });
    const again = await create({ amount: 70, externalReference: "same", description: "ignored" });
    assert.deepEqual([again.status, again.body], [200, first]);
    assert.equal((await create({ amount: 71, externalReference: "same" })).status, 400);
    assert.equal((await create({ amount: 70, currency: "USD", externalReference: "same" })).status, 400);
  });

  test("a closed one makes way for another", async () => {
    const first = await addOrder(shop, { externalReference: "again" });
    await shop.post(`/eft-orders/${first.id}/cancel`, undefined);
    const second = await addOrder(shop, { externalReference: "again" });
    assert.notEqual(second.id, first.id);
  });

  test("twenty creates at once make one", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create({ amount: 20, externalReference: "at once" })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(19).fill(200), 201]);
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  });

  test("a repeated Idempotency-Key replays the 201", async () => {
    const headers = { "idempotency-key": "eft-1" };
    const first = await create({ amount: 5 }, headers);
    const second = await create({ amount: 5 }, headers);
    assert.deepEqual([second.status, second.text, second.headers["idempotent-replayed"]], [201, first.text, "true"]);
    assert.equal((await create({ amount: 6 }, headers)).status, 409);
  });
});

describe("lists", () => {
  let merchant: ApiMerchant;
  let orders: EftOrderBody[];
  before(async () => {
    merchant = await api.addMerchant();
    await addTransfers(merchant);
    const { body } = await merchant.post<{ id: string }>("/customers", { externalReference: "L" });
    orders = [
      await addOrder(merchant, { description: "Blue bicycle" }),
      await addOrder(merchant, { externalReference: "second" }),
      await addOrder(merchant, { customer: { id: body.id } }),
    ];
    await merchant.post(`/eft-orders/${orders[0]?.id}/cancel`, undefined);
  });
  const ids = async (query: string) =>
    (await merchant.get<{ data: EftOrderBody[] }>(`/eft-orders${query}`)).body.data.map(({ id }) =>
      orders.findIndex((order) => order.id === id),
    );

  test("newest first, with the filters of the contract", async () => {
    assert.deepEqual(await ids(""), [2, 1, 0]);
    assert.deepEqual(await ids("?limit=1"), [2]);
    assert.deepEqual(await ids("?status=cancelled"), [0]);
    assert.deepEqual(await ids("?status=awaiting_payment"), [2, 1]);
    assert.deepEqual(await ids("?externalReference=second"), [1]);
    assert.deepEqual(await ids(`?customerId=${orders[2]?.customer?.id}`), [2]);
    assert.deepEqual(await ids("?customerId=cus_none"), []);
  });

  test("an unknown status: 400", async () => assert.equal((await merchant.get("/eft-orders?status=open")).status, 400));

  test("as get shows them", async () => {
    const { body } = await merchant.get<{ data: EftOrderBody[] }>("/eft-orders?limit=1");
    assert.deepEqual(body, { data: [orders[2]], hasMore: true, nextCursor: orders[2]?.id });
  });

  test("staff page through and search", async () => {
    const staff = await merchant.signIn("viewer");
    const first = await staff<{ data: EftOrderBody[]; hasMore: boolean; nextCursor: string }>(
      "GET",
      "/eft-orders?limit=2",
    );
    assert.deepEqual([first.body.hasMore, first.body.data.length], [true, 2]);
    const rest = await staff<{ data: EftOrderBody[]; hasMore: boolean }>(
      "GET",
      `/eft-orders?limit=2&startingAfter=${first.body.nextCursor}`,
    );
    assert.deepEqual([rest.body.hasMore, rest.body.data.map(({ id }) => id)], [false, [orders[0]?.id]]);
    for (const q of ["bicycle", orders[0]?.reference.toLowerCase() ?? ""])
      assert.deepEqual(
        (await staff<{ data: EftOrderBody[] }>("GET", `/eft-orders?q=${q}`)).body.data.map(({ id }) => id),
        [orders[0]?.id],
        q,
      );
  });
});
