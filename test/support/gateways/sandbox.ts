import assert from "node:assert/strict";
import type { PaymentIdentity, StartPaymentRequest } from "../../../src/gateways/contract.ts";
import type { GatewayAnswer, GatewayHttp, GatewayRequest } from "../../../src/gateways/http.ts";
import { merchantOf } from "../../../src/gateways/sandbox/server.ts";
import type * as wire from "../../../src/gateways/sandbox/wire.ts";
import { ACCOUNT_HEADER } from "../../../src/gateways/sandbox/wire.ts";
import { cents } from "../../../src/kernel/money.ts";
import type { CalendarDay } from "../../../src/kernel/time.ts";
import { callOf, json, NOW } from "./calls.ts";

// Shared by the tests of src/gateways/sandbox.

export const CREDENTIALS = { merchantId: "sbm_1", secret: "the-secret-of-this-account" };
/** A call to the server's own sandbox gateway. */
export const call = (http: GatewayHttp, credentials = CREDENTIALS) =>
  callOf(credentials, http, { mode: "sandbox", baseUrl: "http://127.0.0.1:8080" });

/** A gateway in memory: answers by method and path, and records the requests. */
export function fakeGateway(answers: Record<string, GatewayAnswer | ((body: unknown) => GatewayAnswer)>) {
  const seen: GatewayRequest[] = [];
  const http: GatewayHttp = async (request) => {
    seen.push(request);
    const { origin, pathname } = new URL(request.url);
    assert.equal(origin, "http://127.0.0.1:8080");
    const answer = answers[`${request.method} ${pathname.replace(/^\/sandbox-gateway\/api/, "")}`];
    assert.ok(answer, `not part of the protocol: ${request.method} ${pathname}`);
    assert.deepEqual(merchantOf(request.headers?.["authorization"]), CREDENTIALS);
    assert.equal(request.headers?.[ACCOUNT_HEADER], "gw_1");
    return typeof answer === "function" ? answer(JSON.parse(String(request.body ?? "null"))) : answer;
  };
  return { http, seen };
}
export const NOT_FOUND = json(404, { error: "not_found", message: "No such payment." });
export const REFUSED = json(409, { error: "invalid_state", message: "It was cancelled." });

export const REQUEST: StartPaymentRequest = {
  reference: "TEFO-20310131-9F3C01AB",
  amount: cents(1999),
  currency: "ZAR",
  description: "Membership",
  payer: { email: "p@example.com", firstName: "Thabo", lastName: null, phone: null },
  returnUrl: "http://localhost:8080/pay/abc/return",
  cancelUrl: "http://localhost:8080/pay/abc/cancel",
  notifyUrl: "http://127.0.0.1:8080/api/webhooks/sandbox?account=gw_1",
  recurring: { frequency: "monthly", amount: cents(1999), nextChargeOn: "2031-02-28" as CalendarDay },
  saveCard: true,
  startsSubscription: false,
  forCard: false,
};
export const IDENTITY: PaymentIdentity = {
  reference: REQUEST.reference,
  checkoutRef: "sbc_1",
  providerRef: null,
  amount: REQUEST.amount,
  currency: "ZAR",
  startedAt: NOW,
};
export const PAYMENT: wire.Payment = {
  id: "sbp_1",
  reference: REQUEST.reference,
  status: "complete",
  amount: 1999,
  currency: "ZAR",
  fee: 158,
  payerEmail: "p@example.com",
  card: {
    token: "sct_000000000000000000000000_4242",
    brand: "visa",
    last4: "4242",
    expiryMonth: 8,
    expiryYear: 2029,
    holderName: "Thabo",
    fingerprint: "sbf_4242",
  },
  decline: null,
  subscription: { id: "sbs_1", nextChargeOn: "2031-02-28" },
  occurredAt: "2031-01-31T08:00:00.000Z",
};
const AT = "2031-01-31T08:00:00.000Z";
export const REFUND = {
  id: "sbr_1",
  refundId: "ref_1",
  reference: REQUEST.reference,
  amount: 999,
  reason: null,
  occurredAt: AT,
};
export const REVERSAL = {
  paymentId: "sbp_9",
  reference: "DO0123456789-20310131",
  amount: 500,
  reason: "Unpaid.",
  code: "02",
  hard: false,
  occurredAt: AT,
};
export const SUBSCRIPTION = {
  id: "sbs_1",
  status: "paused",
  amount: 1999,
  currency: "ZAR",
  nextChargeOn: null,
  updatedAt: AT,
};
export const MANDATE = {
  accountReference: "DO0123456789",
  status: "rejected",
  signUrl: "https://x.example/m",
  reason: "No.",
  updatedAt: AT,
};
