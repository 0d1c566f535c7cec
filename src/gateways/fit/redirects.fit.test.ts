import assert from "node:assert/strict";
import { test } from "node:test";
import { cents, toDecimalText } from "../../kernel/money.ts";
import type { GatewayAdapter, RefundRequest } from "../contract.ts";
import type { PaymentFact, RefundFact } from "../facts.ts";
import { digest, hmac, isRecent, sameSignature } from "../signatures.ts";
import {
  amountFromText,
  answer,
  BARE_CHECKOUT,
  callWith,
  IDENTITY,
  longReference,
  NOW,
  PLAIN,
  REQUEST,
  received,
  SILENT,
  shortReference,
  standIn,
  take,
} from "./testing.ts";

// Three that redirect by URL: Ozow (hashed values, a test flag), Peach (a reference of 16 characters, a signature that is no proof yet)
// and Yoco (webhooks that are set up by API, refunds by the checkout's id).

const pairsOf = (rawBody: Uint8Array) => Object.fromEntries(new URLSearchParams(Buffer.from(rawBody).toString()));
const WRONG = { kind: "refused", reason: "The signature is wrong." } as const;

// ------------------------------------------------------------------------------------------------ Ozow

const OZOW = { siteCode: "TSTSTE0001", privateKey: "secret", apiKey: "api" };
const ozowHash = (values: readonly string[], key: string): string =>
  digest("sha512", `${values.join("")}${key}`.toLowerCase());
const OZOW_NOTICE = ["SiteCode", "TransactionId", "TransactionReference", "Amount", "Status"]
  .concat(["Optional1", "Optional2", "Optional3", "Optional4", "Optional5"])
  .concat(["CurrencyCode", "IsTest", "StatusMessage"]);

function ozowFact(told: Record<string, string>): PaymentFact | null {
  const { TransactionId: providerRef = null, TransactionReference: reference = null, Status: gatewayWord = "" } = told;
  const amount = amountFromText(told["Amount"] ?? "");
  const dedupeKey = `${providerRef}:${gatewayWord}`;
  const news = { ...SILENT, dedupeKey, gatewayWord, reference, providerRef, currency: told["CurrencyCode"] ?? "ZAR" };
  if (gatewayWord === "Complete") return amount === null ? null : { ...news, kind: "paid", amount, fee: null };
  if (gatewayWord === "Cancelled" || gatewayWord === "Abandoned") return { ...news, kind: "abandoned", amount };
  if (gatewayWord !== "Error") return { ...news, kind: "pending", amount };
  return { ...news, kind: "declined", amount, reason: told["StatusMessage"] ?? "", hard: false, reverses: false };
}

const ozow: GatewayAdapter = {
  ...PLAIN,
  type: "ozow",
  name: "Ozow",
  checkout: {
    ...BARE_CHECKOUT,
    async start(request, { http, baseUrl, mode, credentials }) {
      const fields = {
        siteCode: credentials["siteCode"] ?? "",
        countryCode: "ZA",
        currencyCode: request.currency,
        amount: toDecimalText(request.amount),
        transactionReference: request.reference,
        bankReference: shortReference(request.reference),
        cancelUrl: request.cancelUrl,
        successUrl: request.returnUrl,
        notifyUrl: request.notifyUrl,
        isTest: String(mode === "sandbox"),
      };
      const hashCheck = ozowHash(Object.values(fields), credentials["privateKey"] ?? "");
      const body = JSON.stringify({ ...fields, hashCheck });
      const reply = JSON.parse((await http({ method: "POST", url: `${baseUrl}/PostPaymentRequest`, body })).body);
      // A wrong hash is answered with HTTP 200 and no URL.
      if (!reply.url) return { kind: "refused", reason: reply.errorMessage };
      return { kind: "redirect", url: reply.url, checkoutRef: reply.paymentRequestId, subscriptionKey: null };
    },
    async query({ reference }, { http, baseUrl }) {
      const url = `${baseUrl}/GetTransactionByReference?transactionReference=${reference}`;
      const [latest] = JSON.parse((await http({ method: "GET", url })).body);
      return latest ? ozowFact(latest) : null;
    },
  },
  notifications: {
    urlIsSet: "per payment",
    read(raw, { credentials, mode }) {
      const told = pairsOf(raw.rawBody);
      const expected = ozowHash(
        OZOW_NOTICE.map((name) => told[name] ?? ""),
        credentials["privateKey"] ?? "",
      );
      if (!sameSignature(told["Hash"]?.toLowerCase().padStart(128, "0"), expected)) return WRONG;
      if (mode === "live" && told["IsTest"] === "true") return { kind: "refused", reason: "A test is no money." };
      return { kind: "confirm", claim: told["TransactionId"] ?? "" };
    },
    async confirm(id, { http, baseUrl }) {
      const { body } = await http({ method: "GET", url: `${baseUrl}/GetTransaction?transactionId=${id}` });
      const fact = ozowFact(JSON.parse(body));
      return fact ? { kind: "verified", facts: [fact] } : { kind: "refused", reason: "No such payment." };
    },
  },
};

const OZOW_TOLD = {
  SiteCode: "TSTSTE0001",
  TransactionId: "oz-1",
  TransactionReference: REQUEST.reference,
  Amount: "19.99",
  Status: "Complete",
  CurrencyCode: "ZAR",
  IsTest: "true",
  StatusMessage: "",
};
const ozowNotice = (told: Record<string, string>, key = "secret") =>
  received({
    ...told,
    Hash: ozowHash(
      OZOW_NOTICE.map((name) => told[name] ?? ""),
      key,
    ),
    BankName: "not hashed",
  });

test("Ozow: the documented hash comes out", () => {
  assert.equal(
    ozowHash(["TSTSTE0001", "ZA", "ZAR", "1.00", "A1", "A1", "true"], "secret"),
    "17ac786fdfb7805bb2b9a29f1954dfe57df2be3513d0af7d46c285079b6bff256606dffd2d0c5124f06e26ba79b6f00768bd8666d849e89fa72faacb8a387fac",
  );
});

test("Ozow: HTTP 200 without a URL is a refusal; the bank's reference has 16 characters", async () => {
  const replies = [
    { errorMessage: "The HashCheck value has failed" },
    { url: "https://pay.test/1", paymentRequestId: "r" },
  ];
  const { http, seen } = standIn({ "POST /PostPaymentRequest": () => answer(replies.shift()) });
  const refused = await ozow.checkout?.start(REQUEST, callWith(OZOW, http));
  assert.deepEqual(refused, { kind: "refused", reason: "The HashCheck value has failed" });
  const started = await ozow.checkout?.start(REQUEST, callWith(OZOW, http));
  assert.partialDeepStrictEqual(started, { kind: "redirect", checkoutRef: "r" });
  const sent = { amount: "19.99", bankReference: "202611209F3C01AB", isTest: "true" };
  assert.partialDeepStrictEqual(JSON.parse(seen[1]?.body ?? ""), sent);
});

test("Ozow: a true notification is asked about; one of another key, or a test on a live account, is refused", async () => {
  const { http } = standIn({ "GET /GetTransaction": () => answer({ ...OZOW_TOLD, Status: "PendingInvestigation" }) });
  const facts = await take(ozow, ozowNotice(OZOW_TOLD), callWith(OZOW, http));
  assert.partialDeepStrictEqual(facts, [
    { kind: "pending", gatewayWord: "PendingInvestigation", reference: REQUEST.reference },
  ]);
  assert.deepEqual(await take(ozow, ozowNotice(OZOW_TOLD, "other"), callWith(OZOW)), WRONG);
  const live = await take(ozow, ozowNotice(OZOW_TOLD), { ...callWith(OZOW), mode: "live" });
  assert.deepEqual(live, { kind: "refused", reason: "A test is no money." });
});

// ------------------------------------------------------------------------------------------------ Peach

const PEACH = { entityId: "ent", secretToken: "secret" };
const peachSignature = (values: Record<string, string>, key: string): string =>
  hmac(
    "sha256",
    key,
    Object.entries(values)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flat()
      .join(""),
  );

function peachFact(told: Record<string, string>): PaymentFact | null {
  const code = told["result.code"] ?? "";
  const news = {
    ...SILENT,
    dedupeKey: `${told["id"] ?? told["checkoutId"]}:${code}`,
    gatewayWord: code,
    reference: longReference(told["merchantTransactionId"] ?? ""),
    providerRef: told["id"] ?? null,
    currency: told["currency"] ?? null,
  };
  const amount = amountFromText(told["amount"] ?? "");
  if (/^(000\.000\.|000\.100\.1|000\.[36])/.test(code))
    return amount === null ? null : { ...news, kind: "paid", amount, currency: news.currency ?? "", fee: null };
  if (code === "100.396.101") return { ...news, kind: "abandoned", amount };
  if (/^(000\.200\.|800\.400\.5|100\.400\.500|100\.396\.104|900\.100\.3)/.test(code))
    return { ...news, kind: "pending", amount };
  return { ...news, kind: "declined", amount, reason: "Declined.", hard: false, reverses: false };
}

const peach: GatewayAdapter = {
  ...PLAIN,
  type: "peach",
  name: "Peach Payments",
  currencies: ["ZAR", "KES", "MUR", "USD", "GBP", "EUR"],
  checkout: {
    ...BARE_CHECKOUT,
    async start(request, { http, baseUrl, credentials }) {
      const body = JSON.stringify({
        "authentication.entityId": credentials["entityId"],
        merchantTransactionId: shortReference(request.reference),
        amount: toDecimalText(request.amount),
        currency: request.currency,
        nonce: request.reference,
        shopperResultUrl: request.returnUrl,
      });
      const { checkoutId, redirectUrl } = JSON.parse(
        (await http({ method: "POST", url: `${baseUrl}/v2/checkout`, body })).body,
      );
      return { kind: "redirect", url: redirectUrl, checkoutRef: checkoutId, subscriptionKey: null };
    },
    async query({ checkoutRef }, { http, baseUrl }) {
      if (checkoutRef === null) return null;
      return peachFact(
        JSON.parse((await http({ method: "GET", url: `${baseUrl}/v2/checkout/${checkoutRef}/status` })).body),
      );
    },
  },
  notifications: {
    urlIsSet: "per payment",
    read(raw, { credentials }) {
      const { signature, ...told } = pairsOf(raw.rawBody);
      if (!sameSignature(signature, peachSignature(told, credentials["secretToken"] ?? ""))) return WRONG;
      return { kind: "confirm", claim: told["checkoutId"] ?? "" };
    },
    async confirm(checkoutRef, call) {
      const fact = await peach.checkout?.query({ ...IDENTITY, checkoutRef }, call);
      return fact ? { kind: "verified", facts: [fact] } : { kind: "refused", reason: "No such checkout." };
    },
  },
};

test("Peach: the documented signature comes out, empty values included", () => {
  const values = { notificationUrl: "", currency: "ZAR", amount: "1.00" };
  assert.equal(peachSignature(values, "secret"), "3ecebbe815dc9d4696b527b60d58fe3ab37f88f579c9d8dfd0112f3ba5f95ce3");
});

// The joined text is ambiguous, so the gateway is asked; what it says comes back under the whole reference.
const PEACH_CODES: [string, string][] = [
  ["000.000.000", "paid"],
  ["000.100.110", "paid"],
  ["000.400.101", "declined"],
  ["000.100.200", "declined"],
  ["000.200.000", "pending"],
  ["100.396.101", "abandoned"],
  ["100.396.104", "pending"],
  ["900.100.300", "pending"],
  ["800.100.152", "declined"],
];
for (const [code, kind] of PEACH_CODES)
  test(`Peach: ${code} is ${kind}`, async () => {
    const told = { checkoutId: "chk", "result.code": "000.000.000", merchantTransactionId: "202611209F3C01AB" };
    const status = { ...told, "result.code": code, id: "f".repeat(32), amount: "19.99", currency: "ZAR" };
    const { http } = standIn({ "GET /v2/checkout/chk/status": () => answer(status) });
    const raw = received({ ...told, signature: peachSignature(told, "secret") });
    const fact = { kind, reference: REQUEST.reference, providerRef: "f".repeat(32), amount: 1999, gatewayWord: code };
    assert.partialDeepStrictEqual(await take(peach, raw, callWith(PEACH, http)), [fact]);
  });

test("Peach: the short reference is sent; a changed body is refused before anyone is asked", async () => {
  const { http, seen } = standIn({
    "POST /v2/checkout": () => answer({ checkoutId: "chk", redirectUrl: "https://p.test" }),
  });
  const started = await peach.checkout?.start(REQUEST, callWith(PEACH, http));
  assert.partialDeepStrictEqual(started, { kind: "redirect", checkoutRef: "chk" });
  assert.match(JSON.parse(seen[0]?.body ?? "").merchantTransactionId, /^[0-9A-Za-z]{8,16}$/);
  const told = { checkoutId: "chk", amount: "1.00" };
  const changed = received({ ...told, amount: "9.00", signature: peachSignature(told, "secret") });
  assert.deepEqual(await take(peach, changed, callWith(PEACH)), WRONG);
});

// ------------------------------------------------------------------------------------------------ Yoco

const YOCO = { secretKey: "sk_test_1", webhookSecret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3" };
const standardSignature = (secret: string, id: string, time: string, body: string): string =>
  hmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"), `${id}.${time}.${body}`, "base64");

const yocoRefund = (request: RefundRequest, status: number, body: { refundId?: string }): RefundFact => {
  const kind = status === 200 ? "processed" : status === 202 ? "pending" : "refused";
  return {
    about: "refund",
    kind,
    dedupeKey: `refund:${request.refundId}:${kind}`,
    occurredAt: null,
    gatewayWord: String(status),
    refundId: request.refundId,
    providerRefundRef: body.refundId ?? null,
    reference: request.payment.reference,
    amount: request.amount,
    reason: kind === "refused" ? "Refunds need live keys." : null,
  };
};

const yoco: GatewayAdapter = {
  ...PLAIN,
  type: "yoco",
  name: "Yoco",
  checkout: {
    ...BARE_CHECKOUT,
    start: async () => ({ kind: "redirect", url: "https://y.test/ch_1", checkoutRef: "ch_1", subscriptionKey: null }),
    query: async () => null,
  },
  notifications: {
    urlIsSet: "by connect",
    read(raw, { credentials, machineNow }) {
      const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": given = "" } = raw.headers;
      const body = Buffer.from(raw.rawBody).toString();
      const expected = `v1,${standardSignature(credentials["webhookSecret"] ?? "", id, time, body)}`;
      if (!given.split(" ").some((item) => sameSignature(item, expected))) return WRONG;
      if (!isRecent(time, machineNow, 180)) return { kind: "refused", reason: "The signature is too old." };
      return { kind: "verified", facts: [] };
    },
  },
  refunds: {
    async refund(request, { http, baseUrl }) {
      const { status, body } = await http({
        method: "POST",
        url: `${baseUrl}/checkouts/${request.payment.checkoutRef}/refund`,
        headers: { "idempotency-key": request.refundId },
        body: JSON.stringify({ amount: request.amount }),
        repeatable: true,
      });
      return yocoRefund(request, status, JSON.parse(body));
    },
    query: async () => null,
  },
  async connect({ notifyUrl }, { http, baseUrl }) {
    const body = JSON.stringify({ name: "Tefo", url: notifyUrl });
    const { status, body: told } = await http({ method: "POST", url: `${baseUrl}/webhooks`, body });
    if (status !== 200) return { kind: "refused", reason: "The key is not accepted." };
    return { kind: "connected", credentials: { webhookSecret: JSON.parse(told).secret } };
  },
};

test("Yoco: the documented signature comes out, and any of several may match, within the gateway's own 3 minutes", async () => {
  const documented = standardSignature(YOCO.webhookSecret, "msg_example", "1700000000", "{}");
  assert.equal(documented, "RIZU29rzyLXtEWvw52tZ2DxDPxAEsfS9yg6MperNkLU=");
  const at = (seconds: number) => {
    const time = String(NOW.getTime() / 1000 + seconds);
    const signature = standardSignature(YOCO.webhookSecret, "m", time, "{}");
    const headers = { "webhook-id": "m", "webhook-timestamp": time, "webhook-signature": `v1,xx v1,${signature}` };
    return take(yoco, received("{}", headers), callWith(YOCO));
  };
  assert.deepEqual(await at(-180), []);
  assert.partialDeepStrictEqual(await at(-181), { kind: "refused" });
  assert.deepEqual(await take(yoco, received("{}"), callWith(YOCO)), WRONG);
});

test("Yoco: connecting brings the webhook's secret, or says why not", async () => {
  const replies = [answer({ secret: "whsec_new" }), answer({}, 401)];
  const { http, seen } = standIn({ "POST /webhooks": () => replies.shift() ?? answer({}, 500) });
  const connect = () => yoco.connect?.({ notifyUrl: REQUEST.notifyUrl }, callWith(YOCO, http));
  assert.deepEqual(await connect(), { kind: "connected", credentials: { webhookSecret: "whsec_new" } });
  assert.equal(JSON.parse(seen[0]?.body ?? "").url, REQUEST.notifyUrl);
  assert.deepEqual(await connect(), { kind: "refused", reason: "The key is not accepted." });
});

test("Yoco: a refund goes by the checkout's id under our refund's key", async () => {
  const statuses = [200, 202, 403];
  const { http, seen } = standIn({
    "POST /checkouts/ch_1/refund": () => answer({ refundId: "rf_1" }, statuses.shift()),
  });
  const payment = { ...IDENTITY, checkoutRef: "ch_1", providerRef: "p_1" };
  const request = { payment, refundId: "ref_1", amount: cents(500), reason: null, notifyUrl: REQUEST.notifyUrl };
  const kinds = [];
  for (let i = 0; i < 3; i++) kinds.push((await yoco.refunds?.refund(request, callWith(YOCO, http)))?.kind);
  assert.deepEqual(kinds, ["processed", "pending", "refused"]);
  assert.equal(seen[0]?.headers?.["idempotency-key"], "ref_1");
});
