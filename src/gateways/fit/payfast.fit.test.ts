import assert from "node:assert/strict";
import { test } from "node:test";
import { toDecimalText } from "../../kernel/money.ts";
import { capabilitiesOf } from "../capabilities.ts";
import type { GatewayAdapter, GatewayCall, SubscriptionOutcome } from "../contract.ts";
import type { GatewayFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { digest, sameSignature } from "../signatures.ts";
import {
  amountFromText,
  answer,
  BARE_CHECKOUT,
  callWith,
  IDENTITY,
  PLAIN,
  REQUEST,
  received,
  SILENT,
  standIn,
  take,
} from "./testing.ts";

// Signed form post, notification confirmed by asking the server, subscriptions that can do everything.

type Pairs = readonly (readonly [name: string, value: string])[];

const PASSPHRASE = "jt7NOE43FZPn";
const CREDENTIALS = { merchantId: "10000100", merchantKey: "46f0cd694581a", passphrase: PASSPHRASE };
const FREQUENCIES = { monthly: "3", quarterly: "4", biannually: "5", annually: "6" };

/** PHP's `urlencode`. */
const phpEncode = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
const encoded = (pairs: Pairs): string => pairs.map(([name, value]) => `${name}=${phpEncode(value)}`).join("&");
const signatureOf = (pairs: Pairs, passphrase: string): string =>
  digest("md5", encoded([...pairs, ["passphrase", passphrase]]));

/** What a form sends and signs: in order, trimmed, blanks left out, zeros not. */
const filled = (pairs: Pairs): Pairs =>
  pairs.map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => value !== "");

/** An API call signs headers, body and passphrase sorted by name. */
const apiSignature = (values: Record<string, string>, passphrase: string): string =>
  digest("md5", encoded(Object.entries({ ...values, passphrase }).toSorted(([a], [b]) => (a < b ? -1 : 1))));

async function put(token: string, action: string, body: Record<string, string>, call: GatewayCall) {
  const { merchantId = "", passphrase = "" } = call.credentials;
  const headers = { "merchant-id": merchantId, version: "v1", timestamp: "2026-11-20T12:00:00" };
  const reply = await call.http({
    method: "PUT",
    url: `${call.baseUrl}/subscriptions/${token}/${action}`,
    headers: { ...headers, signature: apiSignature({ ...headers, ...body }, passphrase) },
    body: JSON.stringify(body),
  });
  const { status, data } = JSON.parse(reply.body);
  if (status === "success") return { kind: "done", nextChargeOn: null } satisfies SubscriptionOutcome;
  return { kind: "refused", reason: data.message } satisfies SubscriptionOutcome;
}

/** Facts of a notification; the same pairs come from the message and from the claim. */
function factsOf(pairs: Pairs): GatewayFact[] {
  const told = Object.fromEntries(pairs);
  const { payment_status: gatewayWord = "", pf_payment_id: providerRef = null, token } = told;
  const subscription = token ? { key: digest("md5", token), handle: token, nextChargeOn: null } : null;
  const known = { occurredAt: null, gatewayWord };
  if (gatewayWord === "CANCELLED" && subscription)
    return [{ ...known, about: "subscription", kind: "cancelled", dedupeKey: `${token}:CANCELLED`, subscription }];
  const dedupeKey = `${providerRef}:${gatewayWord}`;
  const reference = told["m_payment_id"] ?? null;
  const news = { ...SILENT, ...known, dedupeKey, reference, providerRef, subscription, currency: "ZAR" };
  const amount = amountFromText(told["amount_gross"] ?? "");
  const fee = amountFromText((told["amount_fee"] ?? "").replace(/^-/, ""));
  if (gatewayWord === "COMPLETE" && amount !== null) return [{ ...news, kind: "paid", amount, fee }];
  if (gatewayWord !== "FAILED") return [{ ...news, kind: "pending", amount }];
  return [{ ...news, kind: "declined", amount, reason: "Declined.", hard: false, reverses: false }];
}

const payfast: GatewayAdapter = {
  ...PLAIN,
  type: "payfast",
  name: "PayFast",
  checkout: {
    ...BARE_CHECKOUT,
    async start(request, { credentials, baseUrl }) {
      const { recurring } = request;
      const pairs = filled([
        ["merchant_id", credentials["merchantId"] ?? ""],
        ["merchant_key", credentials["merchantKey"] ?? ""],
        ["return_url", request.returnUrl],
        ["cancel_url", request.cancelUrl],
        ["notify_url", request.notifyUrl],
        ["name_first", request.payer.firstName ?? ""],
        ["name_last", request.payer.lastName ?? ""],
        ["m_payment_id", request.reference],
        ["amount", toDecimalText(request.amount)],
        ["item_name", request.description],
        ["subscription_type", recurring ? "1" : ""],
        ["billing_date", recurring?.nextChargeOn ?? ""],
        ["recurring_amount", recurring ? toDecimalText(recurring.amount) : ""],
        ["frequency", recurring ? FREQUENCIES[recurring.frequency] : ""],
        ["cycles", recurring ? "0" : ""],
      ]);
      const signature = ["signature", signatureOf(pairs, credentials["passphrase"] ?? "")] as const;
      const form = { kind: "form", action: `${baseUrl}/eng/process`, fields: [...pairs, signature] } as const;
      return { ...form, checkoutRef: null, subscriptionKey: null };
    },
    // Only its own payment id can be asked about, and that comes with the first notification.
    async query({ providerRef, reference }, { http, baseUrl }) {
      if (providerRef === null) return null;
      const { body } = await http({ method: "GET", url: `${baseUrl}/process/query/${providerRef}` });
      const { status, amount } = JSON.parse(body).data.response;
      const pairs: Pairs = [
        ["m_payment_id", reference],
        ["pf_payment_id", providerRef],
        ["payment_status", status],
        ["amount_gross", amount],
      ];
      const [fact] = factsOf(pairs);
      return fact?.about === "payment" ? fact : null;
    },
  },
  notifications: {
    urlIsSet: "per payment",
    read(raw, { credentials }) {
      const all = [...new URLSearchParams(Buffer.from(raw.rawBody).toString())];
      const pairs = all.slice(0, all.map(([name]) => name).indexOf("signature"));
      const told = Object.fromEntries(all);
      if (!sameSignature(told["signature"], signatureOf(pairs, credentials["passphrase"] ?? "")))
        return { kind: "refused", reason: "The signature is wrong." };
      return told["merchant_id"] === credentials["merchantId"]
        ? { kind: "confirm", claim: encoded(pairs) }
        : { kind: "refused", reason: "For another merchant." };
    },
    async confirm(claim, { http, baseUrl }) {
      const { body } = await http({ method: "POST", url: `${baseUrl}/eng/query/validate`, body: claim });
      const word = body.split("\n")[0];
      if (word === "VALID") return { kind: "verified", facts: factsOf([...new URLSearchParams(claim)]) };
      if (word === "INVALID") return { kind: "refused", reason: "The gateway did not send it." };
      throw new GatewayUnclear("neither VALID nor INVALID");
    },
  },
  subscriptions: {
    cancel: (token, call) => put(token, "cancel", {}, call),
    pausing: {
      pause: (token, call) => put(token, "pause", { cycles: "1" }, call),
      resume: (token, call) => put(token, "unpause", {}, call),
    },
    changing: {
      amount: true,
      nextDate: true,
      change: (token, { amount, nextDate }, call) => {
        const body = { ...(amount && { amount: String(amount) }), ...(nextDate && { run_date: nextDate }) };
        return put(token, "update", body, call);
      },
    },
    query: async () => null,
  },
};

test("the documented form and API signatures come out", () => {
  const form: Pairs = [
    ["merchant_id", "10000100"],
    ["merchant_key", "46f0cd694581a"],
    ["amount", "100.00"],
    ["item_name", "Sam's test (1)"],
  ];
  assert.equal(signatureOf(form, PASSPHRASE), "1788c007c6f8362813ad4308359b6b12");
  const headers = { "merchant-id": "10000100", version: "v1", timestamp: "2026-01-01T12:00:00" };
  assert.equal(apiSignature({ ...headers, cycles: "1" }, PASSPHRASE), "4c11260ed29ad2b63a6497884df3cb5a");
});

test("it does all that a subscription can", () => {
  assert.deepEqual(capabilitiesOf(payfast), [
    ...["onceOff", "recurring", "pause", "resume", "cancel", "changeAmount", "changeDate"],
  ]);
});

test("the payer posts in order what was signed, cents exact, the zero among it and the blanks not", async () => {
  const recurring = { frequency: "quarterly", amount: REQUEST.amount, nextChargeOn: null } as const;
  const started = await payfast.checkout?.start({ ...REQUEST, recurring }, callWith(CREDENTIALS));
  assert.ok(started?.kind === "form");
  const sent = started.fields.slice(0, -1);
  assert.deepEqual(started.fields.at(-1), ["signature", signatureOf(sent, PASSPHRASE)]);
  assert.deepEqual(sent.slice(-7), [
    ["m_payment_id", REQUEST.reference],
    ["amount", "19.99"],
    ["item_name", "Sam's test (1)"],
    ["subscription_type", "1"],
    ["recurring_amount", "19.99"],
    ["frequency", "4"],
    ["cycles", "0"],
  ]);
  assert.ok(!sent.some(([name]) => name === "name_last"));
});

const ITN =
  "m_payment_id=A1&pf_payment_id=9&payment_status=COMPLETE&item_description=&amount_gross=5.00&merchant_id=10000100";
const SIGNED = `${ITN}&signature=02a21affdc5a9021d585a6506f2bb69c`;
const sayingOf = (word: string) => standIn({ "POST /eng/query/validate": () => answer(word) });
const takeWith = (body: string, word: string) =>
  take(payfast, received(body), callWith(CREDENTIALS, sayingOf(word).http));
/** A true notification with the given pairs. */
const truly = (pairs: Pairs) => encoded([...pairs, ["signature", signatureOf(pairs, PASSPHRASE)]]);

test("the documented notification counts once the gateway says that it is its own", async () => {
  const server = sayingOf("VALID\n");
  const facts = await take(payfast, received(SIGNED), callWith(CREDENTIALS, server.http));
  const paid = { kind: "paid", reference: "A1", providerRef: "9", amount: 500, fee: null, dedupeKey: "9:COMPLETE" };
  assert.partialDeepStrictEqual(facts, [paid]);
  assert.equal(server.seen[0]?.body, ITN);
  assert.deepEqual(await takeWith(SIGNED, "INVALID"), { kind: "refused", reason: "The gateway did not send it." });
  await assert.rejects(takeWith(SIGNED, ""), GatewayUnclear);
});

test("other escapes sign the same; another amount, order or key does not", async () => {
  const wrong = { kind: "refused", reason: "The signature is wrong." };
  for (const other of [SIGNED.replace("5.00", "500.00"), SIGNED.replace(/^(m_\w+=A1)&(pf_\w+=9)/, "$2&$1"), ITN, ""])
    assert.deepEqual(await takeWith(other, "VALID"), wrong);
  const spaced = truly([
    ["m_payment_id", "A1"],
    ["item_name", "a b~"],
    ["merchant_id", "10000100"],
  ]);
  assert.ok(Array.isArray(await takeWith(spaced.replace("a+b%7E", "a%20b~"), "VALID")));
});

test("a renewal repeats the first reference under its own id and token; a cancellation has no amounts", async () => {
  const merchant = ["merchant_id", "10000100"] as const;
  const renewal = truly([
    ["m_payment_id", "A1"],
    ["token", "tok-1"],
    ["pf_payment_id", "10"],
    ["payment_status", "COMPLETE"],
    ["amount_gross", "299.00"],
    ["amount_fee", "-6.85"],
    merchant,
  ]);
  const subscription = { key: digest("md5", "tok-1"), handle: "tok-1", nextChargeOn: null };
  const told = { reference: "A1", providerRef: "10", amount: 29_900, fee: 685, subscription };
  assert.partialDeepStrictEqual(await takeWith(renewal, "VALID"), [told]);
  const cancelled = truly([["payment_status", "CANCELLED"], ["token", "tok-1"], merchant]);
  const over = { about: "subscription", kind: "cancelled", subscription };
  assert.partialDeepStrictEqual(await takeWith(cancelled, "VALID"), [over]);
});

test("a payment can be asked about once its id is known", async () => {
  const response = { status: "COMPLETE", amount: "19.99" };
  const { http } = standIn({ "GET /process/query/9": () => answer({ data: { response } }) });
  assert.equal(await payfast.checkout?.query(IDENTITY, callWith(CREDENTIALS)), null);
  const fact = await payfast.checkout?.query({ ...IDENTITY, providerRef: "9" }, callWith(CREDENTIALS, http));
  assert.partialDeepStrictEqual(fact, { kind: "paid", amount: 1999, dedupeKey: "9:COMPLETE" });
});

test("a subscription is changed in place; HTTP 200 may still be a refusal", async () => {
  const { http, seen } = standIn({
    "PUT /subscriptions/tok-1/update": () => answer({ status: "success", data: {} }),
    "PUT /subscriptions/tok-1/cancel": () => answer({ status: "failed", data: { message: "Locked." } }),
  });
  const call = callWith(CREDENTIALS, http);
  const { changing, cancel } = payfast.subscriptions ?? {};
  assert.equal((await changing?.change("tok-1", { amount: REQUEST.amount }, call))?.kind, "done");
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ""), { amount: "1999" });
  assert.deepEqual(await cancel?.("tok-1", call), { kind: "refused", reason: "Locked." });
});
