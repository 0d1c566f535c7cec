import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { RawNotification } from "../../../src/gateways/contract.ts";
import type { GatewayAnswer, GatewayHttp, GatewayRequest } from "../../../src/gateways/http.ts";
import { callOf, identityAt, json, MACHINE_NOW, requestTo } from "./calls.ts";

// Shared by the tests of src/gateways/stripe.

const SECRET = "whsec_example";
/** A call with the account's keys. */
export const call = (http: GatewayHttp) => callOf({ secretKey: "sk_test_example", webhookSecret: SECRET }, http);

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

/** What Stripe answers when it refuses. */
export const failure = (status: number, error: object): GatewayAnswer => json(status, { error });
export const MISSING = failure(404, {
  type: "invalid_request_error",
  code: "resource_missing",
  message: "No such thing",
});

export const REQUEST = requestTo("stripe");
export const IDENTITY = identityAt("cs_test_1");

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
