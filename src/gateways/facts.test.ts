import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../kernel/money.ts";
import { type PaymentFact, statusFor, withoutSecrets } from "./facts.ts";

const news = {
  about: "payment",
  occurredAt: null,
  gatewayWord: "OK",
  reference: "TEFO-20261120-9F3C01AB",
  providerRef: "1",
  payerEmail: null,
  card: {
    token: "tok_secret",
    brand: "visa",
    last4: "4242",
    expiryMonth: 8,
    expiryYear: 2029,
    holderName: null,
    fingerprint: null,
  },
  subscription: { key: "sub", handle: "hdl_secret", nextChargeOn: null },
  amount: cents(100),
  currency: "ZAR",
} as const;

const STATUSES: [PaymentFact, string][] = [
  [{ ...news, kind: "paid", fee: null }, "complete"],
  [{ ...news, kind: "declined", reason: "No.", hard: false }, "failed"],
  [{ ...news, kind: "abandoned" }, "cancelled"],
  [{ ...news, kind: "pending" }, "pending"],
];
for (const [fact, status] of STATUSES)
  test(`${fact.kind} means ${status}`, () => assert.equal(statusFor(fact), status));

test("the logged fact has no token and no handle, and all other fields", () => {
  for (const [fact] of STATUSES) {
    const shown = withoutSecrets(fact);
    assert.doesNotMatch(JSON.stringify(shown), /secret/);
    assert.deepEqual(shown, {
      ...fact,
      card: { ...news.card, token: null },
      subscription: { ...news.subscription, handle: null },
    });
  }
  const subscription = {
    about: "subscription",
    kind: "paused",
    occurredAt: null,
    gatewayWord: "paused",
    subscription: news.subscription,
  } as const;
  assert.doesNotMatch(JSON.stringify(withoutSecrets(subscription)), /secret/);
});
