import assert from "node:assert/strict";
import { test } from "node:test";
import { setUpAtStandIn } from "../../../test/gateways/adapter-at-stand-in.ts";
import { mutants } from "../../../test/gateways/mutations.ts";
import { standIn as protocol } from "../../../test/gateways/peach/stand-in.ts";
import type { RawNotification } from "../contract.ts";
import { type GatewayHttp, GatewayUnclear } from "../http.ts";
import { hmac } from "../signatures.ts";
import { peach } from "./adapter.ts";
import { signatureOf } from "./signing.ts";

const at = setUpAtStandIn(peach, protocol);
const { notifications } = peach;
const SECRET = protocol.credentials["secretToken"] ?? "";

const read = (raw: RawNotification) => notifications?.read(raw, at.call());
const pairsOf = ({ rawBody }: RawNotification) => [...new URLSearchParams(Buffer.from(rawBody).toString())];
const withBody = (raw: RawNotification, body: string): RawNotification => ({ ...raw, rawBody: Buffer.from(body) });

/** The notification with fields changed, signed again by somebody who has the secret token. */
function resigned(raw: RawNotification, changes: Record<string, string>): RawNotification {
  const fields = { ...Object.fromEntries(pairsOf(raw)), ...changes };
  const signature = signatureOf(Object.entries(fields), SECRET);
  return withBody(raw, new URLSearchParams({ ...fields, signature }).toString());
}

/** The same body, signed in headers. */
function inHeaders(raw: RawNotification, body = Buffer.from(raw.rawBody).toString()): RawNotification {
  const signature = hmac("sha256", SECRET, `1700000000.wh_1.${raw.url}.${body}`);
  const signed = { "x-webhook-timestamp": "1700000000", "x-webhook-id": "wh_1", "x-webhook-signature": signature };
  return { ...withBody(raw, body), headers: { ...raw.headers, ...signed } };
}

test("a notification and a query tell the same payment, under both schemes", async () => {
  const { payment } = await at.pay({ saveCard: true });
  const asked = await at.query(payment);
  assert.deepEqual(await at.factsOf(at.notice()), [asked]);
  assert.deepEqual(await at.factsOf(inHeaders(at.notice())), [asked]);
  assert.partialDeepStrictEqual(asked, { kind: "paid", reference: payment.reference, amount: 1999 });
  assert.deepEqual(await at.factsOf(at.notice()), [asked]);
});

test("in another order it is the same message", async () => {
  await at.pay();
  const reversed = withBody(at.notice(), new URLSearchParams(pairsOf(at.notice()).toReversed()).toString());
  assert.deepEqual(read(reversed), read(at.notice()));
});

test("refused: changed, cut, an empty field left out, of another account, twice, no UTF-8, headers of another address", async () => {
  await at.pay();
  const raw = at.notice();
  const text = Buffer.from(raw.rawBody).toString();
  for (const [what, spoiled] of Object.entries({
    changed: withBody(raw, text.replace("19.99", "9.99")),
    cut: withBody(raw, text.slice(0, -1)),
    "an empty field left out": withBody(raw, text.replace("customer.phone=&", "")),
    unsigned: withBody(raw, text.replace(/&?signature=[0-9a-f]+/, "")),
    twice: withBody(raw, `${text}&amount=19.99`),
    empty: withBody(raw, ""),
    "no UTF-8": { ...raw, rawBody: Buffer.from([0x61, 0x3d, 0xff]) },
    "headers of another address": { ...inHeaders(raw), url: `${raw.url}x` },
    "headers changed": { ...inHeaders(raw), rawBody: Buffer.from(`${text}&a=b`) },
    "encrypted, without a key": {
      ...raw,
      headers: { "content-type": "application/json" },
      rawBody: Buffer.from('{"encryptedBody":"00"}'),
    },
  }))
    assert.equal(read(spoiled)?.kind, "refused", what);
  const other = at.call({ credentials: { ...protocol.credentials, secretToken: "other" } });
  assert.equal(notifications?.read(raw, other)?.kind, "refused");
});

test("what a message claims does not count, Peach's own word does", async () => {
  const { payment } = await at.pay({}, "pending");
  const claimed = resigned(at.notice(), { "result.code": "000.000.000", amount: "0.01" });
  assert.deepEqual(await at.factsOf(claimed), [await at.query(payment)]);
  const reading = read(resigned(at.notice(), { checkoutId: "0".repeat(32) }));
  assert.ok(reading?.kind === "confirm");
  assert.equal((await notifications?.confirm?.(reading.claim, at.call()))?.kind, "refused");
  at.standIn.failAnswers({ kind: "error", times: 3 });
  await assert.rejects(async () => notifications?.confirm?.(reading.claim, at.call()), GatewayUnclear);
});

test("the first message is JSON and needs no action", async () => {
  await at.pay();
  const fields = { type: "TEST", nested: { a: 1 }, none: null };
  const signature = signatureOf(
    [
      ["type", "TEST"],
      ["nested.a", "1"],
      ["none", ""],
    ],
    SECRET,
  );
  const first = { ...at.notice(), headers: { "content-type": "application/json" } };
  const nothing = { kind: "verified", facts: [] };
  assert.deepEqual(read(withBody(first, JSON.stringify({ ...fields, signature }))), nothing);
  assert.deepEqual(read(inHeaders(first, "{}")), nothing);
  for (const none of ["", "null", "[]", '"x"']) assert.equal(read(withBody(first, none))?.kind, "refused");
});

test("news of a refund count only where their signature says where each field ends", async () => {
  await at.pay();
  const id = "0123456789abcdef0123456789abcdef";
  const news = (code: string) => resigned(at.notice(), { paymentType: "RF", id, amount: "5.00", "result.code": code });
  const unread = { kind: "unread", event: "RF", reason: "The message about a refund cannot be read." };
  assert.deepEqual(read(news("000.000.000")), unread);
  const referencedId = "f".repeat(32);
  const full = { paymentType: "RF", id, referencedId, amount: "5.00", currency: "ZAR", "result.code": "000.000.000" };
  const money = { providerRefundRef: id, paymentRef: referencedId, amount: 500, currency: "ZAR" };
  assert.partialDeepStrictEqual(read(resigned(at.notice(), full)), { facts: [{ kind: "processed", ...money }] });
  for (const cut of [{ amount: "5.0" }, { id: id.slice(1) }, { referencedId: "f" }, { currency: "ZA" }])
    assert.deepEqual(read(resigned(at.notice(), { ...full, ...cut })), unread);
  const facts = (code: string) => {
    const reading = read(inHeaders(news(code)));
    return reading?.kind === "verified" ? reading.facts : null;
  };
  assert.partialDeepStrictEqual(facts("000.000.000"), [{ kind: "processed", providerRefundRef: id, amount: 500 }]);
  assert.partialDeepStrictEqual(facts("800.100.155"), [{ kind: "refused" }]);
  assert.deepEqual(facts("900.100.300"), []);
});

test("a chargeback takes a payment back", async () => {
  const { payment } = await at.pay();
  const reading = read(at.notice());
  assert.ok(reading?.kind === "confirm");
  const answer = {
    "result.code": "000.100.203",
    merchantTransactionId: "203101319F3C01AB",
    amount: "19.99",
    currency: "ZAR",
  };
  const http: GatewayHttp = async ({ url }) => ({
    status: 200,
    headers: {},
    body: url.endsWith("/token") ? '{"access_token":"t"}' : JSON.stringify(answer),
  });
  assert.partialDeepStrictEqual(await notifications?.confirm?.(reading.claim, at.call({ http })), {
    facts: [{ about: "reversal", reference: payment.reference, amount: 1999, code: "000.100.203" }],
  });
});

test("of 100 000 mutated notifications none is accepted that says anything else, and none throws", async () => {
  await at.pay();
  const call = at.call();
  for (const original of [at.notice(), inHeaders(at.notice())]) {
    const genuine = notifications?.read(original, call);
    for (const raw of mutants(original, 50_000)) {
      const reading = notifications?.read(raw, call);
      if (reading?.kind !== "refused") assert.deepEqual(reading, genuine, Buffer.from(raw.rawBody).toString());
    }
  }
});
