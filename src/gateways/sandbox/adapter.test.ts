import assert from "node:assert/strict";
import { test } from "node:test";
import { json, NOW } from "../../../test/support/gateways/calls.ts";
import {
  call,
  fakeGateway,
  IDENTITY,
  MANDATE,
  NOT_FOUND,
  PAYMENT,
  REFUND,
  REFUSED,
  REQUEST,
  SUBSCRIPTION,
} from "../../../test/support/gateways/sandbox.ts";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type GatewayAnswer, type GatewayHttp, GatewayUnclear } from "../http.ts";
import { sandbox, sandboxCancelOnly } from "./adapter.ts";
import { cardOf } from "./server.ts";
import * as wire from "./wire.ts";

const never: GatewayHttp = async () => assert.fail("no call is expected");
const { checkout, refunds, subscriptions, storedCards, debitOrders, eMandates, bankAccountCheck } = sandbox;

test("a payment starts with a checkout, keyed by our reference, and the payer is redirected", async () => {
  const { http, seen } = fakeGateway({
    "POST /checkouts": (body) => {
      // The sandbox's page saves the card of any payment that may.
      const { forCard: _forCard, ...asked } = REQUEST;
      assert.deepEqual(wire.CheckoutRequest.parse(body), asked);
      return json(201, { id: "sbc_1", redirectUrl: "http://localhost:8080/sandbox-gateway/pay/sbc_1" });
    },
  });
  assert.deepEqual(await checkout?.start(REQUEST, call(http)), {
    kind: "redirect",
    url: "http://localhost:8080/sandbox-gateway/pay/sbc_1",
    checkoutRef: "sbc_1",
  });
  assert.equal(seen[0]?.headers?.["idempotency-key"], REQUEST.reference);
  assert.equal(seen[0]?.repeatable, true);
});

// What the gateway answers to a start: a clear refusal, or unclear.
const ANSWERS: [string, GatewayAnswer, string | null][] = [
  ["a refusal with words", REFUSED, "It was cancelled."],
  ["a refusal without", { status: 400, headers: {}, body: "<html>" }, "The gateway answered 400."],
  ["unknown", NOT_FOUND, "The gateway does not know it."],
  ["too many requests", json(429, {}), null],
  ["time out", json(408, {}), null],
  ["a fault", json(500, { error: "internal_error", message: "x" }), null],
  ["a redirect", { status: 302, headers: { location: "/" }, body: "" }, null],
  ["no JSON", { status: 201, headers: {}, body: "ok" }, null],
  ["another shape", json(201, { id: "sbc_1" }), null],
  ["a page by script", json(201, { id: "sbc_1", redirectUrl: "javascript:alert(1)" }), null],
];
for (const [what, answer, reason] of ANSWERS)
  test(`start, answered with ${what}: ${reason ?? "unclear"}`, async () => {
    const started = checkout?.start(REQUEST, call(fakeGateway({ "POST /checkouts": answer }).http));
    if (reason === null) await assert.rejects(async () => started, GatewayUnclear);
    else assert.deepEqual(await started, { kind: "refused", reason });
  });

test("no answer is unclear", async () => {
  const silent = async () => {
    throw new GatewayUnclear("no answer in time");
  };
  await assert.rejects(async () => checkout?.start(REQUEST, call(silent)), GatewayUnclear);
});

const decline = { code: "card_token_error", message: "Add it again.", hard: true };
// The gateway's payment, and our fact.
const PAYMENTS: [Partial<wire.Payment>, object][] = [
  [{}, { kind: "paid", amount: 1999, fee: 158, providerRef: "sbp_1" }],
  [{ fee: null }, { kind: "paid", fee: null }],
  [
    { status: "failed", decline },
    { kind: "declined", hard: true, gatewayWord: "card_token_error" },
  ],
  [{ status: "cancelled" }, { kind: "abandoned" }],
  [{ status: "pending", id: null }, { kind: "pending" }],
  [
    { subscription: null, card: null },
    { subscription: null, card: null },
  ],
];
for (const [reported, fact] of PAYMENTS)
  test(`query: ${JSON.stringify(reported)}`, async () => {
    const path = `GET /payments/${REQUEST.reference}`;
    const { http } = fakeGateway({ [path]: json(200, { ...PAYMENT, ...reported }) });
    assert.partialDeepStrictEqual(await checkout?.query(IDENTITY, call(http)), fact);
  });

test("a query by the gateway's id, of what it does not know, and without a clear answer", async () => {
  const renewal = { ...IDENTITY, reference: `${REQUEST.reference}-sbp_2`, providerRef: "sbp_2" };
  const known = fakeGateway({ "GET /payments/sbp_2": json(200, { ...PAYMENT, id: "sbp_2" }) });
  assert.equal((await checkout?.query(renewal, call(known.http)))?.providerRef, "sbp_2");
  const path = `GET /payments/${REQUEST.reference}`;
  assert.equal(await checkout?.query(IDENTITY, call(fakeGateway({ [path]: NOT_FOUND }).http)), null);
  await assert.rejects(
    async () => checkout?.query(IDENTITY, call(fakeGateway({ [path]: REFUSED }).http)),
    GatewayUnclear,
  );
});

const REFUND_REQUEST = {
  payment: { ...IDENTITY, providerRef: "sbp_1" },
  refundId: "ref_1",
  amount: cents(999),
  reason: "Damaged",
  requestedAt: NOW,
  notifyUrl: REQUEST.notifyUrl,
};

test("a refund is keyed by our refund's id, can be refused, and can be asked about", async () => {
  const accepted = fakeGateway({
    "POST /refunds": (body) => {
      const { payment, requestedAt: _, ...asked } = REFUND_REQUEST;
      assert.deepEqual(wire.RefundRequest.parse(body), { ...asked, reference: payment.reference, paymentId: "sbp_1" });
      return json(201, { ...REFUND, status: "processed" });
    },
    "GET /refunds/ref_1": json(200, { ...REFUND, status: "processed" }),
  });
  const done = await refunds?.refund(REFUND_REQUEST, call(accepted.http));
  assert.partialDeepStrictEqual(done, { kind: "processed", providerRefundRef: "sbr_1" });
  assert.equal(accepted.seen[0]?.headers?.["idempotency-key"], "ref_1");
  const query = { ...REFUND_REQUEST, providerRefundRef: null };
  assert.deepEqual(await refunds?.query(query, call(accepted.http)), done);
  const { http } = fakeGateway({ "POST /refunds": REFUSED, "GET /refunds/ref_1": NOT_FOUND });
  const no = { kind: "refused", refundId: "ref_1", reason: "It was cancelled.", amount: 999 };
  assert.partialDeepStrictEqual(await refunds?.refund(REFUND_REQUEST, call(http)), no);
  assert.equal(await refunds?.query(query, call(http)), null);
});

test("subscriptions are paused, resumed, changed and cancelled; a refusal is answered", async () => {
  const answer = json(200, { ...SUBSCRIPTION, nextChargeOn: "2031-02-28" });
  const { http, seen } = fakeGateway({
    "POST /subscriptions/sbs_1/pause": answer,
    "POST /subscriptions/sbs_1/resume": answer,
    "POST /subscriptions/sbs_1/cancel": REFUSED,
    "PATCH /subscriptions/sbs_1": answer,
    "GET /subscriptions/sbs_1": answer,
  });
  const done = { kind: "done", nextChargeOn: "2031-02-28" };
  assert.deepEqual(await subscriptions?.pausing?.pause("sbs_1", call(http)), done);
  assert.deepEqual(await subscriptions?.pausing?.resume("sbs_1", call(http)), done);
  assert.deepEqual(await subscriptions?.changing?.change("sbs_1", { amount: cents(2500) }, call(http)), done);
  assert.deepEqual(JSON.parse(String(seen.at(-1)?.body)), { amount: 2500 });
  const refused = { kind: "refused", reason: "It was cancelled." };
  assert.deepEqual(await subscriptions?.cancel("sbs_1", call(http)), refused);
  assert.deepEqual(await sandboxCancelOnly.subscriptions?.cancel("sbs_1", call(http)), refused);
  const link = { key: "sbs_1", handle: "sbs_1" };
  assert.partialDeepStrictEqual(await subscriptions?.query(link, call(http)), { kind: "paused" });
});

test("a stored card is charged by its token: pending, then what the card says", async () => {
  const request = {
    reference: "TEFOC-0123456789abcdef-1",
    card: { token: "sct_000000000000000000000000_9979", brand: "visa", last4: "9979" } as const,
    amount: cents(500),
    currency: "ZAR",
    description: "Retry",
    payer: REQUEST.payer,
    notifyUrl: REQUEST.notifyUrl,
  };
  const pending = { ...PAYMENT, reference: request.reference, status: "pending", fee: null } as const;
  const { http } = fakeGateway({
    "POST /charges": (body) => {
      const charge = wire.ChargeRequest.parse(body);
      return cardOf(charge.token) ? json(201, pending) : REFUSED;
    },
  });
  assert.partialDeepStrictEqual(await storedCards?.charge(request, call(http)), { kind: "pending" });
  const unknown = { ...request, card: { ...request.card, token: "tok_of_elsewhere" } };
  const no = { kind: "declined", reason: "It was cancelled.", hard: false, reference: request.reference };
  assert.partialDeepStrictEqual(await storedCards?.charge(unknown, call(http)), no);
  assert.deepEqual(storedCards?.brands, ["visa", "mastercard"]);
});

const BANK = { holder: "T Nkosi", number: "62123456709", branchCode: "250655", type: "current" } as const;

const DEBIT = (n: number) => ({
  reference: `DO0123456789-${n}`,
  accountReference: "DO0123456789",
  amount: cents(500),
  description: "Fees",
  bank: BANK,
});
/** A gateway that has a batch, in memory. */
function batchGateway(refuse: Partial<Record<string, GatewayAnswer>> = {}) {
  let batch: wire.DebitBatch | null = null;
  const lines: wire.DebitLine[] = [];
  const at = "/debit-batches/batch_1";
  const gateway = fakeGateway({
    "POST /debit-batches": (body) => {
      const { reference } = wire.DebitBatchRequest.parse(body);
      batch ??= { id: "sbd_1", reference, status: "open", lines: 0 };
      return json(201, batch);
    },
    [`POST ${at}/lines`]: (body) => {
      const sent = wire.DebitLines.parse(body);
      assert.equal(sent.from, lines.length);
      lines.push(...sent.lines);
      return refuse["lines"] ?? json(200, { ...batch, lines: lines.length });
    },
    [`POST ${at}/submit`]: (body) => {
      assert.equal(wire.DebitBatchClose.parse(body).lines, lines.length);
      batch = { id: "sbd_1", reference: "batch_1", status: "submitted", lines: lines.length };
      return refuse["submit"] ?? json(200, batch);
    },
    [`GET ${at}`]: () => (batch ? json(200, batch) : NOT_FOUND),
    [`GET ${at}/payments`]: json(200, { payments: [PAYMENT], next: 1 }),
  });
  return { ...gateway, lines };
}
const BATCH = { reference: "batch_1", actionDate: "2031-02-03" as CalendarDay, notifyUrl: REQUEST.notifyUrl };

for (const count of [1, 500, 501, 1200])
  test(`a batch of ${count} debits goes out in parts, in order, and once`, async () => {
    const { http, lines, seen } = batchGateway();
    const submitted = { kind: "submitted", batchRef: "sbd_1", rejected: [] };
    const debits = Array.from({ length: count }, (_, n) => DEBIT(n));
    assert.equal(await debitOrders?.query({ reference: "batch_1", batchRef: null, lines: [] }, call(http)), null);
    const streamed = async function* () {
      yield* debits;
    };
    assert.deepEqual(await debitOrders?.submit({ ...BATCH, lines: streamed() }, call(http)), submitted);
    assert.deepEqual(lines, debits);
    assert.equal(seen.filter(({ url }) => url.endsWith("/lines")).length, Math.ceil(count / 500));
    assert.deepEqual(await debitOrders?.submit({ ...BATCH, lines: debits }, call(http)), submitted);
    assert.equal(lines.length, count, "a batch that is submitted takes no more lines");
    assert.deepEqual(
      await debitOrders?.query({ reference: "batch_1", batchRef: null, lines: [] }, call(http)),
      submitted,
    );
  });

test("a batch that is not submitted may be sent again; one that is refused says why", async () => {
  const unclear = batchGateway({ submit: json(503, {}) });
  await assert.rejects(
    async () => debitOrders?.submit({ ...BATCH, lines: [DEBIT(1)] }, call(unclear.http)),
    GatewayUnclear,
  );
  const open = batchGateway({ lines: REFUSED });
  const refused = await debitOrders?.submit({ ...BATCH, lines: [DEBIT(1)] }, call(open.http));
  assert.deepEqual(refused, { kind: "refused", reason: "It was cancelled." });
  assert.equal(await debitOrders?.query({ reference: "batch_1", batchRef: null, lines: [] }, call(open.http)), null);
});

test("results of a batch are read some at a time", async () => {
  const { http, seen } = batchGateway();
  const batch = { reference: "batch_1", batchRef: null };
  const results = await debitOrders?.results?.({ ...batch, after: "500" }, call(http));
  assert.partialDeepStrictEqual(results, { facts: [{ about: "payment", kind: "paid" }], next: "1" });
  assert.match(seen.at(-1)?.url ?? "", /\?after=500$/);
});

test("a mandate can be made or rejected; an account draws warnings", async () => {
  const mandate = {
    accountReference: "DO0123456789",
    amount: cents(500),
    frequency: "monthly",
    debitDay: 31,
    amountVaries: false,
    startDate: "2031-02-01" as CalendarDay,
    description: "Fees",
    payer: REQUEST.payer,
    idNumber: "8001015009087",
    bank: BANK,
    notifyUrl: REQUEST.notifyUrl,
  } as const;
  const { http } = fakeGateway({
    "POST /mandates": (body) => {
      const { bank } = wire.MandateRequest.parse(body);
      assert.doesNotMatch(JSON.stringify(body), /8001015009087/);
      return json(201, { ...MANDATE, status: bank.number.endsWith("09") ? "rejected" : "waiting" });
    },
    "GET /mandates/DO0123456789": json(200, MANDATE),
    "POST /bank-account-checks": (body) => json(200, { warnings: [wire.BankAccount.parse(body).number] }),
  });
  assert.deepEqual(await eMandates?.create(mandate, call(http)), { kind: "refused", reason: "No." });
  const other = { ...mandate, bank: { ...BANK, number: "62123456700" } };
  assert.deepEqual(await eMandates?.create(other, call(http)), { kind: "created", signUrl: "https://x.example/m" });
  assert.partialDeepStrictEqual(await eMandates?.query("DO0123456789", call(http)), { kind: "rejected" });
  assert.deepEqual(await bankAccountCheck?.(BANK, call(http)), { warnings: ["62123456709"] });
});

test("a call without a base URL is an error of the program", async () => {
  const lost = { ...call(never), baseUrl: null };
  await assert.rejects(async () => checkout?.start(REQUEST, lost), /needs a base URL/);
});
