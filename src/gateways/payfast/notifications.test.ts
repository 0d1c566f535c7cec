import assert from "node:assert/strict";
import { test } from "node:test";
import {
  payfast,
  RECURRING,
  REQUEST,
  received,
  setUpStandIn,
  signedBody,
} from "../../../test/support/gateways/payfast.ts";
import type { GatewayCall, NotificationReading, RawNotification } from "../contract.ts";
import { GatewayUnclear } from "../http.ts";
import { keyOf } from "./facts.ts";

const stage = setUpStandIn();
const { notifications } = payfast;
assert.ok(notifications?.confirm);
const { read, confirm } = notifications;

const ask = (reading: NotificationReading | undefined, changes: Partial<GatewayCall> = {}) => {
  assert.equal(reading?.kind, "confirm", JSON.stringify(reading));
  return confirm(reading?.kind === "confirm" ? reading.claim : "", stage.call(changes));
};
/** What the gateway confirms of a message. */
const factsOf = async (raw: RawNotification, changes: Partial<GatewayCall> = {}) => {
  const answer = await ask(read(raw, stage.call(changes)), changes);
  assert.equal(answer.kind, "verified", JSON.stringify(answer));
  return answer.kind === "verified" ? answer.facts : [];
};

test("a payment that was made: its amount, its fee, whom it was from", async () => {
  await stage.pay();
  const [fact] = await factsOf(stage.notice());
  assert.deepEqual(fact, {
    about: "payment",
    kind: "paid",
    occurredAt: null,
    gatewayWord: "COMPLETE",
    reference: REQUEST.reference,
    providerRef: "1000000",
    payerEmail: "p@example.com",
    card: null,
    subscription: null,
    amount: 1999,
    currency: "ZAR",
    fee: 300,
  });
});

for (const [outcome, kind] of [
  ["failed", "declined"],
  ["pending", "pending"],
] as const)
  test(`a payment that is ${outcome}`, async () => {
    await stage.pay({}, outcome);
    assert.partialDeepStrictEqual(await factsOf(stage.notice()), [
      { kind, amount: 1999, reference: REQUEST.reference },
    ]);
  });

test("a subscription is known by the hash of its token; later charges repeat the first reference", async () => {
  await stage.pay({ recurring: RECURRING });
  const [first] = await factsOf(stage.notice());
  assert.ok(first?.about === "payment" && first.subscription);
  const { key, handle, nextChargeOn } = first.subscription;
  assert.equal(key, keyOf(handle ?? ""));
  assert.equal(nextChargeOn, "2031-02-28", "the period after today, by the organisation's clock");
  assert.equal(first.amount, 1999);
  for (const [outcome, kind] of [
    ["paid", "paid"],
    ["declined", "declined"],
  ] as const) {
    await stage.standIn.acts.renews?.(REQUEST.reference, outcome);
    const [later] = await factsOf(stage.notice());
    const reference = kind === "paid" ? REQUEST.reference : null;
    assert.partialDeepStrictEqual(later, { kind, amount: 2500, reference, subscription: { key } });
    assert.ok(later?.about === "payment" && later.providerRef !== first.providerRef);
  }
});

test("a cancellation counts while the subscription is cancelled, and says otherwise how it stands", async () => {
  await stage.pay({ recurring: RECURRING });
  await stage.standIn.acts.endsSubscription?.(REQUEST.reference);
  const notice = stage.notice();
  assert.partialDeepStrictEqual(await factsOf(notice), [{ about: "subscription", kind: "cancelled" }]);
});

test("a cancellation that is told of a live subscription does not cancel it", async () => {
  await stage.pay({ recurring: RECURRING });
  const [first] = await factsOf(stage.notice());
  assert.ok(first?.about === "payment");
  const token = first.subscription?.handle ?? "";
  const text = `m_payment_id=${REQUEST.reference}&payment_status=CANCELLED&merchant_id=10000100&token=${token}`;
  const http: GatewayCall["http"] = async (request) =>
    request.url.endsWith("/eng/query/validate")
      ? { status: 200, headers: {}, body: "VALID" }
      : stage.call().http(request);
  const facts = await factsOf(received(signedBody(text)), { http });
  assert.partialDeepStrictEqual(facts, [
    { about: "subscription", kind: "active", subscription: { key: keyOf(token) } },
  ]);
});

test("a cancellation without a token says nothing of payments", async () => {
  const http: GatewayCall["http"] = async () => ({ status: 200, headers: {}, body: "VALID\r\nx" });
  const text = "m_payment_id=A1&pf_payment_id=9&payment_status=CANCELLED&merchant_id=10000100";
  assert.deepEqual(await factsOf(received(signedBody(text)), { http }), []);
});

const GOOD = "m_payment_id=A1&pf_payment_id=9&payment_status=COMPLETE&amount_gross=5.00&merchant_id=10000100";
const refusedAs = (raw: RawNotification, changes: Partial<GatewayCall> = {}): string => {
  const reading = read(raw, stage.call(changes));
  return reading.kind === "refused" ? reading.reason : reading.kind;
};
// What is wrong, the body, and the refusal; `confirm` when only the gateway can tell.
const BODIES: [string, string | Uint8Array, RegExp | "confirm"][] = [
  ["as it should be", signedBody(GOOD), "confirm"],
  ["with more behind the signature", `${signedBody(GOOD)}&amount_gross=9.00`, "confirm"],
  ["empty", "", /no signature/],
  ["without a signature", GOOD, /no signature/],
  ["with a blank signature", `${GOOD}&signature=`, /wrong/],
  ["with a short signature", signedBody(GOOD).slice(0, -1), /wrong/],
  ["with the signature in upper case", signedBody(GOOD).replace(/[^=]*$/, (sum) => sum.toUpperCase()), /wrong/],
  ["with another amount", signedBody(GOOD).replace("5.00", "6.00"), /wrong/],
  ["cut", signedBody(GOOD).slice(10), /wrong/],
  ["re-ordered", signedBody(GOOD).replace(/^(m_payment_id=A1)&(pf_payment_id=9)/, "$2&$1"), /wrong/],
  ["with the signature first", signedBody(GOOD).replace(/^(.*)&(signature=.*)$/, "$2&$1"), /wrong/],
  ["with a blank field more", signedBody(GOOD).replace("&merchant", "&x=&merchant"), /wrong/],
  ["signed without the passphrase", `${GOOD}&signature=${"0".repeat(32)}`, /wrong/],
  ["of another merchant", signedBody(GOOD.replace("10000100", "10000101")), /another merchant/],
  ["without a merchant", signedBody("pf_payment_id=9&payment_status=COMPLETE&amount_gross=5.00"), /another merchant/],
  ["no text", Buffer.from([0xff, 0xfe, 0x00]), /no signature/],
];
for (const [what, body, expected] of BODIES)
  test(`a notification ${what}: ${expected}`, () => {
    const reason = refusedAs(received(body));
    if (expected === "confirm") assert.equal(reason, expected);
    else assert.match(reason, expected);
  });

// What is wrong, the body, and the gateway's word for it.
const UNREAD: [string, string, string][] = [
  ["without a status", "pf_payment_id=9&merchant_id=10000100", "unnamed"],
  ["complete without an amount", GOOD.replace("&amount_gross=5.00", ""), "COMPLETE"],
  ["with an amount in words", GOOD.replace("5.00", "five"), "COMPLETE"],
  ["without the gateway's id", GOOD.replace("pf_payment_id=9", "pf_payment_id="), "COMPLETE"],
];
for (const [what, text, event] of UNREAD)
  test(`a notification ${what} that the gateway confirms is kept as one that cannot be read`, async () => {
    const reading = read(received(signedBody(text)), stage.call());
    const http: GatewayCall["http"] = async () => ({ status: 200, headers: {}, body: "VALID" });
    const reason = `The notification of ${event} cannot be read.`;
    assert.deepEqual(await ask(reading, { http }), { kind: "unread", event, reason });
    const invalid: GatewayCall["http"] = async () => ({ status: 200, headers: {}, body: "INVALID" });
    assert.equal((await ask(reading, { http: invalid })).kind, "refused");
  });

const NO = /does not come from/;
// The sender, the operator's sources, and the refusal by reading; then by asking what the gateway's hosts resolve to.
const SENDERS: [string, readonly string[] | null, RegExp | "confirm", ("verified" | RegExp)?][] = [
  ["197.97.145.144", null, "confirm", "verified"],
  ["41.74.179.223", null, "confirm", "verified"],
  ["102.216.36.143", null, "confirm", "verified"],
  ["144.126.193.139", null, "confirm", "verified"],
  ["13.245.74.88", null, "confirm", "verified"],
  ["3.163.232.237", null, "confirm", "verified"],
  ["3.163.252.237", null, "confirm", "verified"],
  ["3.163.231.237", null, "confirm", NO],
  ["3.163.253.237", null, "confirm", NO],
  ["3.163.240.236", null, "confirm", NO],
  ["198.51.100.7", null, "confirm", "verified"],
  ["198.51.100.8", null, "confirm", NO],
  ["127.0.0.1", null, "confirm", NO],
  ["127.0.0.1", ["127.0.0.0/8"], "confirm", "verified"],
  ["127.0.0.1", ["any"], "confirm", "verified"],
  ["197.97.145.144", ["127.0.0.1"], NO],
  ["198.51.100.7", ["127.0.0.1"], NO],
];
for (const [address, sources, byReading, byAsking] of SENDERS)
  test(`a notification from ${address}, with sources ${sources}: ${byAsking ?? byReading}`, async () => {
    const http: GatewayCall["http"] = async () => ({ status: 200, headers: {}, body: "VALID" });
    const reading = read(received(signedBody(GOOD), address), stage.call({ sources }));
    if (byReading !== "confirm") return assert.match(reading.kind === "refused" ? reading.reason : "", byReading);
    const answer = await ask(reading, { http, sources });
    if (byAsking === "verified") assert.equal(answer.kind, "verified");
    else assert.match(answer.kind === "refused" ? answer.reason : "", byAsking ?? /never/);
  });

// What the gateway says when it is asked, and what follows.
const WORDS: [number, string, "verified" | "refused" | "unclear"][] = [
  [200, "VALID", "verified"],
  [200, "VALID\r\nmore", "verified"],
  [200, "INVALID", "refused"],
  [200, "INVALID\nVALID", "refused"],
  [200, "<html>VALID", "unclear"],
  [200, "", "unclear"],
  [200, "valid", "unclear"],
  [302, "VALID", "unclear"],
  [500, "VALID", "unclear"],
  [404, "INVALID", "unclear"],
];
for (const [status, body, expected] of WORDS)
  test(`the gateway answers ${status} ${JSON.stringify(body)} to a claim: ${expected}`, async () => {
    const http: GatewayCall["http"] = async () => ({ status, headers: {}, body });
    const asked = ask(read(received(signedBody(GOOD)), stage.call()), { http });
    if (expected === "unclear") await assert.rejects(asked, GatewayUnclear);
    else assert.equal((await asked).kind, expected);
  });

test("the gateway is asked about exactly what was signed, whatever encoding the wire had", async () => {
  const names = ["Thandeka & Søns + 100%", "Zoë ’n Môrester", '"Q\'wabe" 😀 ~!*()'];
  for (const [at, name] of names.entries()) {
    const reference = `TEFO-20310131-0000000${at}`;
    await stage.pay({ reference, description: name, payer: { ...REQUEST.payer, firstName: name } });
    assert.partialDeepStrictEqual(await factsOf(stage.notice()), [{ kind: "paid", reference }]);
  }
});

test("a claim that the gateway never sent is refused", async () => {
  const answer = await ask(read(received(signedBody(GOOD)), stage.call()));
  assert.equal(answer.kind, "refused");
});

test("an amount with a third decimal is kept as it is written", async () => {
  const http: GatewayCall["http"] = async () => ({ status: 200, headers: {}, body: "VALID" });
  const facts = await factsOf(received(signedBody(GOOD.replace("5.00", "5.004"))), { http });
  assert.partialDeepStrictEqual(facts, [{ kind: "paid", amount: 500, inexactAmount: "5.004" }]);
});

test("of 100 000 mutated notifications none is accepted and none throws", async () => {
  await stage.pay({ recurring: RECURRING });
  const genuine = Buffer.from(stage.notice().rawBody);
  const call = stage.call();
  let seed = 20_310_131;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed % below;
  };
  const same = JSON.stringify(read(received(genuine), call));
  let accepted = 0;
  for (let n = 0; n < 100_000; n++) {
    const mutated = Buffer.from(genuine);
    const at = random(mutated.length);
    let body: Buffer = mutated;
    if (n % 4 === 0) mutated[at] = random(256);
    else if (n % 4 === 1) body = mutated.subarray(0, at);
    else if (n % 4 === 2)
      body = Buffer.concat([mutated.subarray(0, at), Buffer.from([random(256)]), mutated.subarray(at)]);
    else body = Buffer.concat([mutated.subarray(at), mutated.subarray(0, at)]);
    const reading = read(received(body), call);
    // Another way to write the same message is the same message: %41 and %4a mean what A and %4A mean.
    if (reading.kind !== "refused" && JSON.stringify(reading) !== same) accepted++;
  }
  assert.equal(accepted, 0);
});
