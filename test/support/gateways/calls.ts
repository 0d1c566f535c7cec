import type { GatewayCall, PaymentIdentity, StartPaymentRequest } from "../../../src/gateways/contract.ts";
import type { GatewayAnswer, GatewayHttp } from "../../../src/gateways/http.ts";
import { cents } from "../../../src/kernel/money.ts";
import { instant } from "../../../src/kernel/time.ts";

// Shared by the tests of adapters whose gateway answers in memory.

/** The organisation's clock and the machine's may lie far apart (interface 13.1). */
export const NOW = instant("2031-01-31T08:00:00Z");
export const MACHINE_NOW = instant("2026-11-20T10:00:00Z");

/** A call for a live account. Without a base URL it is for the gateway's own hosts; `http` answers for them. */
export const callOf = (
  credentials: GatewayCall["credentials"],
  http: GatewayHttp,
  changes: Partial<GatewayCall> = {},
): GatewayCall => ({
  credentials,
  accountId: "gw_1",
  mode: "live",
  baseUrl: null,
  sources: null,
  http,
  now: NOW,
  machineNow: MACHINE_NOW,
  ...changes,
});

/** An answer in JSON. */
export const json = (status: number, body: unknown): GatewayAnswer => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});

/** A payment of 19.99 that is asked for. */
export const requestTo = (type: string): StartPaymentRequest => ({
  reference: "TEFO-20310131-9F3C01AB",
  amount: cents(1999),
  currency: "ZAR",
  description: "Sipho & Zoë's “gym” + 50 % ✓",
  payer: { email: "p@example.com", firstName: "Thabo", lastName: null, phone: null },
  returnUrl: "http://localhost:8080/pay/abc/return",
  cancelUrl: "http://localhost:8080/pay/abc/cancel",
  notifyUrl: `http://localhost:8080/api/webhooks/${type}?account=gw_1`,
  recurring: null,
  saveCard: false,
  startsSubscription: false,
  forCard: false,
});

/** What identifies that payment once its checkout was made. */
export const identityAt = (checkoutRef: string): PaymentIdentity => {
  const { reference, amount, currency } = requestTo("");
  return { reference, checkoutRef, providerRef: null, amount, currency, startedAt: NOW };
};
