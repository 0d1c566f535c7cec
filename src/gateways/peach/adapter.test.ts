import assert from "node:assert/strict";
import { test } from "node:test";
import { NAMES, refundOf, setUpAtStandIn, UNCLEAR_ANSWERS } from "../../../test/gateways/adapter-at-stand-in.ts";
import { standIn as protocol } from "../../../test/gateways/peach/stand-in.ts";
import { cents } from "../../kernel/money.ts";
import { addSeconds } from "../../kernel/time.ts";
import { accountCapabilities } from "../capabilities.ts";
import type { ChargeRequest } from "../contract.ts";
import { type GatewayHttp, GatewayUnclear } from "../http.ts";
import { peach } from "./adapter.ts";
import { ofCharge, paymentFact } from "./facts.ts";
import * as wire from "./wire.ts";

const at = setUpAtStandIn(peach, protocol);
const { checkout, refunds, storedCards } = peach;

/** A call that gets an access token, and then this answer. */
const afterToken = (answer: { status?: number; headers?: Record<string, string>; body?: string }) => {
  const http: GatewayHttp = async ({ url }) => ({
    status: 200,
    headers: {},
    body: "{}",
    ...(url.endsWith("/token") ? { body: '{"access_token":"t"}' } : answer),
  });
  return at.call({ http });
};

test("a payment starts with a checkout of an allow-listed domain, under a reference of 16 characters", async () => {
  assert.equal((await checkout?.start(at.request, at.call()))?.kind, "redirect");
  const [, sent] = at.standIn.requests;
  const { nonce, ...body } = JSON.parse(sent?.text ?? "");
  assert.match(nonce, /^[0-9a-f-]{36}$/);
  assert.deepEqual(
    [sent?.headers["origin"], sent?.headers["referer"]],
    ["https://pay.example", "https://pay.example/"],
  );
  assert.deepEqual(body, {
    authentication: { entityId: protocol.credentials["entityId"] },
    merchantTransactionId: "203101319F3C01AB",
    amount: "19.99",
    currency: "ZAR",
    paymentType: "DB",
    shopperResultUrl: at.request.returnUrl,
    notificationUrl: at.request.notifyUrl,
    customer: { email: "p@example.com", givenName: "Thabo", surname: "Ngcobo" },
  });
});

test("live and sandbox are different hosts, one for each kind of call", async () => {
  const seen: string[] = [];
  const http: GatewayHttp = async ({ url }) => {
    seen.push(url.replace(/\?.*/, ""));
    return { status: 200, headers: {}, body: '{"access_token":"t","result.code":"000.200.000","payments":[]}' };
  };
  for (const mode of ["live", "sandbox"] as const) {
    const call = at.call({ http, mode, baseUrl: null });
    await checkout?.query(at.identity({ checkoutRef: "c1" }), call);
    await at.refund(at.identity({ providerRef: "p1" }), {}, call);
    const charge = at.identity({ reference: "TEFOC-0123456789abcdef-1" });
    await assert.rejects(async () => storedCards?.query(charge, call), GatewayUnclear);
  }
  assert.deepEqual(seen, [
    "https://dashboard.peachpayments.com/api/oauth/token",
    "https://secure.peachpayments.com/v2/checkout/c1/status",
    "https://api.peachpayments.com/v1/checkout/refund",
    "https://card.peachpayments.com/v1/payments",
    "https://sandbox-dashboard.peachpayments.com/api/oauth/token",
    "https://testsecure.peachpayments.com/v2/checkout/c1/status",
    "https://testapi.peachpayments.com/v1/checkout/refund",
    "https://sandbox-card.peachpayments.com/v1/payments",
  ]);
});

for (const amount of [1, 115, 435, 1999, 100_000])
  test(`${amount} cents are sent as text with both decimals`, async () => {
    const { payment } = await at.pay({ amount: cents(amount) });
    assert.equal((await at.query(payment))?.amount, amount);
  });

for (const name of NAMES)
  test(`a payer named ${JSON.stringify(name.slice(0, 30))} can pay`, async () => {
    const payer = { ...at.request.payer, firstName: name, lastName: name };
    assert.equal((await checkout?.start({ ...at.request, payer }, at.call()))?.kind, "redirect");
  });

for (const [what, answer] of UNCLEAR_ANSWERS)
  test(`start and query, answered with ${what}, are unclear`, async () => {
    const known = at.identity({ checkoutRef: "c1" });
    for (const call of [at.answering(answer), afterToken(answer)]) {
      await assert.rejects(async () => checkout?.start(at.request, call), GatewayUnclear);
      await assert.rejects(async () => checkout?.query(known, call), GatewayUnclear);
    }
  });

for (const [outcome, kind] of [
  ["paid", "paid"],
  ["failed", "declined"],
  ["cancelled", "abandoned"],
  ["pending", "pending"],
] as const)
  test(`a payment that the payer left ${outcome} is ${kind}`, async () => {
    const { payment } = await at.pay({}, outcome);
    const { reference } = at.request;
    assert.partialDeepStrictEqual(await at.query(payment), { kind, reference, amount: 1999, currency: "ZAR" });
  });

test("a checkout that nobody has opened is pending; one that is not known, or was never answered, says nothing", async () => {
  const started = await checkout?.start(at.request, at.call());
  const checkoutRef = started?.kind === "redirect" ? started.checkoutRef : null;
  assert.partialDeepStrictEqual(await at.query(at.identity({ checkoutRef })), { kind: "pending", providerRef: null });
  assert.equal(await at.query(at.identity({ checkoutRef: "0".repeat(32) })), null);
  assert.equal(await at.query(at.identity()), null);
  const gone = afterToken({ body: '{"result.code":"200.300.404"}' });
  assert.equal(await checkout?.query(at.identity({ checkoutRef: "c1" }), gone), null);
});

// What Peach answers of a checkout, and our fact.
for (const [answer, fact] of [
  [
    { "result.code": "000.000.000", amount: "19.99", currency: "ZAR" },
    { kind: "paid", amount: 1999 },
  ],
  [
    { result: { code: "000.000.000" }, amount: 19.99, currency: "ZAR" },
    { kind: "paid", amount: 1999 },
  ],
  [
    { "result.code": "000.000.000", amount: "19.991", currency: "ZAR" },
    { kind: "paid", inexactAmount: "19.991" },
  ],
  [
    { "result.code": "000.400.101", amount: "19.99", currency: "ZAR" },
    { kind: "declined", hard: false },
  ],
  [
    { "result.code": "800.100.159", "result.description": "stolen" },
    { kind: "declined", hard: true, reason: "stolen" },
  ],
  [{ "result.code": "900.100.300" }, { kind: "pending" }],
  [{ "result.code": "000.100.201", amount: "19.99" }, { kind: "declined" }],
  [
    { "result.code": "000.200.000", merchantTransactionId: "2031013100000000" },
    { reference: "TEFO-20310131-00000000" },
  ],
] as const)
  test(`${JSON.stringify(answer)} is told as ${JSON.stringify(fact)}`, async () => {
    const call = afterToken({ body: JSON.stringify(answer) });
    assert.partialDeepStrictEqual(await checkout?.query(at.identity({ checkoutRef: "c1" }), call), fact);
  });

test("a complete payment without its amount is unclear", async () => {
  const call = afterToken({ body: '{"result.code":"000.000.000"}' });
  await assert.rejects(async () => checkout?.query(at.identity({ checkoutRef: "c1" }), call), GatewayUnclear);
});

const paidPayment = async (changes = {}) => {
  const { payment } = await at.pay(changes);
  return { ...payment, providerRef: (await at.query(payment))?.providerRef ?? null };
};

test("refunds: in parts, and declined with HTTP 200", async () => {
  const payment = await paidPayment();
  const part = await at.refund(payment, { amount: cents(500) });
  assert.partialDeepStrictEqual(part, { kind: "processed", refundId: "ref_1", amount: 500, reason: null });
  assert.match(part?.providerRefundRef ?? "", /^[0-9a-f]{32}$/);
  assert.partialDeepStrictEqual(await at.refund(payment, { amount: cents(1500) }), {
    kind: "refused",
    reason: "cannot refund (refund volume exceeded)",
  });
  assert.equal((await at.refund({ ...payment, providerRef: null }))?.kind, "refused");
  const credentials = { ...protocol.credentials, secretToken: "wrong" };
  const refused = await at.refund(payment, {}, at.call({ credentials }));
  assert.partialDeepStrictEqual(refused, { kind: "refused", reason: "signature is not valid" });
});

test("a payment by PayShap is refunded once: a further refund is refused before it is sent", async () => {
  const payment = await paidPayment();
  const asked = at.call();
  const byPayShap = at.call({
    http: async (request) => {
      const answer = await asked.http(request);
      return { ...answer, body: answer.body.replace(/"paymentBrand":"\w+"/, '"paymentBrand":"PAYSHAP"') };
    },
  });
  const sent = () => at.standIn.requests.filter(({ path }) => path === "/v1/checkout/refund").length;
  assert.partialDeepStrictEqual(await at.refund(payment, { amount: cents(500) }, byPayShap), { kind: "processed" });
  const further = { amount: cents(500), isFurther: true };
  assert.match((await at.refund(payment, further, byPayShap))?.reason ?? "", /PayShap once.*record it here by hand/);
  assert.equal(sent(), 1);
  assert.partialDeepStrictEqual(await at.refund(payment, further), { kind: "processed" }, "by card in parts");
});

test("a refund without a clear answer is neither sent again nor found; so is one with the code of a time-out", async () => {
  const payment = await paidPayment();
  at.standIn.failAnswers({ on: "POST /v1/checkout/refund", kind: "half", done: true });
  await assert.rejects(async () => at.refund(payment), GatewayUnclear);
  assert.equal(at.standIn.requests.filter(({ path }) => path === "/v1/checkout/refund").length, 1);
  for (const status of [200, 400]) {
    const timedOut = afterToken({ status, body: '{"result":{"code":"900.100.300"}}' });
    await assert.rejects(async () => at.refund(payment, {}, timedOut), GatewayUnclear);
  }
  const asked = { ...refundOf(payment), notifyUrl: at.request.notifyUrl, providerRefundRef: null };
  await assert.rejects(async () => refunds?.query(asked, at.call()), GatewayUnclear);
});

const CHARGE: ChargeRequest = {
  reference: "TEFOC-0123456789abcdef-1",
  card: { token: "", brand: "visa", last4: "0042" },
  amount: cents(2500),
  currency: "ZAR",
  description: "Membership",
  payer: at.request.payer,
  notifyUrl: at.request.notifyUrl,
};
/** A charge of a card that a checkout has saved. */
async function charge(outcome: "paid" | "declined" | "hard" | "unclear", changes: Partial<ChargeRequest> = {}) {
  const { payment } = await at.pay({ saveCard: true });
  const { card = null } = (await at.query(payment)) ?? {};
  at.standIn.acts.nextCharges?.(outcome);
  return storedCards?.charge({ ...CHARGE, card: { ...CHARGE.card, token: card?.token ?? "" }, ...changes }, at.call());
}
const CHARGED = at.identity({ reference: CHARGE.reference, amount: CHARGE.amount });

test("a card is saved with a payment, is shown, and is known again by its digits", async () => {
  const cards = [];
  for (const reference of ["TEFO-20310131-00000001", "TEFO-20310131-00000002"]) {
    const { payment } = await at.pay({ reference, saveCard: true });
    cards.push((await at.query(payment))?.card);
  }
  const [first, second] = cards;
  assert.partialDeepStrictEqual(first, {
    brand: "visa",
    last4: "0042",
    expiryMonth: 8,
    expiryYear: 2034,
    holderName: "N Ngcobo",
  });
  assert.ok(first?.token && second?.token && first.token !== second.token);
  assert.equal(first.fingerprint, second.fingerprint);
  const { payment } = await at.pay({ reference: "TEFO-20310131-00000003" });
  assert.equal((await at.query(payment))?.card?.token, null);
});

test("a saved card is charged, and found by our short reference", async () => {
  const fact = await charge("paid");
  assert.partialDeepStrictEqual(fact, { kind: "paid", reference: CHARGE.reference, amount: 2500, card: null });
  assert.deepEqual(await storedCards?.query(CHARGED, at.call()), fact);
});

for (const [outcome, hard] of [
  ["declined", false],
  ["hard", true],
] as const)
  test(`a card that is ${outcome} fails with Peach's words`, async () => {
    const fact = await charge(outcome);
    assert.partialDeepStrictEqual(fact, { kind: "declined", hard, reference: CHARGE.reference, amount: 2500 });
    assert.match(fact?.kind === "declined" ? fact.reason : "", /transaction declined/);
  });

test("a charge without an answer is found by query and never sent again", async () => {
  await assert.rejects(async () => charge("unclear"), GatewayUnclear);
  assert.partialDeepStrictEqual(await storedCards?.query(CHARGED, at.call()), { kind: "paid", amount: 2500 });
  assert.equal(at.standIn.requests.filter(({ path }) => path.endsWith("/payments") && path.includes("reg")).length, 1);
});

test("a charge that Peach does not find is unclear for a day, and then was never made", async () => {
  const { startedAt } = CHARGED;
  const after = (seconds: number) => at.call({ now: addSeconds(startedAt, seconds) });
  await assert.rejects(async () => storedCards?.query(CHARGED, after(86_399)), GatewayUnclear);
  assert.partialDeepStrictEqual(await storedCards?.query(CHARGED, after(86_400)), { kind: "declined", hard: false });
  const silent = { ...at.answering({ status: 404 }), now: addSeconds(startedAt, 864_000) };
  await assert.rejects(async () => storedCards?.query(CHARGED, silent), GatewayUnclear);
});

test("the code of a time-out at the bank is unclear, whatever HTTP says", async () => {
  for (const status of [200, 400]) {
    const call = afterToken({ status, body: '{"result":{"code":"900.100.300"}}' });
    const card = { ...CHARGE.card, token: '{"registrationId":"r","initialTransactionId":null}' };
    const charged = storedCards?.charge({ ...CHARGE, card }, call);
    if (status === 200) assert.equal((await charged)?.kind, "pending");
    else await assert.rejects(async () => charged, GatewayUnclear);
  }
});

test("wrong credentials are refused when they are saved, in Peach's words", async () => {
  const connect = (changes: object) =>
    peach.connect?.(
      { notifyUrl: at.request.notifyUrl },
      at.call({ credentials: { ...protocol.credentials, ...changes } }),
    );
  assert.deepEqual(await connect({}), { kind: "connected", credentials: {} });
  for (const wrong of [{ clientId: "x" }, { clientSecret: "x" }, { merchantId: "x" }])
    assert.partialDeepStrictEqual(await connect(wrong), { kind: "refused", reason: "Invalid client credentials" });
});

test("cards need the recurring credentials", () => {
  const { recurringEntityId: _, ...without } = protocol.credentials;
  assert.deepEqual(accountCapabilities(peach, without), ["onceOff", "refund"]);
  assert.deepEqual(accountCapabilities(peach, protocol.credentials), [
    "onceOff",
    "saveCard",
    "chargeStoredCard",
    "refund",
  ]);
});

test("a card with a new expiry is the same card, and its charge leaves the token as it is", () => {
  const told = (year: string) =>
    paymentFact(
      wire.Payment.parse({
        ...{ id: "p1", registrationId: "r1", amount: "25.00", currency: "ZAR", paymentBrand: "VISA" },
        ...{
          result: { code: "000.000.000" },
          card: { bin: "420000", last4Digits: "0042", expiryMonth: "08", expiryYear: year },
        },
      }),
      "TEFOC-1-1",
    );
  const [before, after] = [told("2034"), ofCharge(told("2037"))];
  assert.equal(before.card?.fingerprint, after.card?.fingerprint);
  assert.notDeepEqual(before.card?.otherFingerprints, after.card?.otherFingerprints);
  assert.ok(before.card?.token);
  assert.partialDeepStrictEqual(after.card, { token: null, expiryYear: 2037 });
});
