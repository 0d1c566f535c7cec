import assert from "node:assert/strict";
import { test } from "node:test";
import { NAMES, refundOf, setUpAtStandIn, UNCLEAR_ANSWERS } from "../../../test/gateways/adapter-at-stand-in.ts";
import { standIn as protocol } from "../../../test/gateways/ozow/stand-in.ts";
import { cents } from "../../kernel/money.ts";
import { GatewayNotReached, GatewayUnclear } from "../http.ts";
import { ozow } from "./adapter.ts";

const at = setUpAtStandIn(ozow, protocol);
const { checkout, refunds, connect } = ozow;
const TRY = {
  transactionId: "8f5ee0b4-4f0f-4f6b-9f5e-0d5e3c1b2a3d",
  transactionReference: at.request.reference,
  currencyCode: "ZAR",
  amount: 19.99,
  status: "Complete",
  statusMessage: null,
  isTest: false,
};

test("a payment starts with a request that is hashed as it is sent", async () => {
  const started = await checkout?.start(at.request, at.call());
  assert.equal(started?.kind, "redirect");
  const sent = at.standIn.requests[0]?.text ?? "";
  const { hashCheck, ...fields } = JSON.parse(sent);
  assert.match(hashCheck, /^[0-9a-f]{128}$/);
  assert.match(sent, /"amount":19\.99,/);
  assert.deepEqual(fields, {
    siteCode: "TSTSTE0001",
    countryCode: "ZA",
    currencyCode: "ZAR",
    amount: 19.99,
    transactionReference: "TEFO-20310131-9F3C01AB",
    bankReference: "20310131-9F3C01AB",
    customer: "Thabo Ngcobo",
    cancelUrl: at.request.cancelUrl,
    errorUrl: at.request.returnUrl,
    successUrl: at.request.returnUrl,
    notifyUrl: at.request.notifyUrl,
    isTest: false,
  });
});

for (const amount of [1, 10, 100, 115, 435, 1999, 100_000, 99_999_999])
  test(`${amount} cents are sent with both decimals`, async () => {
    const { payment } = await at.pay({ amount: cents(amount) });
    assert.equal((await at.query(payment))?.amount, amount);
  });

for (const name of NAMES)
  test(`a payer named ${JSON.stringify(name.slice(0, 30))} can pay`, async () => {
    const payer = { ...at.request.payer, firstName: name, lastName: name };
    assert.equal((await checkout?.start({ ...at.request, payer }, at.call()))?.kind, "redirect");
  });

test("an address over 150 characters is refused before Ozow sees it", async () => {
  const url = (length: number) => `https://pay.example/${"x".repeat(length - 20)}`;
  assert.equal((await checkout?.start({ ...at.request, returnUrl: url(150) }, at.call()))?.kind, "redirect");
  assert.partialDeepStrictEqual(await checkout?.start({ ...at.request, returnUrl: url(151) }, at.call()), {
    kind: "refused",
  });
  assert.equal(at.standIn.requests.length, 1);
});

test("a wrong hash is refused with HTTP 200", async () => {
  const credentials = { ...protocol.credentials, ...protocol.wrongCredentials };
  const reason = "The HashCheck value has failed";
  assert.deepEqual(await checkout?.start(at.request, at.call({ credentials })), { kind: "refused", reason });
});

for (const [what, answer] of UNCLEAR_ANSWERS)
  test(`start and query, answered with ${what}, are unclear`, async () => {
    await assert.rejects(async () => checkout?.start(at.request, at.answering(answer)), GatewayUnclear);
    await assert.rejects(async () => checkout?.query(at.identity(), at.answering(answer)), GatewayUnclear);
  });

for (const [outcome, kind, browser] of [
  ["paid", "paid", "result"],
  ["failed", "declined", "result"],
  ["cancelled", "abandoned", "cancel"],
  ["pending", "pending", "result"],
] as const)
  test(`a payment that the payer left ${outcome} is ${kind}`, async () => {
    const paid = await at.pay({}, outcome);
    assert.match(paid.browser ?? "", new RegExp(`/${browser}/`));
    assert.partialDeepStrictEqual(await at.query(paid.payment), {
      kind,
      reference: at.request.reference,
      amount: 1999,
      currency: "ZAR",
    });
  });

// Tries under one reference, and which of them counts.
for (const [what, tries, providerRef, expected] of [
  ["none", [], null, null],
  ["null", null, null, null],
  ["a complete one behind others", ["Cancelled", "Error", "Complete"], null, "paid"],
  ["one that goes on", ["Cancelled", "PendingInvestigation"], null, "pending"],
  ["a new status", ["Teleported"], null, "pending"],
  ["a name of the prototype", ["constructor"], null, "pending"],
] as const)
  test(`of several tries (${what}) ${expected ?? "nothing"} is reported`, async () => {
    const body = JSON.stringify(tries?.map((status, n) => ({ ...TRY, status, transactionId: `t${n}` })) ?? null);
    const fact = await checkout?.query(at.identity({ providerRef }), at.answering({ body }));
    assert.equal(fact?.kind ?? null, expected);
  });

test("of two complete tries the known one is reported", async () => {
  const body = JSON.stringify(["t1", "t2"].map((transactionId) => ({ ...TRY, transactionId })));
  const ask = (providerRef: string | null) => checkout?.query(at.identity({ providerRef }), at.answering({ body }));
  assert.deepEqual([(await ask("t2"))?.providerRef, (await ask(null))?.providerRef], ["t2", "t1"]);
});

test("tries of another reference, and test payments at a live account, do not count", async () => {
  const body = JSON.stringify([
    { ...TRY, transactionReference: "TEFO-20310131-00000000" },
    { ...TRY, isTest: true },
    { ...TRY, isTest: "True" },
  ]);
  assert.equal(await checkout?.query(at.identity(), at.answering({ body })), null);
});

test("an amount with a part of a cent is kept as it was written", async () => {
  const body = JSON.stringify([{ ...TRY, amount: 19.985 }]);
  const fact = await checkout?.query(at.identity(), at.answering({ body }));
  assert.partialDeepStrictEqual(fact, { kind: "paid", inexactAmount: "19.985" });
});

test("a sandbox account makes and asks about test payments", async () => {
  const sandbox = at.call({ mode: "sandbox" });
  const { payment } = await at.pay({}, "paid", sandbox);
  assert.equal((await checkout?.query(payment, sandbox))?.kind, "paid");
  assert.equal(await at.query(payment), null);
});

const paidPayment = async (reference = at.request.reference) => {
  const { payment } = await at.pay({ reference });
  return { ...payment, providerRef: (await at.query(payment))?.providerRef ?? null };
};

test("a refund is accepted, and told of at an address that names it", async () => {
  const payment = await paidPayment();
  const answer = await at.refund(payment, { amount: cents(500), reason: "Beskadig – très tôt 🎉" });
  assert.partialDeepStrictEqual(answer, { kind: "pending", refundId: "ref_1", amount: 500, reason: null });
  await at.standIn.acts.endsRefund?.(payment.reference, "processed");
  assert.match(at.notice().url, /\?account=gw_1&refund=ref_1$/);
  const [fact] = await at.factsOf(at.notice());
  assert.partialDeepStrictEqual(fact, { about: "refund", kind: "processed", refundId: "ref_1", amount: 500 });
  assert.equal(fact?.about === "refund" && fact.providerRefundRef, answer?.providerRefundRef);
  const [elsewhere] = await at.factsOf({ ...at.notice(), url: at.notice().url.replace("&refund=ref_1", "") });
  const { providerRef } = payment;
  assert.partialDeepStrictEqual(elsewhere, { kind: "processed", refundId: null, paymentRef: providerRef, amount: 500 });
});

test("a refund that fails later says why", async () => {
  const payment = await paidPayment();
  await at.refund(payment);
  await at.standIn.acts.endsRefund?.(payment.reference, "failed");
  const [fact] = await at.factsOf(at.notice());
  assert.partialDeepStrictEqual(fact, { kind: "refused", reason: "Account closed" });
});

test("refused: more than is left, a payment that is not known, one without its id", async () => {
  const payment = await paidPayment();
  assert.partialDeepStrictEqual(await at.refund(payment, { amount: cents(2000) }), {
    kind: "refused",
    reason: "The amount is more than is left",
  });
  assert.equal((await at.refund({ ...payment, providerRef: "unknown" }))?.kind, "refused");
  assert.equal((await at.refund({ ...payment, providerRef: null }))?.kind, "refused");
  const credentials = { ...protocol.credentials, apiKey: "wrong" };
  assert.partialDeepStrictEqual(await at.refund(payment, {}, at.call({ credentials })), {
    kind: "refused",
    reason: "The API key is not valid",
  });
});

test("a refund without a clear answer is neither sent again nor found", async () => {
  const payment = await paidPayment();
  at.standIn.failAnswers({ on: "POST /secure/refunds/submit", kind: "silence", done: true });
  await assert.rejects(async () => at.refund(payment), GatewayUnclear);
  const sent = at.standIn.requests.filter(({ path }) => path === "/secure/refunds/submit");
  assert.equal(sent.length, 1);
  const asked = { ...refundOf(payment), notifyUrl: at.request.notifyUrl };
  await assert.rejects(async () => refunds?.query({ ...asked, providerRefundRef: null }, at.call()), GatewayUnclear);
});

for (const kind of ["error", "silence", "garbled"] as const)
  test(`a refund whose access token has no clear answer (${kind}) was certainly not sent`, async () => {
    const payment = await paidPayment();
    at.standIn.failAnswers({ on: "POST /token", kind, times: 9 });
    await assert.rejects(async () => at.refund(payment), GatewayNotReached);
    assert.deepEqual(
      at.standIn.requests.filter(({ path }) => path === "/secure/refunds/submit"),
      [],
    );
  });

for (const [what, changes, reason] of [
  ["right credentials", {}, null],
  ["a wrong private key", { privateKey: "x" }, /HashCheck/],
  ["a wrong API key", { apiKey: "x" }, /API key/],
  ["a wrong site code", { siteCode: "TST-OTHER-1" }, /SiteCode/],
] as const)
  test(`an account with ${what} is ${reason ? "refused" : "connected"}, and no money moves`, async () => {
    const credentials = { ...protocol.credentials, ...changes };
    const connection = await connect?.({ notifyUrl: at.request.notifyUrl }, at.call({ credentials }));
    assert.equal(connection?.kind, reason ? "refused" : "connected");
    if (reason) assert.match(connection?.kind === "refused" ? connection.reason : "", reason);
    for (const { text } of at.standIn.requests) assert.equal(JSON.parse(text).isTest, true);
  });
