import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import { capabilitiesOf } from "../capabilities.ts";
import type { GatewayAdapter, GatewayCall } from "../contract.ts";
import type { CardDetails, GatewayFact, PaymentFact } from "../facts.ts";
import { hmac, sameSignature } from "../signatures.ts";
import {
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

// JSON both ways, a signed webhook, subscriptions that can only be cancelled and are named before they have an id.

const CREDENTIALS = { secretKey: "sk_test_example" };

interface Charge {
  readonly id: number;
  readonly reference: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly fees: number | null;
  readonly plan?: { readonly plan_code: string };
  readonly authorization?: {
    readonly authorization_code: string;
    readonly reusable: boolean;
    readonly signature: string;
    readonly last4: string;
  };
  readonly customer: { readonly email: string };
}

async function ask(path: string, body: object | null, { http, baseUrl, credentials }: GatewayCall) {
  const { body: text } = await http({
    method: body ? "POST" : "GET",
    url: `${baseUrl}${path}`,
    headers: { authorization: `Bearer ${credentials["secretKey"]}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return JSON.parse(text) as { status: boolean; message: string; data: never };
}

/** A card is charged under the e-mail address it was saved with, so the token holds both. */
const cardOf = ({ authorization, customer }: Charge): CardDetails | null =>
  authorization
    ? {
        token: authorization.reusable ? JSON.stringify([authorization.authorization_code, customer.email]) : null,
        brand: "visa",
        last4: authorization.last4,
        expiryMonth: null,
        expiryYear: null,
        holderName: null,
        fingerprint: authorization.signature,
      }
    : null;

function chargeFact(charge: Charge): PaymentFact {
  const news = {
    ...SILENT,
    dedupeKey: `charge:${charge.id}:${charge.status}`,
    gatewayWord: charge.status,
    reference: charge.reference,
    providerRef: String(charge.id),
    payerEmail: charge.customer.email,
    card: cardOf(charge),
    subscription: charge.plan ? { key: charge.plan.plan_code, handle: null, nextChargeOn: null } : null,
    amount: cents(charge.amount),
    currency: charge.currency,
  };
  if (charge.status === "success")
    return { ...news, kind: "paid", fee: charge.fees === null ? null : cents(charge.fees) };
  // "abandoned" may still succeed, so it is not the payer's last word.
  if (charge.status !== "failed") return { ...news, kind: "pending" };
  return { ...news, kind: "declined", reason: "The bank declined the card.", hard: false, reverses: false };
}

interface SubscriptionEvent {
  readonly subscription_code: string;
  readonly email_token: string;
  readonly plan: { readonly plan_code: string };
}

function factsOf(event: string, data: never): GatewayFact[] {
  if (event === "charge.success") return [chargeFact(data)];
  if (event !== "subscription.create" && event !== "subscription.disable") return [];
  const { subscription_code, email_token, plan } = data as SubscriptionEvent;
  const subscription = { key: plan.plan_code, handle: `${subscription_code} ${email_token}`, nextChargeOn: null };
  const kind = event === "subscription.create" ? "active" : "cancelled";
  const dedupeKey = `${event}:${subscription_code}`;
  return [{ about: "subscription", kind, dedupeKey, occurredAt: null, gatewayWord: event, subscription }];
}

const paystack: GatewayAdapter = {
  ...PLAIN,
  type: "paystack",
  name: "Paystack",
  checkout: {
    ...BARE_CHECKOUT,
    needsPayerEmail: true,
    minimumAmounts: { ZAR: cents(100) },
    savesCards: true,
    async start({ reference, amount, currency, payer, recurring, returnUrl }, call) {
      const plan = recurring
        ? await ask(
            "/plan",
            { name: reference, amount: recurring.amount, interval: recurring.frequency, currency },
            call,
          )
        : null;
      const subscriptionKey = plan ? (plan.data as { plan_code: string }).plan_code : null;
      const body = { reference, amount, currency, email: payer.email, callback_url: returnUrl, plan: subscriptionKey };
      const { status, message, data } = await ask("/transaction/initialize", body, call);
      if (!status) return { kind: "refused", reason: message };
      const { authorization_url: url } = data as { authorization_url: string };
      return { kind: "redirect", url, checkoutRef: null, subscriptionKey };
    },
    query: async ({ reference }, call) => chargeFact((await ask(`/transaction/verify/${reference}`, null, call)).data),
  },
  notifications: {
    urlIsSet: "by hand",
    read(raw, { credentials }) {
      const expected = hmac("sha512", credentials["secretKey"] ?? "", raw.rawBody);
      if (!sameSignature(raw.headers["x-paystack-signature"], expected))
        return { kind: "refused", reason: "The signature is wrong." };
      const { event, data } = JSON.parse(Buffer.from(raw.rawBody).toString());
      return { kind: "verified", facts: factsOf(event, data as never) };
    },
  },
  subscriptions: {
    async cancel(handle, call) {
      const [code, token] = handle.split(" ");
      const { status, message } = await ask("/subscription/disable", { code, token }, call);
      return status || /already inactive/.test(message)
        ? { kind: "done", nextChargeOn: null }
        : { kind: "refused", reason: message };
    },
    query: async () => null,
  },
  storedCards: {
    brands: ["visa", "mastercard"],
    async charge({ reference, amount, currency, card }, call) {
      const [authorization_code, email] = JSON.parse(card.token) as [string, string];
      const body = { reference, amount, currency, authorization_code, email };
      return chargeFact((await ask("/transaction/charge_authorization", body, call)).data);
    },
    query: async ({ reference }, call) => chargeFact((await ask(`/transaction/verify/${reference}`, null, call)).data),
  },
};

const CHARGE: Charge = {
  id: 77,
  reference: REQUEST.reference,
  status: "success",
  amount: 1999,
  currency: "ZAR",
  fees: 158,
  plan: { plan_code: "PLN_1" },
  authorization: { authorization_code: "AUTH_1", reusable: true, signature: "SIG_1", last4: "4081" },
  customer: { email: "p@example.com" },
};

const hook = (event: string, data: object) => {
  const body = JSON.stringify({ event, data }).replaceAll("/", "\\/");
  return received(body, { "x-paystack-signature": hmac("sha512", CREDENTIALS.secretKey, body) });
};

test("it cannot pause, resume or change, and the core can see that before it asks", () => {
  assert.deepEqual(capabilitiesOf(paystack), ["onceOff", "recurring", "cancel", "saveCard", "chargeStoredCard"]);
  assert.equal(paystack.subscriptions?.pausing, undefined);
});

test("the documented signature comes out; a true event of another product is no news", async () => {
  const signature =
    "abdada78dc8c347985ae7b43ed0fd1c6af9695ced33a8dfa18b6035ce169024d2de6b916d53281c127a5788e7092b6d1c6b6d2d7068895155a4284fde10d9e06";
  const body = '{"event":"charge.success","data":{}}';
  assert.equal(hmac("sha512", CREDENTIALS.secretKey, body), signature);
  assert.deepEqual(await take(paystack, hook("transfer.success", {}), callWith(CREDENTIALS)), []);
  const unsigned = await take(paystack, received(body), callWith(CREDENTIALS));
  assert.deepEqual(unsigned, { kind: "refused", reason: "The signature is wrong." });
});

test("raw bytes count: escaped slashes pass, the same JSON written again does not", async () => {
  const raw = hook("charge.success", { ...CHARGE, note: "a/b" });
  assert.partialDeepStrictEqual(await take(paystack, raw, callWith(CREDENTIALS)), [
    { kind: "paid", amount: 1999, fee: 158 },
  ]);
  const rewritten = JSON.stringify(JSON.parse(Buffer.from(raw.rawBody).toString()));
  const again = await take(paystack, { ...raw, rawBody: Buffer.from(rewritten) }, callWith(CREDENTIALS));
  assert.partialDeepStrictEqual(again, { kind: "refused" });
});

test("the subscription is known by its plan from the start, whichever message comes first", async () => {
  const { http, seen } = standIn({
    "POST /plan": () => answer({ status: true, data: { plan_code: "PLN_1" } }),
    "POST /transaction/initialize": () =>
      answer({ status: true, data: { authorization_url: "https://checkout.test/x" } }),
    "POST /subscription/disable": () => answer({ status: false, message: "Subscription is already inactive" }),
  });
  const recurring = { frequency: "annually", amount: cents(1999), nextChargeOn: null } as const;
  const started = await paystack.checkout?.start({ ...REQUEST, recurring }, callWith(CREDENTIALS, http));
  assert.partialDeepStrictEqual(started, {
    kind: "redirect",
    url: "https://checkout.test/x",
    subscriptionKey: "PLN_1",
  });
  assert.partialDeepStrictEqual(JSON.parse(seen[1]?.body ?? ""), { amount: 1999, plan: "PLN_1" });

  const created = { subscription_code: "SUB_1", email_token: "tok", plan: { plan_code: "PLN_1" } };
  const news = await take(paystack, hook("subscription.create", created), callWith(CREDENTIALS));
  assert.partialDeepStrictEqual(news, [{ kind: "active", subscription: { key: "PLN_1", handle: "SUB_1 tok" } }]);
  const renewal = { ...CHARGE, id: 78, reference: "paystacks_own" };
  const paid = await take(paystack, hook("charge.success", renewal), callWith(CREDENTIALS));
  assert.partialDeepStrictEqual(paid, [{ reference: "paystacks_own", subscription: { key: "PLN_1" } }]);
  const over = await paystack.subscriptions?.cancel("SUB_1 tok", callWith(CREDENTIALS, http));
  assert.equal(over?.kind, "done");
});

test("a stored card brings along the address it was saved under", async () => {
  const { token } = cardOf(CHARGE) ?? assert.fail();
  const { http, seen } = standIn({
    "POST /transaction/charge_authorization": () => answer({ status: true, data: { ...CHARGE, status: "failed" } }),
  });
  const card = { token: token ?? "", brand: "visa", last4: "4081" } as const;
  const fact = await paystack.storedCards?.charge(
    { ...REQUEST, card, payer: { ...REQUEST.payer, email: "new@example.com" } },
    callWith(CREDENTIALS, http),
  );
  assert.partialDeepStrictEqual(fact, { kind: "declined", hard: false });
  assert.partialDeepStrictEqual(JSON.parse(seen[0]?.body ?? ""), {
    authorization_code: "AUTH_1",
    email: "p@example.com",
  });
});

test("abandoned may still succeed, so it stays pending", async () => {
  const { http } = standIn({
    [`GET /transaction/verify/${REQUEST.reference}`]: () => answer({ data: { ...CHARGE, status: "abandoned" } }),
  });
  const fact = await paystack.checkout?.query(IDENTITY, callWith(CREDENTIALS, http));
  assert.partialDeepStrictEqual(fact, { kind: "pending", gatewayWord: "abandoned" });
});
