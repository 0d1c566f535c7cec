import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { json, MACHINE_NOW, NOW } from "../../../test/support/gateways/calls.ts";
import {
  CREDENTIALS,
  call,
  fakeGateway,
  IDENTITY,
  MANDATE,
  PAYMENT,
  REFUND,
  REQUEST,
  REVERSAL,
  SUBSCRIPTION,
} from "../../../test/support/gateways/sandbox.ts";
import { instant } from "../../kernel/time.ts";
import type { RawNotification } from "../contract.ts";
import type { GatewayHttp } from "../http.ts";
import { sandbox } from "./adapter.ts";
import { signedHeaders } from "./signing.ts";

const { checkout, notifications } = sandbox;

const never: GatewayHttp = async () => assert.fail("reading a notification must not call anyone");

/** A notification as it arrives, signed unless headers are given. */
function received(body: unknown, headers?: Record<string, string>, secret = CREDENTIALS.secret): RawNotification {
  const rawBody = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return {
    method: "POST",
    url: REQUEST.notifyUrl,
    headers: headers ?? signedHeaders(secret, rawBody.toString(), MACHINE_NOW),
    rawBody,
    remoteAddress: "127.0.0.1",
  };
}
const NEWS = { id: "sbn_1", merchantId: "sbm_1", type: "payment", payment: PAYMENT };
const read = (raw: RawNotification, credentials = CREDENTIALS) => notifications?.read(raw, call(never, credentials));

test("a notification and a query tell the same fact, with the same key", async () => {
  const { http } = fakeGateway({ [`GET /payments/${REQUEST.reference}`]: json(200, PAYMENT) });
  const asked = await checkout?.query(IDENTITY, call(http));
  assert.deepEqual(read(received(NEWS)), { kind: "verified", facts: [asked] });
  assert.partialDeepStrictEqual(asked, {
    reference: REQUEST.reference,
    payerEmail: "p@example.com",
    card: PAYMENT.card,
    subscription: { key: "sbs_1", handle: "sbs_1", nextChargeOn: "2031-02-28" },
    occurredAt: NOW,
  });
});

const tampered = JSON.stringify({ ...NEWS, payment: { ...PAYMENT, amount: 1 } });
const signedBefore = signedHeaders(CREDENTIALS.secret, JSON.stringify(NEWS), instant("2026-11-20T09:54:59Z"));
const REFUSALS: [string, RawNotification, string][] = [
  ["unsigned", received(NEWS, {}), "The signature is missing."],
  ["amount changed", received(tampered, received(NEWS).headers as Record<string, string>), "The signature is wrong."],
  ["of another account", received(NEWS, undefined, "another-account's-secret"), "The signature is wrong."],
  ["replayed after 301 s", received(NEWS, signedBefore), "The signature is too old."],
  [
    "signed for another merchant",
    received({ ...NEWS, merchantId: "sbm_2" }),
    "The notification is for another merchant.",
  ],
  ["no JSON", received("paid!"), "The body is not a notification."],
  ["of an unknown kind", received({ ...NEWS, type: "party" }), "The body is not a notification."],
  [
    "with a part of a cent",
    received({ ...NEWS, payment: { ...PAYMENT, amount: 19.99 } }),
    "The body is not a notification.",
  ],
  [
    "with the amount as text",
    received({ ...NEWS, payment: { ...PAYMENT, amount: "1999" } }),
    "The body is not a notification.",
  ],
  ["empty", received(""), "The body is not a notification."],
];
for (const [what, raw, reason] of REFUSALS)
  test(`refused: ${what}`, () => assert.deepEqual(read(raw), { kind: "refused", reason }));

test("an account without its secret accepts nothing, not even what is signed with nothing", () => {
  const time = MACHINE_NOW.getTime() / 1000;
  const rawBody = JSON.stringify(NEWS);
  const forged = createHmac("sha256", "").update(`${time}.${rawBody}`).digest("hex");
  const raw = received(NEWS, { "sandbox-signature": `t=${time},v1=${forged}` });
  assert.throws(() => read(raw, { merchantId: "sbm_1", secret: "" }), /needs a key/);
});

const OTHERS: [object, object][] = [
  [
    { type: "refund", refund: { ...REFUND, status: "processed" } },
    { about: "refund", kind: "processed", refundId: "ref_1", amount: 999 },
  ],
  [
    { type: "refund", refund: { ...REFUND, status: "refused", reason: "No." } },
    { kind: "refused", reason: "No." },
  ],
  [
    { type: "reversal", reversal: REVERSAL },
    { about: "reversal", providerRef: "sbp_9", amount: 500, code: "02" },
  ],
  [
    { type: "subscription", subscription: SUBSCRIPTION },
    { about: "subscription", kind: "paused" },
  ],
  [
    { type: "mandate", mandate: MANDATE },
    { about: "mandate", kind: "rejected", accountReference: "DO0123456789", reason: "No." },
  ],
];
test("a notification of many payments tells a fact of each, in order", () => {
  const payments = [PAYMENT, { ...PAYMENT, id: "sbp_2", status: "pending" }];
  const reading = read(received({ id: "sbn_1", merchantId: "sbm_1", type: "payments", payments }));
  const facts = [
    { about: "payment", kind: "paid", providerRef: "sbp_1" },
    { about: "payment", kind: "pending", providerRef: "sbp_2" },
  ];
  assert.partialDeepStrictEqual(reading, { kind: "verified", facts });
  const tooMany = { id: "sbn_1", merchantId: "sbm_1", type: "payments", payments: Array(501).fill(PAYMENT) };
  assert.equal(read(received(tooMany))?.kind, "refused");
});

for (const [news, fact] of OTHERS)
  test(`notification: ${JSON.stringify(fact)}`, () => {
    const reading = read(received({ id: "sbn_1", merchantId: "sbm_1", ...news }));
    assert.partialDeepStrictEqual(reading, { kind: "verified", facts: [fact] });
  });
