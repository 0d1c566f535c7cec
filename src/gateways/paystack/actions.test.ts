import assert from "node:assert/strict";
import { test } from "node:test";
import { json, NOW } from "../../../test/support/gateways/calls.ts";
import {
  call,
  data,
  fakePaystack,
  IDENTITY,
  NOT_FOUND,
  REQUEST,
  refusal,
  SUBSCRIPTION,
  TRANSACTION,
} from "../../../test/support/gateways/paystack.ts";
import { cents } from "../../kernel/money.ts";
import { addSeconds, type CalendarDay } from "../../kernel/time.ts";
import type { ChargeRequest, PaymentIdentity, RefundRequest } from "../contract.ts";
import { type GatewayAnswer, GatewayUnclear } from "../http.ts";
import { paystack } from "./adapter.ts";
import { cardToken } from "./facts.ts";

const { refunds, subscriptions, storedCards } = paystack;
const TOKEN = cardToken({ authorization: "AUTH_8dfhjjdt", email: "p@example.com" });

// ------------------------------------------------------------------------------------------------ stored cards

const CHARGE: ChargeRequest = {
  reference: "TEFOC-0123456789ABCDEF-1",
  card: { token: TOKEN, brand: "visa", last4: "4081" },
  amount: cents(1999),
  currency: "ZAR",
  description: "Gym",
  payer: { email: "new@example.com", firstName: null, lastName: null, phone: null },
  notifyUrl: REQUEST.notifyUrl,
};
const CHARGE_PATH = "POST /transaction/charge_authorization";
const CHARGED = { ...TRANSACTION, reference: CHARGE.reference };

test("a card is charged under the address that it was saved with, once", async () => {
  const { http, seen } = fakePaystack({
    [CHARGE_PATH]: (body) => {
      assert.deepEqual(body, {
        email: "p@example.com",
        amount: 1999,
        currency: "ZAR",
        authorization_code: "AUTH_8dfhjjdt",
        reference: CHARGE.reference,
      });
      return data(CHARGED);
    },
  });
  const fact = await storedCards?.charge(CHARGE, call(http));
  assert.partialDeepStrictEqual(fact, { kind: "paid", reference: CHARGE.reference, amount: 1999 });
  assert.notEqual(seen[0]?.repeatable, true);
});

const CHARGES: [string, GatewayAnswer, object | null][] = [
  [
    "a decline",
    data({ ...CHARGED, status: "failed", gateway_response: "Declined" }),
    { kind: "declined", hard: false },
  ],
  [
    "a bank that wants the payer",
    data({ paused: true, authorization_url: "https://x.example", reference: CHARGE.reference }),
    { kind: "declined", gatewayWord: "paused", hard: false },
  ],
  [
    "a dead card",
    refusal(400, "Authorization code does not exist or has been deactivated", "invalid_code"),
    { kind: "declined", hard: true },
  ],
  ["a wrong key", refusal(401, "Invalid key", "invalid_Key"), { kind: "declined", hard: false }],
  ["processing", data({ ...CHARGED, status: "processing" }), { kind: "pending" }],
  ["a fault", json(502, {}), null],
  ["half an answer", { status: 200, headers: {}, body: '{"status":true,"da' }, null],
];
for (const [what, answer, fact] of CHARGES)
  test(`a charge, answered with ${what}`, async () => {
    const charge = storedCards?.charge(CHARGE, call(fakePaystack({ [CHARGE_PATH]: answer }).http));
    if (fact) assert.partialDeepStrictEqual(await charge, { reference: CHARGE.reference, ...fact });
    else await assert.rejects(async () => charge, GatewayUnclear);
  });

test("a used reference is asked about, so that nobody is charged twice", async () => {
  const duplicate = refusal(400, "Duplicate Transaction Reference", "duplicate_reference");
  const verify = `GET /transaction/verify/${CHARGE.reference}`;
  const known = fakePaystack({ [CHARGE_PATH]: duplicate, [verify]: data(CHARGED) });
  assert.partialDeepStrictEqual(await storedCards?.charge(CHARGE, call(known.http)), { kind: "paid" });
  const unknown = fakePaystack({ [CHARGE_PATH]: duplicate, [verify]: NOT_FOUND });
  await assert.rejects(async () => storedCards?.charge(CHARGE, call(unknown.http)), GatewayUnclear);
});

test("a charge that Paystack does not know is never sent again: unclear for a day, then it was never made", async () => {
  const verify = `GET /transaction/verify/${CHARGE.reference}`;
  const { http } = fakePaystack({ [verify]: NOT_FOUND });
  const asked = (seconds: number): PaymentIdentity => ({
    ...IDENTITY,
    reference: CHARGE.reference,
    startedAt: addSeconds(NOW, -seconds),
  });
  await assert.rejects(async () => storedCards?.query(asked(86_399), call(http)), GatewayUnclear);
  const never = { kind: "declined", reference: CHARGE.reference, hard: false, amount: 1999 };
  assert.partialDeepStrictEqual(await storedCards?.query(asked(86_400), call(http)), never);
});

// ------------------------------------------------------------------------------------------------ refunds

const REFUND_REQUEST: RefundRequest = {
  payment: { ...IDENTITY, providerRef: "4099260516" },
  refundId: "ref_1",
  amount: cents(999),
  reason: "Damaged",
  requestedAt: NOW,
  notifyUrl: REQUEST.notifyUrl,
};
const REFUND = {
  id: 3_018_284,
  status: "pending",
  amount: 999,
  merchant_note: "ref_1 Damaged",
  transaction: { id: 4_099_260_516 },
};

const REFUNDS: [string, object, object][] = [
  ["pending", {}, { kind: "pending", providerRefundRef: "3018284", amount: 999 }],
  ["processing", { status: "processing" }, { kind: "pending" }],
  ["needs attention", { status: "needs-attention" }, { kind: "pending", gatewayWord: "needs-attention" }],
  ["processed", { status: "processed" }, { kind: "processed" }],
  ["failed", { status: "failed" }, { kind: "refused" }],
  ["of another amount", { amount: 998 }, { amount: 998 }],
];
for (const [what, more, fact] of REFUNDS)
  test(`a refund that is ${what}`, async () => {
    const { http } = fakePaystack({
      "POST /refund": (body) => {
        const transaction = REQUEST.reference;
        assert.deepEqual(body, { transaction, amount: 999, currency: "ZAR", merchant_note: "ref_1 Damaged" });
        return data({ ...REFUND, ...more });
      },
      "GET /refund/3018284": data({ ...REFUND, ...more }),
    });
    const expected = { about: "refund", refundId: "ref_1", ...fact };
    assert.partialDeepStrictEqual(await refunds?.refund(REFUND_REQUEST, call(http)), expected);
    const query = { ...REFUND_REQUEST, providerRefundRef: "3018284" };
    assert.partialDeepStrictEqual(await refunds?.query(query, call(http)), expected);
  });

test("a collection is refunded by Paystack's number of it", async () => {
  const { http } = fakePaystack({
    "POST /refund": (body) => {
      assert.equal(body["transaction"], 77);
      return data(REFUND);
    },
  });
  const payment = { ...IDENTITY, reference: `${REQUEST.reference}-77`, providerRef: "77" };
  await refunds?.refund({ ...REFUND_REQUEST, payment }, call(http));
});

test("a refund that Paystack refuses", async () => {
  const { http } = fakePaystack({ "POST /refund": refusal(400, "Transaction has been fully reversed", "reversed") });
  const no = { kind: "refused", refundId: "ref_1", reason: "Transaction has been fully reversed", amount: 999 };
  assert.partialDeepStrictEqual(await refunds?.refund(REFUND_REQUEST, call(http)), no);
});

test("a refund whose answer was lost is found by its note, and never sent again", async () => {
  const list = "GET /refund?transaction=4099260516&perPage=100";
  const query = { ...REFUND_REQUEST, providerRefundRef: null };
  const other = { ...REFUND, id: 1, merchant_note: "ref_11 Damaged" };
  const found = fakePaystack({ [list]: data([other, REFUND]) });
  assert.partialDeepStrictEqual(await refunds?.query(query, call(found.http)), { providerRefundRef: "3018284" });
  const absent = fakePaystack({ [list]: data([other]) });
  await assert.rejects(async () => refunds?.query(query, call(absent.http)), GatewayUnclear);
  const old = { ...query, requestedAt: addSeconds(NOW, -86_400) };
  assert.partialDeepStrictEqual(await refunds?.query(old, call(absent.http)), { kind: "refused", refundId: "ref_1" });
  for (const answer of [json(404, {}), refusal(401, "Invalid key", "invalid_Key"), json(500, {})])
    await assert.rejects(async () => refunds?.query(old, call(fakePaystack({ [list]: answer }).http)), GatewayUnclear);
});

test("a note is cut by whole characters", async () => {
  const { http } = fakePaystack({
    "POST /refund": (body) => {
      const note = String(body["merchant_note"]);
      assert.equal([...note].length, 200);
      assert.ok(note.startsWith("ref_1 ") && note.isWellFormed());
      return data(REFUND);
    },
  });
  await refunds?.refund({ ...REFUND_REQUEST, reason: "🦁".repeat(300) }, call(http));
});

// ------------------------------------------------------------------------------------------------ subscriptions

const HANDLE = `${SUBSCRIPTION.subscription_code}:${SUBSCRIPTION.email_token}`;
const DISABLES: [string, GatewayAnswer, object | null][] = [
  [
    "done",
    json(200, { status: true, message: "Subscription disabled successfully" }),
    { kind: "done", nextChargeOn: null },
  ],
  ["done before", refusal(404, "Subscription with code not found or already inactive", "not_found"), { kind: "done" }],
  [
    "done before, in 400",
    refusal(400, "Subscription with code not found or already inactive", "not_found"),
    { kind: "done" },
  ],
  [
    "refused",
    refusal(400, "Email token is incorrect", "wrong"),
    { kind: "refused", reason: "Email token is incorrect" },
  ],
  ["a fault", json(500, {}), null],
];
for (const [what, answer, outcome] of DISABLES)
  test(`cancel: ${what}`, async () => {
    const { http } = fakePaystack({
      "POST /subscription/disable": (body) => {
        assert.deepEqual(body, { code: "SUB_vsyqdmlzble3uii", token: "d7gofp6yppn3qz7" });
        return answer;
      },
    });
    const cancelled = subscriptions?.cancel(HANDLE, call(http));
    if (outcome) assert.partialDeepStrictEqual(await cancelled, outcome);
    else await assert.rejects(async () => cancelled, GatewayUnclear);
  });

const STANDING: [string, string | null][] = [
  ["active", "active"],
  ["attention", "past_due"],
  ["non-renewing", "cancelled"],
  ["completed", "cancelled"],
  ["complete", "cancelled"],
  ["cancelled", "cancelled"],
  ["levitating", null],
];
for (const [status, kind] of STANDING)
  test(`a subscription that is ${status} is ${kind}`, async () => {
    const { http } = fakePaystack({ "GET /subscription/SUB_vsyqdmlzble3uii": data({ ...SUBSCRIPTION, status }) });
    const fact = await subscriptions?.query({ key: "PLN_gx2wn530m0i3w3m", handle: HANDLE }, call(http));
    const link = { key: "PLN_gx2wn530m0i3w3m", handle: HANDLE, nextChargeOn: "2031-02-28" };
    if (kind) assert.partialDeepStrictEqual(fact, { kind, subscription: link });
    else assert.equal(fact, null);
  });

test("a subscription whose code is not known yet, and one that Paystack does not know", async () => {
  const nobody = call(async () => assert.fail("no call"));
  assert.equal(await subscriptions?.query({ key: "PLN_1", handle: null }, nobody), null);
  const { http } = fakePaystack({ "GET /subscription/SUB_vsyqdmlzble3uii": json(404, {}) });
  assert.equal(await subscriptions?.query({ key: "PLN_1", handle: HANDLE }, call(http)), null);
});

const BEGIN = { key: "PLN_1", cardToken: TOKEN, nextChargeOn: "2031-03-15" as CalendarDay };
const BEGINNINGS: [string, GatewayAnswer, object | null][] = [
  ["done", data({ ...SUBSCRIPTION, plan: 28, customer: 1173 }), { kind: "begun", handle: HANDLE }],
  [
    "done before",
    refusal(400, "This subscription is already in place.", "duplicate_subscription"),
    { kind: "begun", handle: null },
  ],
  [
    "refused",
    refusal(400, "Authorization is not reusable", "bad"),
    { kind: "refused", reason: "Authorization is not reusable" },
  ],
  ["silence", json(504, {}), null],
];
for (const [what, answer, outcome] of BEGINNINGS)
  test(`begin: ${what}`, async () => {
    const { http, seen } = fakePaystack({
      "POST /subscription": (body) => {
        assert.deepEqual(body, {
          customer: "p@example.com",
          plan: "PLN_1",
          authorization: "AUTH_8dfhjjdt",
          start_date: "2031-03-15T08:00:00+02:00",
        });
        return answer;
      },
    });
    const begun = subscriptions?.begin?.(BEGIN, call(http));
    if (outcome) assert.deepEqual(await begun, outcome);
    else await assert.rejects(async () => begun, GatewayUnclear);
    assert.notEqual(seen[0]?.repeatable, true);
  });
