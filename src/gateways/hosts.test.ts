import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../kernel/money.ts";
import { calendarDay, instant } from "../kernel/time.ts";
import type { GatewayCall, PaymentIdentity } from "./contract.ts";
import type { GatewayRequest } from "./http.ts";
import { ADAPTERS } from "./registry.ts";

/* Whatever ids and answers hold, an adapter calls only its gateway's own hosts, or the base URL that replaces them. */

/** Ids that an attacker would use to direct a call elsewhere. */
const HOSTILE = [
  "https://evil.example/x",
  "//evil.example/x",
  "@evil.example/x",
  ".evil.example/x",
  "\\\\evil.example\\x",
  "../../../evil",
  "..",
  "%2e%2e/evil",
  "?x=1#y",
  "a\r\nHost: evil.example",
  "http://169.254.169.254/latest/meta-data/",
  '{"id":"https://evil.example"}',
];
const NOW = instant("2031-01-31T08:00:00Z");

/** An answer in which every URL names another host, and whose tokens let the adapter continue. */
function answerWith(evil: string): string {
  const one = { id: evil, reference: evil, status: "success", url: evil, href: evil, link: evil, next: evil };
  const token = { access_token: "t", accessToken: "t", expires_in: "3600" };
  return JSON.stringify({ ...one, ...token, success: true, code: 200, data: { ...one, ...token, payment: one } });
}

/** Every call that an adapter can make with ids from outside. */
function callsOf(adapter: (typeof ADAPTERS)[number], evil: string, call: GatewayCall) {
  const payment: PaymentIdentity = {
    ...{ reference: "TEFO-20310131-9F3C01AB", checkoutRef: evil, providerRef: evil, amount: cents(1999) },
    ...{ currency: "ZAR", startedAt: NOW },
  };
  const notifyUrl = "https://pay.example/api/webhooks/x?account=gw_1";
  const refund = { payment, refundId: "ref_1", amount: cents(100), reason: null, requestedAt: NOW, notifyUrl };
  const { checkout, refunds, subscriptions, storedCards, debitOrders, eMandates, statement } = adapter;
  const payer = { email: "p@example.com", firstName: null, lastName: null, phone: null };
  const charged = { token: evil, brand: "visa", last4: "4242" } as const;
  const charge = {
    ...{ reference: payment.reference, card: charged, amount: cents(100), currency: "ZAR", description: "x" },
    ...{ payer, notifyUrl },
  };
  const started = {
    ...{ reference: payment.reference, amount: cents(1999), currency: "ZAR", description: evil, payer, notifyUrl },
    ...{
      returnUrl: evil,
      cancelUrl: evil,
      recurring: null,
      saveCard: false,
      startsSubscription: false,
      forCard: false,
    },
  };
  return [
    () => checkout?.start(started, call),
    () => checkout?.query(payment, call),
    () => refunds?.refund(refund, call),
    () => refunds?.query({ ...refund, providerRefundRef: evil }, call),
    () => subscriptions?.query({ key: evil, handle: evil }, call),
    () => subscriptions?.cancel(evil, call),
    () => subscriptions?.pausing?.pause(evil, call),
    () => subscriptions?.pausing?.resume(evil, call),
    () => subscriptions?.changing?.change(evil, { amount: cents(100) }, call),
    () => subscriptions?.begin?.({ key: evil, cardToken: evil, nextChargeOn: calendarDay(NOW) }, call),
    () => storedCards?.charge(charge, call),
    () => storedCards?.query(payment, call),
    () => debitOrders?.query({ reference: evil, batchRef: evil, actionDate: calendarDay(NOW) } as never, call),
    () => eMandates?.query(evil as never, call),
    () => statement?.read({ day: calendarDay(NOW), ticket: evil }, call),
  ];
}

for (const adapter of ADAPTERS.filter(({ simulated, notifications }) => !simulated && notifications))
  for (const baseUrl of [null, "http://127.0.0.1:9"])
    test(`${adapter.type} calls ${baseUrl ?? "its own hosts"} alone`, async () => {
      const seen: GatewayRequest[] = [];
      for (const evil of HOSTILE) {
        const call: GatewayCall = {
          credentials: Object.fromEntries(adapter.credentialFields.map(({ name }) => [name, "secret-0123456789"])),
          ...{ accountId: "gw_1", mode: "live", baseUrl, sources: null, now: NOW, machineNow: NOW },
          http: async (request) => {
            seen.push(request);
            return { status: 200, headers: { location: evil }, body: answerWith(evil) };
          },
        };
        // Whether the adapter accepts such an answer does not matter here: no call with our own tokens may go elsewhere.
        for (const ask of callsOf(adapter, evil, call)) await (async () => ask())().catch(() => undefined);
      }
      assert.ok(seen.length > HOSTILE.length, "it was called");
      for (const { url } of seen) {
        const { origin, hostname, protocol } = new URL(url);
        if (baseUrl !== null) assert.equal(origin, baseUrl, url);
        else {
          assert.equal(protocol, "https:", url);
          const own = (adapter.payerDomains ?? []).some((domain) => hostname.endsWith(`.${domain}`));
          assert.ok(own, url);
        }
      }
    });
