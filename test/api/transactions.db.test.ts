import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { type ApiMerchant, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { addTransfers } from "../support/eft.ts";
import { addPayment, CREDENTIALS, notify, reportedPayment } from "../support/payments.ts";

type Transaction = Readonly<Record<string, unknown>>;

/** Fields of interface 2.7, with the flags of interface 16.21. */
const FIELDS = [
  "reference",
  "status",
  "amount",
  "fee",
  "net",
  "currency",
  "type",
  "gateway",
  "description",
  "providerRef",
  "payerEmail",
  "paymentLinkId",
  "externalReference",
  "eftOrderId",
  "metadata",
  "renewal",
  "parentReference",
  "subscriptionId",
  "refundedAmount",
  "refunds",
  "invoice",
  "flags",
  "paidAt",
  "createdAt",
];

let api: TestApi;
let merchant: ApiMerchant;
let account: GatewayAccount;
before(async () => {
  api = await openApi();
  merchant = await api.addMerchant();
  account = await merchant.addGateway({ credentials: CREDENTIALS });
});
after(() => api.close());

const get = (reference: string, of = merchant) =>
  of.get<Transaction & Refusal>(`/transactions/${encodeURIComponent(reference)}`);

describe("200", () => {
  test("an attempt that is pending, in a sandbox: every field, and the marker", async () => {
    const reference = await addPayment(api, merchant, account, { cents: 1050 });
    const { status, body } = await get(reference);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      reference,
      status: "pending",
      amount: 10.5,
      fee: null,
      net: null,
      currency: "ZAR",
      type: "once",
      gateway: "sandbox",
      description: null,
      providerRef: null,
      payerEmail: null,
      paymentLinkId: null,
      externalReference: null,
      eftOrderId: null,
      metadata: {},
      renewal: false,
      parentReference: null,
      subscriptionId: null,
      refundedAmount: 0,
      refunds: [],
      invoice: null,
      flags: [],
      sandbox: true,
      paidAt: null,
      createdAt: "2027-01-01T09:00:00.000Z",
    });
  });

  test("a live organisation's has no marker, and the same fields", async () => {
    const live = await api.addMerchant({ sandbox: false });
    const reference = await addPayment(api, live, await addTransfers(live));
    await api.query("update transactions set sandbox = false where reference = $1", reference);
    assert.deepEqual(Object.keys((await get(reference, live)).body).sort(), [...FIELDS].sort());
  });

  test("one that is complete: fee, net, payer, the gateway's id, and what its link says", async () => {
    const link = { title: "Deposit", amount: 100, externalReference: "o-1", metadata: { order: 7 } };
    const { body: made } = await merchant.post("/payment-links", link);
    const reference = await addPayment(api, merchant, account, { linkId: String(made["id"]) });
    await api.query(
      "update transactions t set description = l.title, external_reference = l.external_reference, metadata = l.metadata from payment_links l where l.id = t.payment_link_id and reference = $1",
      reference,
    );
    await notify(api, account, {
      payment: reportedPayment(reference, "complete", { payerEmail: "payer@example.org" }),
    });
    const { body } = await get(reference);
    assert.deepEqual(
      [body["status"], body["amount"], body["fee"], body["net"], body["providerRef"], body["payerEmail"]],
      ["complete", 100, 3.9, 96.1, `sbp_${reference}`, "payer@example.org"],
    );
    assert.deepEqual(
      [body["paymentLinkId"], body["description"], body["externalReference"], body["metadata"]],
      [made["id"], "Deposit", "o-1", { order: "7" }],
    );
    assert.match(String(body["paidAt"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  const AMOUNTS: [number, number | null, [number, number | null, number | null]][] = [
    [1, null, [0.01, null, null]],
    [1_000_000_000, 1, [10_000_000, 0.01, 9_999_999.99]],
    [110, 0, [1.1, 0, 1.1]],
    [30, 10, [0.3, 0.1, 0.2]],
    [1, 100, [0.01, 1, -0.99]],
  ];
  for (const [cents, fee, shown] of AMOUNTS)
    test(`${cents} cents and a fee of ${fee}: ${shown}`, async () => {
      const reference = await addPayment(api, merchant, account, { cents, status: "complete" });
      await api.query("update transactions set fee_cents = $2 where reference = $1", reference, fee);
      const { body } = await get(reference);
      assert.deepEqual([body["amount"], body["fee"], body["net"]], shown);
    });

  test("refunds oldest first without failed ones; the sum counts what is under way", async () => {
    const reference = await addPayment(api, merchant, account, { status: "partially_refunded" });
    const statuses = ["processed", "failed", "requested", "pending", "processed"];
    for (const [n, status] of statuses.entries())
      await api.query(
        `insert into refunds (organisation_id, id, transaction_id, refund_number, amount_cents, currency, method, status, processed_at, created_at)
         select organisation_id, 'ref_' || lpad($2::text, 26, '0'), id, reference || '-R' || $2, 100 * $2::int, currency, 'gateway', $3,
           case when $3 = 'processed' then timestamptz '2027-01-02Z' end, timestamptz '2027-01-01Z' from transactions where reference = $1`,
        reference,
        n + 1,
        status,
      );
    const { body } = await get(reference);
    assert.equal(body["refundedAmount"], 13);
    const refund = { currency: "ZAR", createdAt: "2027-01-01T00:00:00.000Z" };
    const [pending, processed] = [
      { status: "pending", processedAt: null },
      { status: "processed", processedAt: "2027-01-02T00:00:00.000Z" },
    ];
    assert.deepEqual(body["refunds"], [
      { refundNumber: `${reference}-R1`, amount: 1, ...refund, ...processed },
      { refundNumber: `${reference}-R3`, amount: 3, ...refund, ...pending },
      { refundNumber: `${reference}-R4`, amount: 4, ...refund, ...pending },
      { refundNumber: `${reference}-R5`, amount: 5, ...refund, ...processed },
    ]);
  });

  /** Interface 2.2: references are opaque, at most 190 characters. */
  const REFERENCES = [
    "PAY-20240131-0A1B2C3D",
    "TEFO-20270101-0A1B2C3D-sbp_123/456",
    "DO0123456789-20270131",
    "EFT-ABCD2345",
    "TEFOC-0123456789ABCDEF-1",
    "a b+c%20?d#e&f=g",
    "..",
    "é🎉",
    "r".repeat(190),
    "🎉".repeat(190),
    "TEFO-20270101-",
  ];
  for (const reference of REFERENCES)
    test(`reference ${reference.slice(0, 40)}`, async () => {
      await addPayment(api, merchant, account, { reference });
      const path = encodeURIComponent(reference).replaceAll(".", "%2E");
      const { status, body } = await merchant.get<Transaction>(`/transactions/${path}`);
      assert.deepEqual([status, body["reference"]], [200, reference]);
    });

  test("on a read-only account", async () => {
    const shut = await api.addMerchant();
    const reference = await addPayment(api, shut, await shut.addGateway());
    for (const state of ["suspended", "cancelled"]) {
      await shut.change({ state });
      assert.equal((await get(reference, shut)).status, 200);
    }
  });

  test("growth may: it needs no feature but API access", async () => {
    const growth = await api.addMerchant({ plan: "growth" });
    assert.equal((await get(await addPayment(api, growth, await growth.addGateway()), growth)).status, 200);
  });
});

describe("404 not_found", () => {
  const UNKNOWN = [
    "TEFO-20270101-00000000",
    "x",
    "\0",
    "a\0b",
    " ",
    "r".repeat(191),
    "%",
    "' or 1=1 --",
    "txn_00000000000000000000000000",
  ];
  for (const reference of UNKNOWN)
    test(JSON.stringify(reference).slice(0, 40), async () => {
      const { status, body } = await get(reference);
      assert.deepEqual([status, body.error], [404, "not_found"]);
    });

  test("another case, and spaces around, name another reference", async () => {
    const reference = await addPayment(api, merchant, account);
    for (const other of [reference.toLowerCase(), ` ${reference}`, `${reference} `, `${reference}\n`])
      assert.equal((await get(other)).status, 404);
  });

  test("another organisation's, in the same words as one that is none; each sees its own of one reference", async () => {
    const other = await api.addMerchant();
    const theirs = await other.addGateway();
    const reference = await addPayment(api, other, theirs);
    const answer = await get(reference);
    assert.equal(answer.status, 404);
    const none = await get("TEFO-20270101-00000000");
    assert.deepEqual({ ...answer.body, requestId: "" }, { ...none.body, requestId: "" });
    await addPayment(api, merchant, account, { reference, cents: 4200 });
    assert.equal((await get(reference)).body["amount"], 42);
    assert.equal((await get(reference, other)).body["amount"], 100);
  });
});

test("staff list them by status; one that is no status is refused", async () => {
  const shop = await api.addMerchant();
  const reference = await addPayment(api, shop, await shop.addGateway());
  const staff = await shop.signIn("viewer");
  const list = (status: string) => staff<{ data: { reference: string }[] }>("GET", `/transactions?status=${status}`);
  assert.deepEqual(
    (await list("pending")).body.data.map((one) => one.reference),
    [reference],
  );
  assert.deepEqual((await list("complete")).body.data, []);
  assert.equal((await list("lost")).status, 400);
});
