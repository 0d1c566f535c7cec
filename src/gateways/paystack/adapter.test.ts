import assert from "node:assert/strict";
import { test } from "node:test";
import { json } from "../../../test/support/gateways/calls.ts";
import {
  AUTHORIZATION,
  call,
  data,
  fakePaystack,
  IDENTITY,
  NOT_FOUND,
  REQUEST,
  refusal,
  TRANSACTION,
} from "../../../test/support/gateways/paystack.ts";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { StartPaymentRequest } from "../contract.ts";
import { type GatewayAnswer, type GatewayHttp, GatewayUnclear } from "../http.ts";
import { paystack } from "./adapter.ts";
import { cardToken } from "./facts.ts";

const { checkout, connect } = paystack;
const VERIFY = `GET /transaction/verify/${REQUEST.reference}`;
const INITIALIZED = data({
  authorization_url: "https://checkout.paystack.com/0peioxfhpn",
  access_code: "0peioxfhpn",
  reference: REQUEST.reference,
});

/** What was sent to `/transaction/initialize`, and to `/plan` when it was called. */
async function started(more: Partial<StartPaymentRequest>) {
  const sent: Record<string, unknown>[] = [];
  const keep = (answer: GatewayAnswer) => (body: Record<string, unknown>) => {
    sent.push(body);
    return answer;
  };
  const { http, seen } = fakePaystack({
    "POST /transaction/initialize": keep(INITIALIZED),
    "POST /plan": keep(data({ plan_code: "PLN_1" })),
  });
  const answer = await checkout?.start({ ...REQUEST, ...more }, call(http));
  return { answer, body: sent.at(-1) ?? {}, plan: sent.length > 1 ? sent[0] : undefined, seen };
}

test("a payment starts with cents, our reference and both ways back", async () => {
  const { answer, body, seen } = await started({});
  assert.deepEqual(answer, {
    kind: "redirect",
    url: "https://checkout.paystack.com/0peioxfhpn",
    checkoutRef: "0peioxfhpn",
  });
  const description = { display_name: "Description", variable_name: "description", value: REQUEST.description };
  assert.deepEqual(body, {
    email: "p@example.com",
    amount: 1999,
    currency: "ZAR",
    reference: REQUEST.reference,
    callback_url: REQUEST.returnUrl,
    metadata: { cancel_action: REQUEST.cancelUrl, custom_fields: [description] },
  });
  // It has no idempotency key, so it is never sent twice.
  assert.notEqual(seen[0]?.repeatable, true);
});

test("without an email address nothing is asked", async () => {
  const { answer, seen } = await started({ payer: { ...REQUEST.payer, email: null } });
  assert.partialDeepStrictEqual(answer, { kind: "refused" });
  assert.equal(seen.length, 0);
});

const recurring = (amount: number, nextChargeOn: string | null) => ({
  recurring: {
    frequency: "biannually",
    amount: cents(amount),
    nextChargeOn: nextChargeOn as CalendarDay | null,
  } as const,
});
const BEGINS: [string, Partial<StartPaymentRequest>, object, string[] | undefined][] = [
  ["a card that is saved is asked for a card", { saveCard: true }, {}, ["card"]],
  [
    "equal amounts begin the subscription with the payment",
    recurring(1999, null),
    { plan: "PLN_1", metadata: { subscription_plan: "PLN_1", subscription_begins: "with_payment" } },
    ["card"],
  ],
  [
    "another later amount begins it after the payment",
    recurring(900, null),
    { plan: undefined, metadata: { subscription_begins: "after_payment", subscription_interval: "biannually" } },
    ["card"],
  ],
  [
    "a date of its own too",
    recurring(1999, "2031-03-31"),
    { plan: undefined, metadata: { subscription_begins: "after_payment", subscription_start: "2031-03-31" } },
    ["card"],
  ],
];
for (const [what, more, expected, channels] of BEGINS)
  test(what, async () => {
    const { body, plan } = await started(more);
    assert.partialDeepStrictEqual({ plan: undefined, ...body }, expected);
    assert.deepEqual(body["channels"], channels);
    if (!more.recurring) return assert.equal(plan, undefined);
    assert.partialDeepStrictEqual(plan, { amount: more.recurring.amount, interval: "biannually", currency: "ZAR" });
    assert.match(String(plan?.["name"]), new RegExp(`${REQUEST.reference}$`));
  });

// What Paystack answers to a start: a clear refusal, or unclear.
const ANSWERS: [string, GatewayAnswer, string | null][] = [
  [
    "a refusal with words",
    refusal(400, "Duplicate Transaction Reference", "duplicate_reference"),
    "Duplicate Transaction Reference",
  ],
  ["a wrong key", refusal(401, "Invalid key", "invalid_Key"), "Invalid key"],
  ["a refusal without", { status: 400, headers: {}, body: "<html>" }, "The gateway answered 400."],
  ["unknown", json(404, {}), "Paystack does not know it."],
  ["too many requests", json(429, {}), null],
  ["a fault", json(500, { status: false, message: "x" }), null],
  ["a redirect", { status: 302, headers: { location: "/" }, body: "" }, null],
  ["no JSON", { status: 200, headers: {}, body: "<!doctype html>" }, null],
  ["200 that says false", json(200, { status: false, message: "No", data: {} }), null],
  ["another shape", data({ access_code: "x" }), null],
  ["a page by script", data({ authorization_url: "javascript:alert(1)", access_code: "x", reference: "y" }), null],
];
for (const [what, answer, reason] of ANSWERS)
  test(`start, answered with ${what}: ${reason ?? "unclear"}`, async () => {
    const start = checkout?.start(REQUEST, call(fakePaystack({ "POST /transaction/initialize": answer }).http));
    if (reason === null) await assert.rejects(async () => start, GatewayUnclear);
    else assert.deepEqual(await start, { kind: "refused", reason });
  });

test("a plan that is refused refuses the payment", async () => {
  const { http } = fakePaystack({ "POST /plan": refusal(400, "Amount is too low", "invalid_amount") });
  const start = checkout?.start({ ...REQUEST, ...recurring(1999, null) }, call(http));
  assert.deepEqual(await start, { kind: "refused", reason: "Amount is too low" });
});

const CARD = {
  token: cardToken({ authorization: "AUTH_8dfhjjdt", email: "p@example.com" }),
  brand: "visa",
  last4: "4081",
  expiryMonth: 12,
  expiryYear: 2032,
  holderName: "T Nkosi",
  fingerprint: "SIG_5wBvKoAT64nwSJgZkHvQ",
};
// The transaction that Paystack verifies, and our fact.
const PAYMENTS: [string, object, object][] = [
  ["success", {}, { kind: "paid", amount: 1999, currency: "ZAR", fee: 158, providerRef: "4099260516", card: CARD }],
  ["success without fees", { fees: null }, { kind: "paid", fee: null }],
  ["another amount", { amount: 999, requested_amount: 1999 }, { kind: "paid", amount: 999 }],
  ["half a cent", { amount: 1999.5 }, { kind: "paid", inexactAmount: "1999.5" }],
  ["another currency", { currency: "NGN" }, { kind: "paid", currency: "NGN" }],
  [
    "failed",
    { status: "failed", gateway_response: "Insufficient Funds" },
    { kind: "declined", reason: "Insufficient Funds", hard: false },
  ],
  ["failed for good", { status: "failed", gateway_response: "Stolen card, pick up" }, { kind: "declined", hard: true }],
  [
    "failed without words",
    { status: "failed", gateway_response: null },
    { kind: "declined", reason: "The payment was declined." },
  ],
  ["abandoned", { status: "abandoned" }, { kind: "pending", gatewayWord: "abandoned" }],
  ["ongoing", { status: "ongoing" }, { kind: "pending" }],
  ["pending", { status: "pending" }, { kind: "pending" }],
  ["processing", { status: "processing" }, { kind: "pending" }],
  ["queued", { status: "queued" }, { kind: "pending" }],
  [
    "reversed: paid and given back, and asked about while it is not paid here",
    { status: "reversed" },
    { kind: "declined", gatewayWord: "reversed", hard: true },
  ],
  ["a status that is new", { status: "levitating" }, { kind: "pending", gatewayWord: "levitating" }],
  [
    "a card that is not reusable",
    { authorization: { ...AUTHORIZATION, reusable: false } },
    { card: { token: null, last4: "4081" } },
  ],
  ["Mastercard", { authorization: { ...AUTHORIZATION, brand: "Mastercard" } }, { card: { brand: "mastercard" } }],
  ["a card of another brand", { authorization: { ...AUTHORIZATION, brand: "verve" } }, { card: { brand: "card" } }],
  ["no card", { authorization: { channel: "eft", last4: null } }, { card: null }],
  ["an empty authorization", { authorization: {} }, { card: null }],
  [
    "a plan",
    { plan: "PLN_1", plan_object: { plan_code: "PLN_1", interval: "monthly" } },
    { subscription: { key: "PLN_1", handle: null, nextChargeOn: "2031-02-28" } },
  ],
  [
    "a plan as an object",
    { plan: { plan_code: "PLN_1", interval: "annually" } },
    { subscription: { key: "PLN_1", nextChargeOn: "2032-01-31" } },
  ],
  ["no plan, as an empty object", { plan: {} }, { subscription: null }],
  ["no plan, as empty text", { plan: "" }, { subscription: null }],
];
for (const [what, more, fact] of PAYMENTS)
  test(`query: ${what}`, async () => {
    const { http } = fakePaystack({ [VERIFY]: data({ ...TRANSACTION, ...more }) });
    assert.partialDeepStrictEqual(await checkout?.query(IDENTITY, call(http)), fact);
  });

test("query: what is documented, and no more", async () => {
  const { id, reference, amount, currency, status } = TRANSACTION;
  const { http } = fakePaystack({ [VERIFY]: data({ id, reference, amount, currency, status }) });
  const fact = {
    kind: "paid",
    amount: 1999,
    fee: null,
    card: null,
    subscription: null,
    occurredAt: null,
    payerEmail: null,
  };
  assert.partialDeepStrictEqual(await checkout?.query(IDENTITY, call(http)), fact);
});

const later = (start: string | null) => ({
  subscription_plan: "PLN_1",
  subscription_interval: "monthly",
  subscription_begins: "after_payment",
  ...(start ? { subscription_start: start } : {}),
});
// Paid on 31 January 2031.
const BEGUN: [string, unknown, object | null][] = [
  ["one period later", later(null), { key: "PLN_1", mustBegin: true, nextChargeOn: "2031-02-28" }],
  ["on the date that was asked for", later("2031-03-15"), { nextChargeOn: "2031-03-15" }],
  ["on the next date when the asked one has passed", later("2030-12-15"), { nextChargeOn: "2031-02-15" }],
  ["as JSON text", JSON.stringify(later("2031-03-15")), { key: "PLN_1", mustBegin: true }],
  ["with the payment", { ...later(null), subscription_begins: "with_payment" }, { key: "PLN_1", mustBegin: false }],
  ["never, of other metadata", { subscription_plan: 5 }, null],
  ["never, of text", "0", null],
];
for (const [what, metadata, link] of BEGUN)
  test(`metadata begin a subscription ${what}`, async () => {
    const { http } = fakePaystack({ [VERIFY]: data({ ...TRANSACTION, metadata }) });
    const fact = await checkout?.query(IDENTITY, call(http));
    if (link) assert.partialDeepStrictEqual(fact?.subscription, link);
    else assert.equal(fact?.subscription, null);
  });

test("a payment that Paystack does not know, and a query that it refuses", async () => {
  for (const answer of [NOT_FOUND, json(404, { status: false, message: "Transaction not found" })])
    assert.equal(await checkout?.query(IDENTITY, call(fakePaystack({ [VERIFY]: answer }).http)), null);
  const refused = fakePaystack({ [VERIFY]: refusal(401, "Invalid key", "invalid_Key") });
  await assert.rejects(async () => checkout?.query(IDENTITY, call(refused.http)), GatewayUnclear);
});

test("a collection that Paystack made by itself is not asked about by our reference", async () => {
  const collection = { ...IDENTITY, reference: `${REQUEST.reference}-77`, providerRef: "77" };
  assert.equal(
    await checkout?.query(
      collection,
      call(async () => assert.fail("no call")),
    ),
    null,
  );
});

test("the base URL takes the place of the host alone", async () => {
  const http: GatewayHttp = async ({ url }) => {
    assert.equal(url, `http://127.0.0.1:9000/transaction/verify/${REQUEST.reference}`);
    return NOT_FOUND;
  };
  await checkout?.query(IDENTITY, call(http, "http://127.0.0.1:9000"));
});

test("a key is tried before it is saved, at no cost", async () => {
  const TEST = "GET /transaction/verify/tefo-connection-test";
  const tried = (answer: GatewayAnswer) =>
    connect?.({ notifyUrl: REQUEST.notifyUrl }, call(fakePaystack({ [TEST]: answer }).http));
  for (const answer of [NOT_FOUND, json(404, {}), data(TRANSACTION)])
    assert.deepEqual(await tried(answer), { kind: "connected", credentials: {} });
  assert.deepEqual(await tried(refusal(401, "Invalid key", "invalid_Key")), { kind: "refused", reason: "Invalid key" });
  assert.partialDeepStrictEqual(await tried(json(403, {})), { kind: "refused" });
  await assert.rejects(async () => tried(json(500, {})), GatewayUnclear);
});
