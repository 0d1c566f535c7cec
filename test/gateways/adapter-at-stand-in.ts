import assert from "node:assert/strict";
import { beforeEach } from "node:test";
import type {
  GatewayAdapter,
  GatewayCall,
  PaymentIdentity,
  RawNotification,
  RefundRequest,
  StartPaymentRequest,
} from "../../src/gateways/contract.ts";
import type { PaymentFact } from "../../src/gateways/facts.ts";
import { type GatewayAnswer, gatewayHttp } from "../../src/gateways/http.ts";
import { cents } from "../../src/kernel/money.ts";
import { instant } from "../../src/kernel/time.ts";
import { openStandIn, type StandIn, type StandInProtocol } from "./stand-in.ts";

/** The organisation's clock and the machine's may lie far apart (interface 13.1). */
const NOW = instant("2031-01-31T08:00:00Z");

/** A payment that is asked for, of 19.99. */
const requestTo = (type: string): StartPaymentRequest => ({
  reference: "TEFO-20310131-9F3C01AB",
  amount: cents(1999),
  currency: "ZAR",
  description: "Membership",
  payer: { email: "p@example.com", firstName: "Thabo", lastName: "Ngcobo", phone: null },
  returnUrl: "https://pay.example/pay/abc/result/TEFO-20310131-9F3C01AB",
  cancelUrl: "https://pay.example/pay/abc/cancel/TEFO-20310131-9F3C01AB",
  notifyUrl: `http://127.0.0.1:1/api/webhooks/${type}?account=gw_1`,
  recurring: null,
  saveCard: false,
  startsSubscription: false,
  forCard: false,
});

/** Names that spoil signatures and encodings when they are not treated with care. */
export const NAMES = [
  "A & B + 100% = C",
  `"Quotes" and 'quotes' <b>`,
  "Zoë Müller née Groëneweg",
  "Nomvuyisẹlo Ɓaba ŉ Mkhize",
  "Thabo 🎉👩🏽‍🚀",
  "a%20b+c&d=e#f;g\\h/i?j",
  "x".repeat(300),
  "🎉".repeat(120),
  "",
];

/** What identifies the payment of `requestTo`. */
const identityOf = (
  { reference, amount, currency }: StartPaymentRequest,
  changes: Partial<PaymentIdentity>,
): PaymentIdentity => ({
  reference,
  amount,
  currency,
  checkoutRef: null,
  providerRef: null,
  startedAt: NOW,
  ...changes,
});

/** A refund of the whole payment. */
export const refundOf = (payment: PaymentIdentity): Omit<RefundRequest, "notifyUrl"> => ({
  payment,
  refundId: "ref_1",
  amount: payment.amount,
  reason: null,
  requestedAt: NOW,
});

/** An adapter with a stand-in of its gateway for each test of the file. */
export function setUpAtStandIn(adapter: GatewayAdapter, protocol: StandInProtocol) {
  let standIn: StandIn;
  beforeEach(async (context) => {
    const opened = await openStandIn(protocol);
    standIn = opened;
    if ("after" in context) context.after(() => opened.close());
  });
  const call = (changes: Partial<GatewayCall> = {}): GatewayCall => ({
    credentials: protocol.credentials,
    accountId: "gw_1",
    mode: "live",
    baseUrl: standIn.url,
    sources: null,
    http: gatewayHttp,
    now: NOW,
    machineNow: instant(new Date()),
    ...changes,
  });
  return {
    get standIn() {
      return standIn;
    },
    call,
    ...requestsOf(adapter, call),
    /** A notice of the stand-in, as it arrives; the last one without an index. */
    notice(index = -1, amount?: number): RawNotification {
      const notice = standIn.notices.at(index);
      assert.ok(notice, "there is such a notice");
      const { headers, body } = notice.compose(amount === undefined ? {} : { amount });
      return { method: "POST", url: notice.url, headers, rawBody: Buffer.from(body), remoteAddress: "127.0.0.1" };
    },
    /** The facts of a notification, confirmed where it proves nothing by itself. */
    async factsOf(raw: RawNotification, at = call()) {
      const { notifications } = adapter;
      const reading = notifications?.read(raw, at);
      const verified = reading?.kind === "confirm" ? await notifications?.confirm?.(reading.claim, at) : reading;
      assert.ok(verified?.kind === "verified", JSON.stringify(verified));
      return verified.facts;
    },
    /** A call whose every request gets this answer. */
    answering: (answer: Partial<GatewayAnswer>) =>
      call({ http: async () => ({ status: 200, headers: {}, body: "{}", ...answer }) }),
  };
}

/** What a merchant asks of the adapter. */
function requestsOf(adapter: GatewayAdapter, call: () => GatewayCall) {
  const request = requestTo(adapter.type);
  return {
    request,
    identity: (changes: Partial<PaymentIdentity> = {}) => identityOf(request, changes),
    /** Starts a payment, whose payer chooses an outcome on the gateway's page. Answers what identifies it, and where their browser goes. */
    async pay(changes: Partial<StartPaymentRequest> = {}, outcome = "paid", at = call()) {
      const asked = { ...request, ...changes };
      const started = await adapter.checkout?.start(asked, at);
      assert.ok(started?.kind === "redirect", JSON.stringify(started));
      const page = await (await fetch(started.url)).text();
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? assert.fail(page);
      const body = new URLSearchParams({ outcome });
      const decided = await fetch(new URL(action, started.url), { method: "POST", body, redirect: "manual" });
      assert.equal(decided.status, 303, await decided.text());
      const payment = identityOf(asked, { checkoutRef: started.checkoutRef });
      return { payment, browser: decided.headers.get("location") };
    },
    /** What the gateway says of a payment. */
    query: async (payment: PaymentIdentity): Promise<PaymentFact | null> =>
      (await adapter.checkout?.query(payment, call())) ?? null,
    /** Asks for a refund. */
    async refund(payment: PaymentIdentity, changes: Partial<RefundRequest> = {}, at = call()) {
      const asked = { ...refundOf(payment), notifyUrl: request.notifyUrl, ...changes };
      return adapter.refunds?.refund(asked, at);
    },
  };
}

/** Answers that say nothing clear, whatever was asked. */
export const UNCLEAR_ANSWERS: readonly (readonly [string, Partial<GatewayAnswer>])[] = [
  ["HTTP 500", { status: 500 }],
  ["HTTP 503 in HTML", { status: 503, body: "<html>Maintenance</html>" }],
  ["too many requests", { status: 429 }],
  ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1/" } }],
  ["HTML", { body: "<!doctype html><h1>Hello</h1>" }],
  ["nothing", { body: "" }],
  ["half of it", { body: '{"id": "ab' }],
  ["another shape", { body: '{"unexpected":[null]}' }],
];
