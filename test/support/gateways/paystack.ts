import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { RawNotification } from "../../../src/gateways/contract.ts";
import type { GatewayAnswer, GatewayHttp, GatewayRequest } from "../../../src/gateways/http.ts";
import { callOf, identityAt, json, requestTo } from "./calls.ts";

// Shared by the tests of src/gateways/paystack.

const KEY = "sk_test_example";
/** A call with the account's secret key. */
export const call = (http: GatewayHttp, baseUrl: string | null = null) => callOf({ secretKey: KEY }, http, { baseUrl });

type Answer = GatewayAnswer | ((body: Record<string, unknown>) => GatewayAnswer);

/** Paystack in memory: answers by method and path, and records the requests. */
export function fakePaystack(answers: Record<string, Answer>) {
  const seen: GatewayRequest[] = [];
  const http: GatewayHttp = async (request) => {
    seen.push(request);
    const { origin, pathname, search } = new URL(request.url);
    assert.equal(origin, "https://api.paystack.co");
    const answer = answers[`${request.method} ${pathname}${search}`];
    assert.ok(answer, `not expected: ${request.method} ${pathname}${search}`);
    assert.equal(request.headers?.["authorization"], `Bearer ${KEY}`);
    return typeof answer === "function" ? answer(JSON.parse(String(request.body ?? "null"))) : answer;
  };
  return { http, seen };
}

/** What Paystack answers when it has done something. */
export const data = (value: unknown): GatewayAnswer => json(200, { status: true, message: "Done", data: value });
/** What Paystack answers when it refuses. */
export const refusal = (status: number, message: string, code: string): GatewayAnswer =>
  json(status, { status: false, message, type: "validation_error", code, meta: { nextStep: "Mend it" } });
export const NOT_FOUND = refusal(400, "Transaction reference not found", "transaction_not_found");

export const REQUEST = requestTo("paystack");
export const IDENTITY = identityAt("0peioxfhpn");

export const AUTHORIZATION = {
  authorization_code: "AUTH_8dfhjjdt",
  bin: "408408",
  last4: "4081",
  exp_month: "12",
  exp_year: "2032",
  channel: "card",
  card_type: "visa ",
  bank: "TEST BANK",
  country_code: "ZA",
  brand: "visa",
  reusable: true,
  signature: "SIG_5wBvKoAT64nwSJgZkHvQ",
  account_name: "T Nkosi",
};

export const TRANSACTION = {
  id: 4_099_260_516,
  domain: "test",
  status: "success",
  reference: REQUEST.reference,
  amount: 1999,
  requested_amount: 1999,
  currency: "ZAR",
  fees: 158,
  channel: "card",
  gateway_response: "Successful",
  message: null,
  paid_at: "2031-01-31T07:59:00.000Z",
  created_at: "2031-01-31T07:58:00.000Z",
  metadata: { custom_fields: [] },
  customer: { id: 181_873_746, email: "p@example.com", customer_code: "CUS_1rkzaqsv4rrhqo6", phone: null },
  authorization: AUTHORIZATION,
  plan: null,
  plan_object: {},
};

export const SUBSCRIPTION = {
  subscription_code: "SUB_vsyqdmlzble3uii",
  email_token: "d7gofp6yppn3qz7",
  status: "active",
  amount: 1999,
  next_payment_date: "2031-02-28T06:00:00.000Z",
  createdAt: "2031-01-31T07:59:01.000Z",
  plan: { id: 67_572, name: "Gym", plan_code: "PLN_gx2wn530m0i3w3m", interval: "monthly" },
  customer: { email: "p@example.com", customer_code: "CUS_1rkzaqsv4rrhqo6" },
  authorization: AUTHORIZATION,
};

export const INVOICE = {
  domain: "test",
  invoice_code: "INV_3kfmqw48ca7b48k",
  amount: 1999,
  period_start: "2031-02-28T06:00:00.000Z",
  status: "failed",
  paid: false,
  paid_at: null,
  authorization: AUTHORIZATION,
  subscription: {
    status: "attention",
    subscription_code: SUBSCRIPTION.subscription_code,
    email_token: "d7gofp6yppn3qz7",
  },
  customer: SUBSCRIPTION.customer,
  transaction: {},
  created_at: "2031-02-25T06:00:00.000Z",
};

/** A notification as it arrives, signed unless a signature is given. */
export function received(body: unknown, signature?: string, key = KEY): RawNotification {
  const rawBody = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return {
    method: "POST",
    url: REQUEST.notifyUrl,
    headers: { "x-paystack-signature": signature ?? createHmac("sha512", key).update(rawBody).digest("hex") },
    rawBody,
    remoteAddress: "52.31.139.75",
  };
}
