import assert from "node:assert/strict";
import { test } from "node:test";
import { NAMES, refundOf, setUpAtStandIn, UNCLEAR_ANSWERS } from "../../../test/gateways/adapter-at-stand-in.ts";
import { standIn as protocol } from "../../../test/gateways/yoco/stand-in.ts";
import { cents } from "../../kernel/money.ts";
import { addSeconds } from "../../kernel/time.ts";
import { GatewayUnclear } from "../http.ts";
import { yoco } from "./adapter.ts";

const at = setUpAtStandIn(yoco, protocol);
const { checkout, refunds } = yoco;
const { notifyUrl } = at.request;

/** Saves the account; answers its credentials, those that Yoco has given included. */
async function connected(credentials: Readonly<Record<string, string>> = protocol.credentials, url = notifyUrl) {
  const connection = await yoco.connect?.({ notifyUrl: url }, at.call({ credentials }));
  assert.ok(connection?.kind === "connected", JSON.stringify(connection));
  return { ...credentials, ...connection.credentials };
}
const addresses = async () => {
  const answer = await fetch(`${at.standIn.url}/api/webhooks`, {
    headers: { authorization: `Bearer ${protocol.credentials["secretKey"]}` },
  });
  const { subscriptions } = (await answer.json()) as { subscriptions: { url: string }[] };
  return subscriptions.map(({ url }) => url);
};

test("a payment starts with a checkout, keyed by our reference, which comes back with each message", async () => {
  assert.equal((await checkout?.start(at.request, at.call()))?.kind, "redirect");
  const [sent] = at.standIn.requests;
  assert.equal(sent?.headers["idempotency-key"], at.request.reference);
  assert.deepEqual(JSON.parse(sent?.text ?? ""), {
    amount: 1999,
    currency: "ZAR",
    successUrl: at.request.returnUrl,
    failureUrl: at.request.returnUrl,
    cancelUrl: at.request.cancelUrl,
    externalId: at.request.reference,
    metadata: { reference: at.request.reference },
  });
});

test("a checkout whose answer was lost is made once", async () => {
  at.standIn.failAnswers({ on: "POST /api/checkouts", kind: "silence", done: true });
  await at.pay();
  assert.equal(at.standIn.payments().length, 1);
});

for (const name of NAMES)
  test(`a payer named ${JSON.stringify(name.slice(0, 30))} can pay`, async () => {
    const payer = { ...at.request.payer, firstName: name };
    assert.equal((await checkout?.start({ ...at.request, payer, description: name }, at.call()))?.kind, "redirect");
  });

test("refused with Yoco's words: a wrong key, too little, a test key's checkout at a live account", async () => {
  const credentials = { secretKey: "sk_live_other" };
  assert.partialDeepStrictEqual(await checkout?.start(at.request, at.call({ credentials })), {
    kind: "refused",
    reason: "The key is not valid",
  });
  assert.partialDeepStrictEqual(await checkout?.start({ ...at.request, amount: cents(199) }, at.call()), {
    kind: "refused",
    reason: "amount must be at least 200 cents",
  });
  const body = JSON.stringify({ id: "ch_1", redirectUrl: "https://c.yoco.com/ch_1", processingMode: "test" });
  assert.equal((await checkout?.start(at.request, at.answering({ body })))?.kind, "refused");
  assert.equal((await checkout?.start(at.request, { ...at.answering({ body }), mode: "sandbox" }))?.kind, "redirect");
});

for (const [what, answer] of [...UNCLEAR_ANSWERS, ["a request under way", { status: 409 }] as const])
  test(`start and query, answered with ${what}, are unclear`, async () => {
    await assert.rejects(async () => checkout?.start(at.request, at.answering(answer)), GatewayUnclear);
    const known = at.identity({ checkoutRef: "ch_1" });
    await assert.rejects(async () => checkout?.query(known, at.answering(answer)), GatewayUnclear);
  });

for (const [outcome, kind, browser] of [
  ["paid", "paid", "result"],
  ["failed", "pending", "result"],
  ["cancelled", "pending", "cancel"],
  ["pending", "pending", "result"],
] as const)
  test(`a checkout that the payer left ${outcome} is ${kind}`, async () => {
    const paid = await at.pay({}, outcome);
    assert.match(paid.browser ?? "", new RegExp(`/${browser}/`));
    const fact = await at.query(paid.payment);
    assert.partialDeepStrictEqual(fact, { kind, reference: at.request.reference, amount: 1999, currency: "ZAR" });
    assert.equal(fact?.providerRef !== null, outcome === "paid");
  });

test("the amount of a checkout that Yoco does not repeat is the one asked for; what it repeats counts", async () => {
  const ask = (more: object) => {
    const body = JSON.stringify({ status: "completed", paymentId: "p_1", ...more });
    return checkout?.query(at.identity({ checkoutRef: "ch_1" }), at.answering({ body }));
  };
  assert.partialDeepStrictEqual(await ask({}), { kind: "paid", amount: 1999, currency: "ZAR", providerRef: "p_1" });
  assert.partialDeepStrictEqual(await ask({ amount: 19.99 }), { kind: "paid", inexactAmount: "19.99" });
  assert.partialDeepStrictEqual(await ask({ amount: 1, currency: "USD" }), { amount: 1, currency: "USD" });
  assert.equal(await ask({ processingMode: "test" }), null);
});

test("a checkout that is not known, and one that was never answered, say nothing", async () => {
  assert.equal(await at.query(at.identity({ checkoutRef: "ch_unknown" })), null);
  assert.equal(await at.query(at.identity()), null);
});

test("a refund is keyed by our id: whole at once, a part later", async () => {
  const { payment } = await at.pay();
  assert.partialDeepStrictEqual(await at.refund(payment), { kind: "processed", refundId: "ref_1", amount: 1999 });
  const { payment: other } = await at.pay({ reference: "TEFO-20310131-00000002" });
  assert.partialDeepStrictEqual(await at.refund(other, { refundId: "ref_2", amount: cents(500) }), { kind: "pending" });
  const refused = await at.refund(other, { refundId: "ref_3", amount: cents(1500) });
  assert.partialDeepStrictEqual(refused, { kind: "refused", reason: "the amount is more than can be refunded" });
  assert.partialDeepStrictEqual(await at.refund(at.identity()), { kind: "refused" });
});

test("a refund whose answer was lost is asked for again under its key, for a day, and is made once", async () => {
  const { payment } = await at.pay();
  at.standIn.failAnswers({ on: "POST /api/checkouts", kind: "silence", done: true, times: 3 });
  await assert.rejects(async () => at.refund(payment, { amount: cents(500) }), GatewayUnclear);
  const asked = { ...refundOf(payment), amount: cents(500), notifyUrl, providerRefundRef: null };
  assert.equal(await refunds?.query(asked, at.call()), null);
  assert.partialDeepStrictEqual(await at.refund(payment, { amount: cents(500) }), { kind: "pending" });
  assert.equal(at.standIn.payments()[0]?.refunded, 500);
  const later = at.call({ now: addSeconds(asked.requestedAt, 86_400) });
  await assert.rejects(async () => refunds?.query(asked, later), GatewayUnclear);
  await assert.rejects(async () => refunds?.query({ ...asked, providerRefundRef: "rfd_1" }, at.call()), GatewayUnclear);
});

test("saving registers the address once, and keeps its secret", async () => {
  const first = await connected();
  assert.match(first["webhookSecret"] ?? "", /^whsec_/);
  assert.deepEqual(await addresses(), [notifyUrl]);
  assert.deepEqual(await connected(first), first);
  assert.deepEqual(await addresses(), [notifyUrl]);
});

test("an address on an old domain, and one whose secret is lost, are replaced; those of others stay", async () => {
  const others = notifyUrl.replace("gw_1", "gw_2");
  await connected(protocol.credentials, others);
  const old = await connected(protocol.credentials, notifyUrl.replace("127.0.0.1:1", "old.example"));
  const now = await connected(old);
  assert.notEqual(now["webhookSecret"], old["webhookSecret"]);
  assert.deepEqual(await addresses(), [others, notifyUrl]);
  assert.notEqual((await connected())["webhookSecret"], now["webhookSecret"]);
  assert.deepEqual(await addresses(), [others, notifyUrl]);
});

test("a wrong key is refused when it is saved", async () => {
  const credentials = { secretKey: "sk_live_other" };
  const refused = await yoco.connect?.({ notifyUrl }, at.call({ credentials }));
  assert.partialDeepStrictEqual(refused, { kind: "refused", reason: "The key is not valid" });
  assert.equal(at.standIn.requests.length, 1);
});

test("the connection test registers nothing", async () => {
  assert.deepEqual(await yoco.check?.(at.call()), { kind: "connected", credentials: {} });
  assert.partialDeepStrictEqual(await yoco.check?.(at.call({ credentials: { secretKey: "sk_live_other" } })), {
    kind: "refused",
  });
  assert.deepEqual(await addresses(), []);
});
