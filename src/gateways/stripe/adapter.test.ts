import assert from "node:assert/strict";
import { test } from "node:test";
import { json, NOW } from "../../../test/support/gateways/calls.ts";
import {
  CHARGE,
  call,
  failure,
  fakeStripe,
  IDENTITY,
  INTENT,
  INVOICE,
  MISSING,
  REQUEST,
  SESSION,
  SUBSCRIPTION,
} from "../../../test/support/gateways/stripe.ts";
import { cents } from "../../kernel/money.ts";
import { addSeconds, type CalendarDay } from "../../kernel/time.ts";
import type { ChargeRequest, PaymentIdentity, RefundRequest, StartPaymentRequest } from "../contract.ts";
import { type GatewayAnswer, GatewayNotReached, GatewayUnclear } from "../http.ts";
import { stripe } from "./adapter.ts";
import { cardToken } from "./facts.ts";

const { checkout, refunds, storedCards, subscriptions, connect } = stripe;
const SESSIONS = "POST /v1/checkout/sessions";
const PAGE = json(200, { id: "cs_test_1", url: "https://checkout.stripe.com/c/pay/cs_test_1" });

async function started(more: Partial<StartPaymentRequest>) {
  let fields: Record<string, string> = {};
  const { http, seen } = fakeStripe({
    [SESSIONS]: (sent) => {
      fields = sent;
      return PAGE;
    },
  });
  const answer = await checkout?.start({ ...REQUEST, ...more }, call(http));
  return { answer, fields, seen };
}

test("a payment is a session, keyed by our reference", async () => {
  const { answer, fields, seen } = await started({});
  assert.deepEqual(answer, {
    kind: "redirect",
    url: "https://checkout.stripe.com/c/pay/cs_test_1",
    checkoutRef: "cs_test_1",
  });
  assert.deepEqual(fields, {
    mode: "payment",
    "line_items[0][quantity]": "1",
    "line_items[0][price_data][currency]": "zar",
    "line_items[0][price_data][unit_amount]": "1999",
    "line_items[0][price_data][product_data][name]": REQUEST.description,
    "payment_intent_data[description]": REQUEST.description,
    "payment_intent_data[metadata][reference]": REQUEST.reference,
    success_url: REQUEST.returnUrl,
    cancel_url: REQUEST.cancelUrl,
    client_reference_id: REQUEST.reference,
    "metadata[reference]": REQUEST.reference,
    customer_email: "p@example.com",
    "adaptive_pricing[enabled]": "false",
  });
  assert.equal(seen[0]?.headers?.["idempotency-key"], REQUEST.reference);
});

const recurring = (amount: number, nextChargeOn: string | null) => ({
  recurring: {
    frequency: "quarterly",
    amount: cents(amount),
    nextChargeOn: nextChargeOn as CalendarDay | null,
  } as const,
});
const [FIRST, SECOND] = ["line_items[0][price_data][unit_amount]", "line_items[1][price_data][unit_amount]"];
const TRIAL = "subscription_data[trial_end]";
const unix = (text: string) => String(Date.parse(text) / 1000);
const STARTS: [string, Partial<StartPaymentRequest>, Record<string, string | undefined>][] = [
  [
    "a card to be saved belongs to a customer",
    { saveCard: true },
    {
      customer_creation: "always",
      "payment_intent_data[setup_future_usage]": "off_session",
      "payment_method_types[0]": "card",
    },
  ],
  [
    "equal amounts are one line",
    recurring(1999, null),
    {
      mode: "subscription",
      [FIRST]: "1999",
      [SECOND]: undefined,
      [TRIAL]: undefined,
      "line_items[0][price_data][recurring][interval]": "month",
      "line_items[0][price_data][recurring][interval_count]": "3",
    },
  ],
  [
    "a higher first amount is a line beside it",
    recurring(1000, null),
    { [FIRST]: "1000", [SECOND]: "999", [TRIAL]: undefined },
  ],
  [
    "a lower one is paid once, and a period later the other",
    recurring(5000, null),
    { [FIRST]: "5000", [SECOND]: "1999", [TRIAL]: unix("2031-04-30T06:00:00Z") },
  ],
  [
    "a date of its own is the end of a trial",
    recurring(1999, "2031-03-15"),
    { [FIRST]: "1999", [SECOND]: "1999", [TRIAL]: unix("2031-03-15T06:00:00Z") },
  ],
  ["three days ahead at least", recurring(1999, "2031-02-01"), { [TRIAL]: unix("2031-02-03T06:00:00Z") }],
];
for (const [what, more, expected] of STARTS)
  test(what, async () => {
    const { fields } = await started(more);
    for (const [name, value] of Object.entries(expected)) assert.equal(fields[name], value, name);
  });

test("names are cut at 250 whole characters", async () => {
  const { fields } = await started({ description: "🦁".repeat(300) });
  const name = fields["line_items[0][price_data][product_data][name]"] ?? "";
  assert.ok([...name].length <= 250 && name.isWellFormed());
});

const ANSWERS: [string, GatewayAnswer, string | null][] = [
  ["a refusal", failure(400, { message: "Invalid currency: xxx" }), "Invalid currency: xxx"],
  ["a wrong key", failure(401, { message: "Invalid API Key provided" }), "Invalid API Key provided"],
  ["a key under way", failure(409, { code: "idempotency_key_in_use" }), null],
  ["a key of another request", failure(400, { type: "idempotency_error", message: "x" }), null],
  ["a fault", json(500, {}), null],
  ["a redirect", { status: 302, headers: { location: "/" }, body: "" }, null],
  ["HTML", { status: 200, headers: {}, body: "<html>" }, null],
  ["a page by script", json(200, { id: "cs_1", url: "javascript:alert(1)" }), null],
];
for (const [what, answer, reason] of ANSWERS)
  test(`start, answered with ${what}: ${reason ?? "unclear"}`, async () => {
    const start = checkout?.start(REQUEST, call(fakeStripe({ [SESSIONS]: answer }).http));
    if (reason === null) await assert.rejects(async () => start, GatewayUnclear);
    else assert.deepEqual(await start, { kind: "refused", reason });
  });

test("a payment is asked about by its session, its invoice or its intent", async () => {
  const { http } = fakeStripe({
    "GET /v1/checkout/sessions/cs_test_1": json(200, {
      ...SESSION,
      payment_intent: { ...INTENT, latest_charge: CHARGE },
    }),
    "GET /v1/invoices/in_2": json(200, INVOICE),
    "GET /v1/payment_intents/pi_1": json(200, INTENT),
    "GET /v1/checkout/sessions/cs_open": json(200, { ...SESSION, status: "open", payment_status: "unpaid", url: "" }),
    "GET /v1/checkout/sessions/cs_none": MISSING,
  });
  const asked = (more: object) => checkout?.query({ ...IDENTITY, ...more }, call(http));
  assert.partialDeepStrictEqual(await asked({}), { kind: "paid", fee: 88, providerRef: "pi_1" });
  assert.partialDeepStrictEqual(await asked({ checkoutRef: null, providerRef: "in_2" }), {
    kind: "paid",
    providerRef: "in_2",
  });
  assert.partialDeepStrictEqual(await asked({ checkoutRef: null, providerRef: "pi_1" }), {
    kind: "paid",
    providerRef: "pi_1",
  });
  assert.partialDeepStrictEqual(await asked({ checkoutRef: "cs_open" }), { kind: "pending" });
  assert.equal(await asked({ checkoutRef: "cs_none" }), null);
  assert.equal(await asked({ checkoutRef: null }), null);
});

const CHARGED: ChargeRequest = {
  reference: "TEFOC-0123456789ABCDEF-1",
  card: { token: cardToken({ customer: "cus_1", method: "pm_1" }), brand: "visa", last4: "4242" },
  amount: cents(1999),
  currency: "ZAR",
  description: "Gym",
  payer: { email: "p@example.com", firstName: null, lastName: null, phone: null },
  notifyUrl: REQUEST.notifyUrl,
};
const ERROR = { type: "card_error", code: "card_declined", message: "Your card was declined." };
const CHARGES: [string, GatewayAnswer, object | null][] = [
  ["success", json(200, { ...INTENT, latest_charge: CHARGE }), { kind: "paid", providerRef: "pi_1", fee: 88 }],
  ["processing", json(200, { ...INTENT, status: "processing" }), { kind: "pending" }],
  ["a wish for the holder", json(200, { ...INTENT, status: "requires_action" }), { kind: "declined", hard: false }],
  [
    "no funds",
    failure(402, { ...ERROR, decline_code: "insufficient_funds" }),
    { kind: "declined", gatewayWord: "insufficient_funds", hard: false },
  ],
  ["a stolen card", failure(402, { ...ERROR, decline_code: "stolen_card" }), { kind: "declined", hard: true }],
  ["the holder wanted", failure(402, { ...ERROR, code: "authentication_required" }), { kind: "declined", hard: false }],
  ["an unknown card", MISSING, { kind: "declined", hard: true }],
  ["a fault", json(502, {}), null],
  ["a request under way", failure(409, {}), null],
];
for (const [what, answer, fact] of CHARGES)
  test(`a charge, answered with ${what}`, async () => {
    const { http, seen } = fakeStripe({
      "POST /v1/payment_intents": (fields) => {
        assert.partialDeepStrictEqual(fields, {
          amount: "1999",
          currency: "zar",
          customer: "cus_1",
          payment_method: "pm_1",
          off_session: "true",
          confirm: "true",
        });
        return answer;
      },
    });
    const charge = storedCards?.charge(CHARGED, call(http));
    if (fact) assert.partialDeepStrictEqual(await charge, { reference: CHARGED.reference, ...fact });
    else await assert.rejects(async () => charge, GatewayUnclear);
    assert.equal(seen[0]?.headers?.["idempotency-key"], CHARGED.reference);
  });

const SEARCH = "GET /v1/payment_intents/search";
const BY_ID = "GET /v1/payment_intents/pi_1";
const found = (...data: object[]) => ({ [SEARCH]: json(200, { data }) });
const LOST: [string, number, Partial<PaymentIdentity>, Record<string, GatewayAnswer>, object | string | null][] = [
  ["found after a minute", 60, {}, found(INTENT), { kind: "paid" }],
  ["cancelled", 60, {}, found({ ...INTENT, status: "canceled" }), { kind: "abandoned" }],
  ["not found while its key is valid", 23 * 3600 - 1, {}, found(), "repeatable"],
  ["found after its key has expired", 23 * 3600, {}, found(INTENT), { kind: "paid" }],
  ["not found after its key has expired", 23 * 3600, {}, found(), { kind: "declined", hard: false }],
  ["searched for where no search is", 23 * 3600, {}, { [SEARCH]: MISSING }, null],
  ["found by its id", 60, { providerRef: "pi_1" }, { [BY_ID]: json(200, INTENT) }, { kind: "paid" }],
  ["not found by its id", 60, { providerRef: "pi_1" }, { [BY_ID]: MISSING }, null],
];
for (const [what, seconds, ids, answers, expected] of LOST)
  test(`a charge that is asked about: ${what}`, async () => {
    const charge = { ...IDENTITY, checkoutRef: null, startedAt: addSeconds(NOW, -seconds), ...ids };
    const { http, seen } = fakeStripe(answers);
    const answer = async () => storedCards?.query(charge, call(http));
    if (expected === null) await assert.rejects(answer, GatewayUnclear);
    else if (typeof expected === "string") assert.equal(await answer(), expected);
    else assert.partialDeepStrictEqual(await answer(), expected);
    assert.equal(seen.length, 1, "Stripe is asked");
  });

const REFUND = { id: "re_1", status: "pending", amount: 999, created: 1, metadata: { refund_id: "ref_1" } };
const ORDER: RefundRequest = {
  payment: { ...IDENTITY, providerRef: "pi_1" },
  refundId: "ref_1",
  amount: cents(999),
  reason: "Damaged",
  requestedAt: NOW,
  notifyUrl: REQUEST.notifyUrl,
};

test("a refund is keyed by ours, of a collection by its invoice's payment", async () => {
  for (const [providerRef, intent] of [
    ["pi_1", "pi_1"],
    ["in_2", "pi_2"],
  ]) {
    const { http, seen } = fakeStripe({
      "GET /v1/invoices/in_2": json(200, INVOICE),
      "POST /v1/refunds": (fields) => {
        assert.partialDeepStrictEqual(fields, {
          payment_intent: intent,
          amount: "999",
          "metadata[refund_id]": "ref_1",
        });
        return json(200, REFUND);
      },
    });
    const order = { ...ORDER, payment: { ...ORDER.payment, providerRef: providerRef ?? null } };
    const fact = { kind: "pending", refundId: "ref_1", providerRefundRef: "re_1", amount: 999 };
    assert.partialDeepStrictEqual(await refunds?.refund(order, call(http)), fact);
    assert.equal(seen.at(-1)?.headers?.["idempotency-key"], "ref_1");
  }
});

test("a refund that is refused, and one that is looked for", async () => {
  const refused = fakeStripe({ "POST /v1/refunds": failure(400, { message: "Too much", code: "amount_too_large" }) });
  assert.partialDeepStrictEqual(await refunds?.refund(ORDER, call(refused.http)), {
    kind: "refused",
    reason: "Too much",
  });
  const list = (data: object[]) => call(fakeStripe({ "GET /v1/refunds": json(200, { data }) }).http);
  const query = { ...ORDER, providerRefundRef: null };
  assert.partialDeepStrictEqual(await refunds?.query(query, list([{ ...REFUND, id: "re_2", metadata: {} }, REFUND])), {
    providerRefundRef: "re_1",
  });
  assert.equal(await refunds?.query(query, list([])), null);
  const known = fakeStripe({ "GET /v1/refunds/re_1": json(200, { ...REFUND, status: "succeeded" }) });
  assert.partialDeepStrictEqual(await refunds?.query({ ...ORDER, providerRefundRef: "re_1" }, call(known.http)), {
    kind: "processed",
  });
});

test("a refund whose payment Stripe does not name was certainly not sent", async () => {
  const order = { ...ORDER, payment: { ...ORDER.payment, providerRef: "in_2" } };
  for (const answer of [json(500, {}), failure(403, { message: "Not allowed" })]) {
    const { http, seen } = fakeStripe({ "GET /v1/invoices/in_2": answer });
    await assert.rejects(async () => refunds?.refund(order, call(http)), GatewayNotReached);
    assert.deepEqual(
      seen.filter(({ method }) => method === "POST"),
      [],
    );
  }
});

test("a subscription pauses, resumes, changes and ends", async () => {
  const sent: Record<string, string>[] = [];
  const { http } = fakeStripe({
    "GET /v1/subscriptions/sub_1": json(200, SUBSCRIPTION),
    "POST /v1/subscriptions/sub_1": (fields) => {
      sent.push(fields);
      return json(200, SUBSCRIPTION);
    },
    "DELETE /v1/subscriptions/sub_1": json(200, { ...SUBSCRIPTION, status: "canceled" }),
    "DELETE /v1/subscriptions/sub_2": MISSING,
  });
  const done = { kind: "done", nextChargeOn: "2031-02-28" };
  assert.deepEqual(await subscriptions?.pausing?.pause("sub_1", call(http)), done);
  assert.deepEqual(await subscriptions?.pausing?.resume("sub_1", call(http)), done);
  const change = { amount: cents(2500), nextDate: "2031-03-15" as CalendarDay };
  assert.deepEqual(await subscriptions?.changing?.change("sub_1", change, call(http)), done);
  assert.deepEqual(sent, [
    { "pause_collection[behavior]": "void" },
    { pause_collection: "" },
    {
      "items[0][id]": "si_1",
      "items[0][price_data][currency]": "zar",
      "items[0][price_data][product]": "prod_1",
      "items[0][price_data][unit_amount]": "2500",
      "items[0][price_data][recurring][interval]": "month",
      "items[0][price_data][recurring][interval_count]": "1",
      trial_end: unix("2031-03-15T06:00:00Z"),
      proration_behavior: "none",
    },
  ]);
  for (const id of ["sub_1", "sub_2"])
    assert.deepEqual(await subscriptions?.cancel(id, call(http)), { kind: "done", nextChargeOn: null });
});

test("a key is tried before it is saved, at no cost", async () => {
  const tried = (answer: GatewayAnswer) =>
    connect?.(
      { notifyUrl: REQUEST.notifyUrl },
      call(fakeStripe({ "GET /v1/checkout/sessions/cs_tefo_connection_test": answer }).http),
    );
  assert.deepEqual(await tried(MISSING), { kind: "connected", credentials: {} });
  assert.deepEqual(await tried(failure(401, { message: "Invalid API Key" })), {
    kind: "refused",
    reason: "Invalid API Key",
  });
  await assert.rejects(async () => tried(json(500, {})), GatewayUnclear);
});
