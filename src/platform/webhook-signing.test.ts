import assert from "node:assert/strict";
import { test } from "node:test";
import { addSeconds, instant } from "../kernel/time.ts";
import { deliveryHeaders, newWebhookSecret, signingSecrets } from "./webhook-signing.ts";

const T = 1_700_000_000;
const base = { eventId: "evt_00", eventType: "invoice.paid", timestamp: T, body: "{}", version: "0.1.0" };

/** Published or independently computed pairs of the Standard Webhooks scheme (the first is the one in its libraries' tests). */
const STANDARD: [secret: string, id: string, timestamp: number, body: string, signature: string][] = [
  [
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    1_614_265_330,
    '{"test": 2432232314}',
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  ],
  ["whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3", "msg_example", T, "{}", "v1,RIZU29rzyLXtEWvw52tZ2DxDPxAEsfS9yg6MperNkLU="],
];
for (const [secret, eventId, timestamp, body, signature] of STANDARD)
  test(`Standard Webhooks signature of ${eventId}`, () => {
    const headers = deliveryHeaders({ ...base, eventId, timestamp, body, secrets: [secret] });
    assert.equal(headers["webhook-id"], eventId);
    assert.equal(headers["webhook-timestamp"], String(timestamp));
    assert.equal(headers["webhook-signature"], signature);
  });

test("the service's signature is keyed with the secret's whole text", () => {
  const headers = deliveryHeaders({ ...base, secrets: ["whsec_example"] });
  assert.equal(
    headers["Service-Signature"],
    "t=1700000000,v1=7fd3f63e358a5b466ad16eb9b92640b6639a1d1111041bfc08779d1bacd106f2",
  );
});

test("a delivery names its event and its sender", () => {
  const headers = deliveryHeaders({ ...base, secrets: [newWebhookSecret()] });
  assert.equal(headers["Service-Event-Id"], "evt_00");
  assert.equal(headers["Service-Event-Type"], "invoice.paid");
  assert.equal(headers["User-Agent"], "Tefo/0.1.0");
  assert.equal(headers["Content-Type"], "application/json");
});

test("a new secret is whsec_ and 32 bytes in base64, never the same twice", () => {
  const secret = newWebhookSecret();
  assert.equal(Buffer.from(secret.replace(/^whsec_/, ""), "base64").length, 32);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(newWebhookSecret(), secret);
});

test("for 24 hours after a rotation both secrets sign, in both headers", () => {
  const rotatedAt = instant("2026-11-20T10:00:00Z");
  const endpoint = { secret: newWebhookSecret(), previousSecret: newWebhookSecret(), rotatedAt };
  const secrets = signingSecrets(endpoint, addSeconds(rotatedAt, 24 * 3600 - 1));
  assert.deepEqual(secrets, [endpoint.secret, endpoint.previousSecret]);
  assert.deepEqual(signingSecrets(endpoint, addSeconds(rotatedAt, 24 * 3600)), [endpoint.secret]);
  assert.deepEqual(signingSecrets({ secret: "whsec_", previousSecret: null, rotatedAt: null }, rotatedAt), ["whsec_"]);

  const headers = deliveryHeaders({ ...base, secrets });
  const of = (secret: string) => deliveryHeaders({ ...base, secrets: [secret] });
  assert.equal(
    headers["webhook-signature"],
    `${of(endpoint.secret)["webhook-signature"]} ${of(endpoint.previousSecret)["webhook-signature"]}`,
  );
  const mac = (secret: string) => of(secret)["Service-Signature"]?.split(",")[1];
  assert.equal(headers["Service-Signature"], `t=${T},${mac(endpoint.secret)},${mac(endpoint.previousSecret)}`);
});
