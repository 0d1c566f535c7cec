import assert from "node:assert/strict";
import { test } from "node:test";
import { mutants } from "../../../test/gateways/mutations.ts";
import { json } from "../../../test/support/gateways/calls.ts";
import {
  CHARGE,
  call,
  fakeStripe,
  INTENT,
  INVOICE,
  MISSING,
  REQUEST,
  received,
  SESSION,
  SUBSCRIPTION,
} from "../../../test/support/gateways/stripe.ts";
import { seededNumbers } from "../../../test/support/property.ts";
import { instant } from "../../kernel/time.ts";
import type { NotificationReading, RawNotification } from "../contract.ts";
import type { GatewayFact } from "../facts.ts";
import { type GatewayAnswer, type GatewayHttp, GatewayUnclear } from "../http.ts";
import { LEFT_OUT_TEST } from "../refusals.ts";
import { stripe } from "./adapter.ts";

const { notifications } = stripe;
const never: GatewayHttp = async () => assert.fail("reading a notification must not call anyone");
const read = (raw: RawNotification): NotificationReading => notifications?.read(raw, call(never)) ?? assert.fail();
const event = (type: string, object: unknown) => ({ id: "evt_1", type, created: 1_927_611_700, data: { object } });

/** The facts of an event, after Stripe was asked where it has to be. */
async function facts(type: string, object: unknown, answers: Record<string, GatewayAnswer> = {}) {
  const reading = read(received(event(type, object)));
  if (reading.kind === "verified") return reading.facts;
  assert.equal(reading.kind, "confirm", JSON.stringify(reading));
  const claim = reading.kind === "confirm" ? reading.claim : "";
  const confirmed = await notifications?.confirm?.(claim, call(fakeStripe(answers).http));
  return confirmed?.kind === "verified" ? confirmed.facts : assert.fail();
}

const REFUND = { id: "re_1", status: "succeeded", amount: 999, created: 1, metadata: { refund_id: "ref_1" } };
const DISPUTE = {
  id: "du_1",
  amount: 1999,
  status: "needs_response",
  reason: "fraudulent",
  created: 1,
  payment_intent: "pi_1",
};
const STORED = { ...INTENT, metadata: { reference: "TEFOC-1-1", kind: "stored_card" } };
const DECLINED = {
  ...STORED,
  status: "requires_payment_method",
  last_payment_error: { code: "card_declined", decline_code: "stolen_card", message: "No." },
};
const link = { key: "sub_1", handle: "sub_1" };
const SUB_SESSION = { ...SESSION, mode: "subscription", payment_intent: null, invoice: "in_1", subscription: "sub_1" };
const GET = {
  session: "GET /v1/checkout/sessions/cs_test_1",
  intent: "GET /v1/payment_intents/pi_1",
  invoice: "GET /v1/invoices/in_2",
  subscription: "GET /v1/subscriptions/sub_1",
};

/** The same code and time in each report of a chargeback, by which it is booked once. */
const TAKEN = {
  ...{ about: "reversal", providerRef: "pi_1", reference: REQUEST.reference, amount: 1999, hard: true },
  ...{ code: "du_1", occurredAt: instant(1000) },
};

/** Type, object, what Stripe answers, and the facts. */
type Example = [string, unknown, Record<string, GatewayAnswer>, object[]];
const METHOD = {
  id: "pm_1",
  customer: "cus_1",
  card: { brand: "visa", last4: "4242", exp_month: 5, exp_year: 2031, fingerprint: "fp_1" },
};
const RENEWED_CARD = {
  brand: "visa",
  last4: "4242",
  expiryMonth: 5,
  expiryYear: 2031,
  fingerprint: "fp_1",
  token: null,
};
const RENEWED = { about: "card", kind: "renewed", occurredAt: instant(1_927_611_700_000), card: RENEWED_CARD };
/** A refund that was made in Stripe's dashboard. */
const ELSEWHERE = {
  ...REFUND,
  id: "re_2",
  amount: 500,
  currency: "zar",
  payment_intent: "pi_1",
  metadata: {},
};
const EVENTS: Example[] = [
  [
    "checkout.session.completed",
    SESSION,
    { [GET.session]: json(200, { ...SESSION, payment_intent: { ...INTENT, latest_charge: CHARGE } }) },
    [
      {
        kind: "paid",
        reference: REQUEST.reference,
        providerRef: "pi_1",
        amount: 1999,
        fee: 88,
        currency: "ZAR",
        payerEmail: "p@example.com",
        card: { brand: "visa", last4: "4242", token: '{"customer":"cus_1","method":"pm_1"}' },
      },
    ],
  ],
  [
    "checkout.session.completed",
    SESSION,
    { [GET.session]: MISSING },
    [{ kind: "paid", providerRef: "pi_1", fee: null, card: null }],
  ],
  [
    "checkout.session.completed",
    { ...SESSION, amount_total: 1 },
    { [GET.session]: json(200, SESSION) },
    [{ kind: "paid", amount: 1 }],
  ],
  [
    "checkout.session.completed",
    { ...SESSION, amount_total: 1999.5 },
    { [GET.session]: MISSING },
    [{ kind: "paid", inexactAmount: "1999.5" }],
  ],
  ["checkout.session.completed", { ...SESSION, payment_status: "unpaid" }, {}, [{ kind: "pending" }]],
  [
    "checkout.session.completed",
    SUB_SESSION,
    { [GET.session]: json(200, { ...SUB_SESSION, subscription: SUBSCRIPTION }) },
    [{ kind: "paid", providerRef: "in_1", subscription: { ...link, nextChargeOn: "2031-02-28" } }],
  ],
  ["checkout.session.async_payment_succeeded", SESSION, { [GET.session]: MISSING }, [{ kind: "paid" }]],
  [
    "checkout.session.async_payment_failed",
    { ...SESSION, payment_status: "unpaid" },
    {},
    [{ kind: "declined", reference: REQUEST.reference }],
  ],
  [
    "checkout.session.expired",
    { ...SESSION, status: "expired", payment_status: "unpaid", payment_intent: null },
    {},
    [{ kind: "abandoned" }],
  ],
  [
    "payment_intent.succeeded",
    INTENT,
    { [GET.intent]: json(200, { ...INTENT, latest_charge: CHARGE }) },
    [{ kind: "paid", providerRef: "pi_1", fee: 88 }],
  ],
  ["payment_intent.succeeded", { ...INTENT, metadata: {}, invoice: "in_1" }, {}, []],
  ["payment_intent.payment_failed", { ...INTENT, status: "requires_payment_method" }, {}, []],
  [
    "payment_intent.payment_failed",
    DECLINED,
    {},
    [{ kind: "declined", hard: true, reason: "No.", gatewayWord: "stolen_card" }],
  ],
  [
    "invoice.paid",
    INVOICE,
    { [GET.invoice]: json(200, { ...INVOICE, charge: CHARGE, subscription: SUBSCRIPTION }) },
    [
      {
        kind: "paid",
        reference: REQUEST.reference,
        providerRef: "in_2",
        amount: 1999,
        fee: 88,
        subscription: { ...link, nextChargeOn: "2031-02-28" },
      },
    ],
  ],
  [
    "invoice.paid",
    {
      ...INVOICE,
      subscription: undefined,
      subscription_details: undefined,
      parent: { subscription_details: { subscription: "sub_1", metadata: { reference: "R" } } },
    },
    { [GET.invoice]: MISSING },
    [{ kind: "paid", reference: "R", subscription: link }],
  ],
  [
    "invoice.paid",
    { ...INVOICE, subscription_details: null },
    { [GET.invoice]: MISSING, [GET.subscription]: json(200, SUBSCRIPTION) },
    [{ reference: REQUEST.reference }],
  ],
  ["payment_method.automatically_updated", METHOD, {}, [{ ...RENEWED, gatewayWord: "automatically_updated" }]],
  ["payment_method.updated", METHOD, {}, [{ ...RENEWED, gatewayWord: "updated" }]],
  ["payment_method.updated", { id: "pm_1", type: "sepa_debit" }, {}, []],
  ["invoice.paid", { ...INVOICE, amount_paid: 0 }, {}, []],
  ["invoice.paid", { ...INVOICE, subscription: null }, {}, []],
  [
    "invoice.payment_failed",
    { ...INVOICE, status: "open" },
    {},
    [{ kind: "declined", providerRef: "in_2", amount: 1999, subscription: link }],
  ],
  ["invoice.payment_failed", { ...INVOICE, billing_reason: "subscription_create" }, {}, []],
  [
    "customer.subscription.updated",
    SUBSCRIPTION,
    {},
    [{ about: "subscription", kind: "active", subscription: { ...link, nextChargeOn: "2031-02-28" } }],
  ],
  [
    "customer.subscription.updated",
    { ...SUBSCRIPTION, pause_collection: { behavior: "void" } },
    {},
    [{ kind: "paused" }],
  ],
  [
    "customer.subscription.updated",
    {
      ...SUBSCRIPTION,
      items: {
        data: [{ id: "si_1", quantity: 2, price: { ...SUBSCRIPTION.items.data[0]?.price, unit_amount: 7500 } }],
      },
    },
    {},
    [{ kind: "active", amount: 15_000 }],
  ],
  ["customer.subscription.updated", SUBSCRIPTION, {}, [{ amount: null }]],
  ["customer.subscription.updated", { ...SUBSCRIPTION, status: "past_due" }, {}, [{ kind: "past_due" }]],
  ["customer.subscription.updated", { ...SUBSCRIPTION, status: "incomplete" }, {}, []],
  ["customer.subscription.deleted", { ...SUBSCRIPTION, status: "canceled" }, {}, [{ kind: "cancelled" }]],
  [
    "refund.updated",
    REFUND,
    {},
    [{ about: "refund", kind: "processed", refundId: "ref_1", providerRefundRef: "re_1", amount: 999 }],
  ],
  [
    "refund.failed",
    { ...REFUND, status: "failed", failure_reason: "lost_or_stolen_card" },
    {},
    [{ kind: "refused", reason: "Stripe could not make the refund: lost or stolen card." }],
  ],
  ["charge.refunded", { id: "ch_1", refunds: { data: [REFUND] } }, {}, [{ refundId: "ref_1" }]],
  ["charge.refunded", { id: "ch_1" }, {}, []],
  [
    "refund.created",
    ELSEWHERE,
    { [GET.intent]: json(200, INTENT) },
    [
      {
        kind: "processed",
        refundId: null,
        providerRefundRef: "re_2",
        reference: REQUEST.reference,
        paymentRef: "pi_1",
      },
    ],
  ],
  ["refund.created", ELSEWHERE, { [GET.intent]: MISSING }, [{ refundId: null, reference: null, paymentRef: "pi_1" }]],
  [
    "refund.updated",
    ELSEWHERE,
    { [GET.intent]: json(200, { ...INTENT, metadata: {}, invoice: "in_2" }) },
    [{ kind: "processed", reference: null, paymentRef: "in_2", amount: 500, currency: "ZAR" }],
  ],
  [
    "charge.refunded",
    { id: "ch_1", payment_intent: "pi_1" },
    { [GET.intent]: json(200, INTENT), "GET /v1/refunds": json(200, { data: [REFUND, ELSEWHERE] }) },
    [
      { refundId: "ref_1", providerRefundRef: "re_1" },
      { refundId: null, providerRefundRef: "re_2", reference: REQUEST.reference },
    ],
  ],
  [
    "charge.dispute.created",
    DISPUTE,
    { [GET.intent]: json(200, { ...INTENT, metadata: {}, invoice: "in_2" }) },
    [{ providerRef: "in_2", reference: null }],
  ],
  ["charge.dispute.created", { ...DISPUTE, status: "warning_needs_response" }, {}, []],
  [
    "charge.dispute.closed",
    { ...DISPUTE, status: "won" },
    { [GET.intent]: json(200, INTENT) },
    [{ about: "dispute", kind: "won", providerRef: "pi_1", reference: REQUEST.reference, disputeId: "du_1" }],
  ],
  ["charge.dispute.closed", { ...DISPUTE, status: "warning_closed" }, {}, []],
  ["charge.dispute.updated", DISPUTE, {}, []],
  ...(
    [
      ["charge.dispute.created", "needs_response"],
      ["charge.dispute.funds_withdrawn", "needs_response"],
      ["charge.dispute.funds_withdrawn", "under_review"],
      ["charge.dispute.closed", "lost"],
    ] as const
  ).map(([type, status]): Example => [type, { ...DISPUTE, status }, { [GET.intent]: json(200, INTENT) }, [TAKEN]]),
  ["customer.created", { id: "cus_1" }, {}, []],
];
for (const [type, object, answers, expected] of EVENTS)
  test(`${type}: ${JSON.stringify(expected)}`, async () => {
    const found: readonly GatewayFact[] = await facts(type, object, answers);
    assert.partialDeepStrictEqual(found, expected);
    assert.equal(found.length, expected.length);
  });

test("what Stripe leaves unclear is asked again", async () => {
  for (const answer of [
    json(500, {}),
    json(429, {}),
    json(401, { error: { message: "Invalid API Key" } }),
    json(200, { id: 5 }),
  ])
    await assert.rejects(
      async () => facts("checkout.session.completed", SESSION, { [GET.session]: answer }),
      GatewayUnclear,
    );
});

const genuine = received(event("checkout.session.completed", SESSION));
const text = Buffer.from(genuine.rawBody).toString();
const signature = genuine.headers["stripe-signature"];
const REFUSALS: [string, RawNotification, string][] = [
  ["unsigned", { ...genuine, headers: {} }, "The signature is missing."],
  ["of another amount", received(text.replace("1999", "9999"), signature), "The signature is wrong."],
  ["written again", received(JSON.stringify(JSON.parse(text), null, 2), signature), "The signature is wrong."],
  ["no JSON", received("paid!"), "The body is not an event."],
  ["without an id", received({ type: "invoice.paid", data: { object: {} } }), "The body is not an event."],
];
for (const [what, raw, reason] of REFUSALS)
  test(`refused: ${what}`, () => assert.deepEqual(read(raw), { kind: "refused", reason }));

test("an object of another shape is not understood, and not refused", () =>
  assert.deepEqual(read(received(event("invoice.paid", {}))), {
    kind: "unread",
    event: "invoice.paid",
    reason: "The object of invoice.paid cannot be read.",
  }));

test("of 100 000 changed notifications none is accepted, and none throws", () => {
  const signed = EVENTS.map(([type, object]) => received(event(type, object)));
  for (const raw of signed)
    for (const mutant of mutants(raw, Math.ceil(100_000 / signed.length))) {
      // A changed header may still hold the genuine signature.
      const v1 = String(raw.headers["stripe-signature"]).slice(-64);
      const header = mutant.headers["stripe-signature"] ?? "";
      const kept = Buffer.from(mutant.rawBody).equals(Buffer.from(raw.rawBody)) && header.includes(v1);
      if (!kept) assert.equal(read(mutant).kind, "refused", header);
    }
});

test("of 20 000 signed notifications with changed objects none throws", () => {
  const random = seededNumbers();
  const below = (most: number) => Math.floor(random() * most);
  const STRANGE = [null, true, -1, 1.5, 1e21, "", "x", "\0", "\ud800", [], {}, [[]], { id: {} }, { data: [null] }];
  for (let n = 0; n < 20_000; n++) {
    const [type, object] = EVENTS[below(EVENTS.length)] ?? assert.fail();
    const changed = JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
    const keys = Object.keys(changed);
    changed[keys[below(keys.length)] ?? "x"] = STRANGE[below(STRANGE.length)];
    assert.ok(["verified", "confirm", "unread"].includes(read(received(event(type, changed))).kind));
  }
});

// The mode of the account, its key, the mode of the event, and whether a payment follows from it.
for (const [mode, secretKey, livemode, counts] of [
  ["live", "sk_live_example", false, false],
  ["live", "rk_live_example", false, false],
  ["live", "sk_live_example", true, true],
  ["live", "sk_live_example", undefined, true],
  ["sandbox", "sk_test_example", false, true],
  ["live", "sk_test_example", false, true],
] as const)
  test(`an event of livemode ${livemode} at a ${mode} account with ${secretKey} ${counts ? "counts" : "is left out"}`, () => {
    const told = { ...event("checkout.session.completed", SESSION), ...(livemode === undefined ? {} : { livemode }) };
    const at = { ...call(never), mode, credentials: { secretKey, webhookSecret: "whsec_example" } };
    const reading = notifications?.read(received(told), at) ?? assert.fail();
    if (counts) assert.equal(reading.kind, "confirm");
    else assert.deepEqual(reading, LEFT_OUT_TEST);
  });

test("a page that asked for the payer's own currency is paid in the one that was asked for", async () => {
  const abroad = {
    ...SESSION,
    currency: "usd",
    amount_total: 115,
    currency_conversion: { amount_subtotal: 1999, amount_total: 1999, fx_rate: "17.38", source_currency: "zar" },
  };
  const [fact] = await facts("checkout.session.completed", abroad, { [GET.session]: json(200, abroad) });
  assert.partialDeepStrictEqual(fact, { kind: "paid", amount: 1999, currency: "ZAR" });
});

test("of a card whose number was replaced, the fingerprint of the former number is told", () => {
  const { data, ...rest } = event("payment_method.automatically_updated", METHOD);
  const former = { card: { exp_year: 2027, fingerprint: "fp_0", last4: "0000" } };
  const reading = read(received({ ...rest, data: { ...data, previous_attributes: former } }));
  const [fact] = reading.kind === "verified" ? reading.facts : [];
  assert.partialDeepStrictEqual(fact, { card: { fingerprint: "fp_1", otherFingerprints: ["fp_0"] } });
});
