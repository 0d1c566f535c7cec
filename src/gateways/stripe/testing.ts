import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { cents } from "../../kernel/money.ts";
import { instant } from "../../kernel/time.ts";
import type { GatewayCall, PaymentIdentity, RawNotification, StartPaymentRequest } from "../contract.ts";
import type { GatewayAnswer, GatewayHttp, GatewayRequest } from "../http.ts";

// Shared by the tests of this folder.

const SECRET = "whsec_example";
/** The organisation's clock and the machine's may lie far apart (interface 13.1). */
export const NOW = instant("2031-01-31T08:00:00Z");
const MACHINE_NOW = instant("2026-11-20T10:00:00Z");

export const call = (http: GatewayHttp): GatewayCall => ({
  credentials: { secretKey: "sk_test_example", webhookSecret: SECRET },
  accountId: "gw_1",
  mode: "live",
  baseUrl: null,
  sources: null,
  http,
  now: NOW,
  machineNow: MACHINE_NOW,
});

type Answer = GatewayAnswer | ((fields: Record<string, string>) => GatewayAnswer);

/** Stripe in memory: answers by method and path, and records the requests. */
export function fakeStripe(answers: Record<string, Answer>) {
  const seen: GatewayRequest[] = [];
  const http: GatewayHttp = async (request) => {
    seen.push(request);
    const { origin, pathname, searchParams } = new URL(request.url);
    assert.equal(origin, "https://api.stripe.com");
    const answer = answers[`${request.method} ${pathname}`];
    assert.ok(answer, `not expected: ${request.method} ${pathname}`);
    assert.equal(request.headers?.["authorization"], "Bearer sk_test_example");
    assert.match(request.headers?.["stripe-version"] ?? "", /^\d{4}-\d{2}-\d{2}$/);
    const fields = request.method === "GET" ? searchParams : new URLSearchParams(String(request.body ?? ""));
    return typeof answer === "function" ? answer(Object.fromEntries(fields)) : answer;
  };
  return { http, seen };
}

export const json = (status: number, body: unknown): GatewayAnswer => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});
export const failure = (status: number, error: object): GatewayAnswer => json(status, { error });
export const MISSING = failure(404, {
  type: "invalid_request_error",
  code: "resource_missing",
  message: "No such thing",
});

export const REQUEST: StartPaymentRequest = {
  reference: "TEFO-20310131-9F3C01AB",
  amount: cents(1999),
  currency: "ZAR",
  description: "Sipho & Zoë's “gym” + 50 % ✓",
  payer: { email: "p@example.com", firstName: "Thabo", lastName: null, phone: null },
  returnUrl: "http://localhost:8080/pay/abc/return",
  cancelUrl: "http://localhost:8080/pay/abc/cancel",
  notifyUrl: "http://localhost:8080/api/webhooks/stripe?account=gw_1",
  recurring: null,
  saveCard: false,
  startsSubscription: false,
};

export const IDENTITY: PaymentIdentity = {
  reference: REQUEST.reference,
  checkoutRef: "cs_test_1",
  providerRef: null,
  amount: REQUEST.amount,
  currency: "ZAR",
  startedAt: NOW,
};

const PAID_AT = 1_927_611_600;
export const CHARGE = {
  id: "ch_1",
  payment_method: "pm_1",
  customer: "cus_1",
  balance_transaction: { id: "txn_1", fee: 88, currency: "zar" },
  payment_method_details: {
    card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2034, fingerprint: "fp_1" },
  },
  billing_details: { name: "T Nkosi", email: null },
};
export const INTENT = {
  id: "pi_1",
  status: "succeeded",
  amount: 1999,
  amount_received: 1999,
  currency: "zar",
  created: PAID_AT,
  customer: "cus_1",
  payment_method: "pm_1",
  metadata: { reference: REQUEST.reference },
  invoice: null,
  latest_charge: "ch_1",
};
export const SESSION = {
  id: "cs_test_1",
  mode: "payment",
  status: "complete",
  payment_status: "paid",
  amount_total: 1999,
  currency: "zar",
  created: PAID_AT,
  client_reference_id: REQUEST.reference,
  metadata: { reference: REQUEST.reference },
  customer_details: { email: "p@example.com" },
  payment_intent: "pi_1",
  invoice: null,
  subscription: null,
};
export const SUBSCRIPTION = {
  id: "sub_1",
  status: "active",
  current_period_end: PAID_AT + 28 * 86_400,
  pause_collection: null,
  metadata: { reference: REQUEST.reference },
  items: {
    data: [
      {
        id: "si_1",
        price: { currency: "zar", product: "prod_1", recurring: { interval: "month", interval_count: 1 } },
      },
    ],
  },
};
export const INVOICE = {
  id: "in_2",
  status: "paid",
  billing_reason: "subscription_cycle",
  amount_due: 1999,
  amount_paid: 1999,
  currency: "zar",
  created: PAID_AT,
  customer: "cus_1",
  customer_email: "p@example.com",
  subscription: "sub_1",
  subscription_details: { metadata: { reference: REQUEST.reference } },
  payment_intent: "pi_2",
  charge: "ch_2",
};

/** A notification as it arrives, signed unless a signature is given. */
export function received(body: unknown, signature?: string): RawNotification {
  const rawBody = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const t = MACHINE_NOW.getTime() / 1000;
  const v1 = createHmac("sha256", SECRET).update(`${t}.${rawBody}`).digest("hex");
  return {
    method: "POST",
    url: REQUEST.notifyUrl,
    headers: { "stripe-signature": signature ?? `t=${t},v1=${v1}` },
    rawBody,
    remoteAddress: "3.18.12.63",
  };
}
