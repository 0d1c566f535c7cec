import assert from "node:assert/strict";
import { test } from "node:test";
import { NAMES, refundOf, setUpAtStandIn, UNCLEAR_ANSWERS } from "../../../test/gateways/adapter-at-stand-in.ts";
import { standIn as protocol } from "../../../test/gateways/stitch/stand-in.ts";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type GatewayHttp, GatewayNotReached, GatewayUnclear } from "../http.ts";
import { stitch } from "./adapter.ts";

const at = setUpAtStandIn(stitch, protocol);
const { checkout, refunds, subscriptions } = stitch;

/** A call that gets an access token, and then this answer. */
const afterToken = (answer: { status?: number; headers?: Record<string, string>; body?: string }) => {
  const http: GatewayHttp = async ({ url }) => ({
    status: 200,
    headers: {},
    body: "{}",
    ...(url.endsWith("/token") ? { body: '{"success":true,"data":{"accessToken":"t"}}' } : answer),
  });
  return at.call({ http });
};
const sentTo = (path: string) => at.standIn.requests.filter((request) => request.path === path);

test("a payment starts with a link, to which the payer's way back is added", async () => {
  const started = await checkout?.start(at.request, at.call());
  assert.ok(started?.kind === "redirect");
  const url = new URL(started.url);
  assert.equal(url.searchParams.get("redirect_url"), at.request.returnUrl);
  assert.ok(url.pathname.endsWith(`/${started.checkoutRef}`));
  assert.deepEqual(JSON.parse(sentTo("/api/v1/payment-links")[0]?.text ?? ""), {
    amount: 1999,
    merchantReference: at.request.reference,
    payerName: "Thabo Ngcobo",
    payerEmailAddress: "p@example.com",
    expiresAt: "2031-02-03T08:00:00.000Z",
    skipCheckoutPage: true,
  });
});

for (const name of NAMES)
  test(`a payer named ${JSON.stringify(name.slice(0, 30))} can pay`, async () => {
    for (const email of [at.request.payer.email, null]) {
      const payer = { ...at.request.payer, firstName: name, lastName: null, email };
      assert.equal((await checkout?.start({ ...at.request, payer }, at.call()))?.kind, "redirect");
    }
  });

test("refusals in Stitch's words: of the whole, of a field, with HTTP 200, without words", async () => {
  const start = (changes = {}, call = at.call()) => checkout?.start({ ...at.request, ...changes }, call);
  assert.partialDeepStrictEqual(await start({ amount: cents(99) }), {
    kind: "refused",
    reason: "amount: must be at least 100 cents",
  });
  const credentials = { ...protocol.credentials, clientId: "other" };
  assert.partialDeepStrictEqual(await start({}, at.call({ credentials })), {
    kind: "refused",
    reason: "Invalid client credentials",
  });
  const refused = afterToken({ body: '{"success":false,"generalErrors":["Not now"],"fieldErrors":{"a":["b","c"]}}' });
  assert.partialDeepStrictEqual(await start({}, refused), { kind: "refused", reason: "Not now; a: b, c" });
  const silent = afterToken({ body: '{"success":false}' });
  assert.partialDeepStrictEqual(await start({}, silent), { kind: "refused", reason: "Stitch gave no reason." });
});

for (const [what, answer] of UNCLEAR_ANSWERS)
  test(`start and query, answered with ${what}, are unclear`, async () => {
    const known = at.identity({ checkoutRef: "l1" });
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
    const fact = await at.query(payment);
    assert.partialDeepStrictEqual(fact, { kind, reference: at.request.reference, amount: 1999, currency: "ZAR" });
    assert.equal(fact?.providerRef !== null, outcome === "paid");
  });

test("a paid payment is known by its own id too, with its fee", async () => {
  const { payment } = await at.pay();
  const fact = await at.query(payment);
  assert.partialDeepStrictEqual(fact, { kind: "paid", fee: 60 });
  assert.deepEqual(await at.query({ ...payment, providerRef: fact?.providerRef ?? null }), fact);
});

// What Stitch says of a payment, and our fact.
for (const [answer, fact] of [
  [
    { status: "SETTLED", amount: "1999" },
    { kind: "paid", amount: 1999, fee: null },
  ],
  [
    { status: "COMPLETED", amount: 1999 },
    { kind: "paid", amount: 1999 },
  ],
  [
    { status: "PAID", amount: "1999.5" },
    { kind: "paid", inexactAmount: "1999.5" },
  ],
  [{ status: "EXPIRED", amount: "1999" }, { kind: "abandoned" }],
  [{ status: "TELEPORTED", amount: "1999" }, { kind: "pending" }],
  [{ status: "constructor", amount: "1999" }, { kind: "pending" }],
] as const)
  test(`${JSON.stringify(answer)} is told as ${JSON.stringify(fact)}`, async () => {
    const body = JSON.stringify({ success: true, data: { payment: { id: "p1", ...answer } } });
    assert.partialDeepStrictEqual(
      await checkout?.query(at.identity({ checkoutRef: "l1" }), afterToken({ body })),
      fact,
    );
  });

test("a payment that is not known, and one that was never answered, say nothing", async () => {
  assert.equal(await at.query(at.identity({ checkoutRef: "unknown" })), null);
  assert.equal(await at.query(at.identity()), null);
});

test("refunds: in parts, for a reason of Stitch's, and refused", async () => {
  const { payment } = await at.pay();
  const known = { ...payment, providerRef: (await at.query(payment))?.providerRef ?? null };
  const part = await at.refund(known, { amount: cents(500), reason: "Paid twice (duplicate)" });
  assert.partialDeepStrictEqual(part, { kind: "processed", refundId: "ref_1", amount: 500, reason: null });
  assert.equal(JSON.parse(at.standIn.requests.at(-1)?.text ?? "").reason, "DUPLICATE");
  await at.refund(known, { amount: cents(1), reason: null });
  assert.equal(JSON.parse(at.standIn.requests.at(-1)?.text ?? "").reason, "REQUESTED_BY_CUSTOMER");
  const reason = "amount: is more than can be refunded";
  assert.partialDeepStrictEqual(await at.refund(known), { kind: "refused", reason });
  assert.equal((await at.refund(at.identity()))?.kind, "refused");
  const failed = afterToken({ body: '{"success":true,"data":{"id":"r1","status":"FAILED"}}' });
  assert.partialDeepStrictEqual(await at.refund(known, {}, failed), { kind: "refused", providerRefundRef: "r1" });
});

test("a refund without a clear answer is neither sent again nor found", async () => {
  const { payment } = await at.pay();
  const known = { ...payment, providerRef: (await at.query(payment))?.providerRef ?? null };
  at.standIn.failAnswers({ on: "POST /api/v1/payment/", kind: "silence", done: true });
  await assert.rejects(async () => at.refund(known), GatewayUnclear);
  assert.equal(sentTo(`/api/v1/payment/${known.providerRef}/refund`).length, 1);
  const asked = { ...refundOf(known), notifyUrl: at.request.notifyUrl, providerRefundRef: null };
  await assert.rejects(async () => refunds?.query(asked, at.call()), GatewayUnclear);
});

for (const kind of ["error", "silence", "garbled"] as const)
  test(`a refund whose access token has no clear answer (${kind}) was certainly not sent`, async () => {
    const { payment } = await at.pay();
    const known = { ...payment, providerRef: (await at.query(payment))?.providerRef ?? null };
    at.standIn.failAnswers({ on: "POST /api/v1/token", kind, times: 9 });
    await assert.rejects(async () => at.refund(known), GatewayNotReached);
    assert.deepEqual(sentTo(`/api/v1/payment/${known.providerRef}/refund`), []);
  });

const recurring = (
  frequency: "monthly" | "quarterly" | "biannually" | "annually",
  nextChargeOn: string | null = null,
) => ({
  recurring: { frequency, amount: cents(2500), nextChargeOn: nextChargeOn as CalendarDay | null },
});

for (const [frequency, nextChargeOn, startDate, recurrence] of [
  ["monthly", null, "2031-02-28", { frequency: "Monthly", interval: 1, byMonthDay: 28 }],
  ["quarterly", "2031-04-15", "2031-04-15", { frequency: "Monthly", interval: 3, byMonthDay: 15 }],
  ["biannually", null, "2031-07-31", { frequency: "Monthly", interval: 6, byMonthDay: 31 }],
  ["annually", null, "2032-01-31", { frequency: "Yearly", interval: 1, byMonth: 1, byMonthDay: 31 }],
] as const)
  test(`a ${frequency} subscription${nextChargeOn ? ` from ${nextChargeOn}` : ""} starts with its first payment`, async () => {
    const { browser } = await at.pay(recurring(frequency, nextChargeOn));
    assert.equal(browser, at.request.returnUrl);
    const body = JSON.parse(sentTo("/api/v1/subscriptions")[0]?.text ?? "");
    assert.partialDeepStrictEqual(body, { amount: 2500, initialAmount: 1999, merchantReference: at.request.reference });
    assert.deepEqual([body.startDate, body.recurrence], [`${startDate}T00:00:00.000Z`, recurrence]);
  });

test("a subscription needs the payer's address, and Stitch's approval", async () => {
  const payer = { ...at.request.payer, email: null };
  assert.equal((await checkout?.start({ ...at.request, ...recurring("monthly"), payer }, at.call()))?.kind, "refused");
  const refused = afterToken({
    status: 403,
    body: '{"success":false,"generalErrors":["Subscriptions are not enabled"]}',
  });
  assert.partialDeepStrictEqual(await checkout?.start({ ...at.request, ...recurring("monthly") }, refused), {
    kind: "refused",
    reason: "Subscriptions are not enabled",
  });
});

test("a subscription is found and cancelled by Stitch's id or by our reference, again without harm", async () => {
  const { payment } = await at.pay(recurring("monthly"));
  const { reference, checkoutRef } = payment;
  const key = reference;
  const id = checkoutRef ?? "";
  assert.partialDeepStrictEqual(await subscriptions?.query({ key, handle: null }, at.call()), {
    kind: "active",
    subscription: { key, handle: id },
  });
  assert.deepEqual(await subscriptions?.cancel(reference, at.call()), { kind: "done", nextChargeOn: null });
  assert.deepEqual(await subscriptions?.cancel(id, at.call()), { kind: "done", nextChargeOn: null });
  assert.partialDeepStrictEqual(await subscriptions?.query({ key, handle: id }, at.call()), { kind: "cancelled" });
  assert.equal(await subscriptions?.query({ key: "TEFO-20310131-00000000", handle: null }, at.call()), null);
  assert.equal((await subscriptions?.cancel("TEFO-20310131-00000000", at.call()))?.kind, "refused");
  assert.deepEqual(await subscriptions?.cancel("gone", at.call()), { kind: "done", nextChargeOn: null });
});

test("wrong credentials are refused when they are saved; our address is named once, and an account with five is saved", async () => {
  const connect = (changes = {}, notifyUrl = at.request.notifyUrl) =>
    stitch.connect?.({ notifyUrl }, at.call({ credentials: { ...protocol.credentials, ...changes } }));
  for (const wrong of [{ clientId: "x" }, { clientSecret: "x" }])
    assert.partialDeepStrictEqual(await connect(wrong), { kind: "refused", reason: "Invalid client credentials" });
  const connected = { kind: "connected", credentials: {} };
  for (const n of [1, 1, 2, 3, 4, 5, 6])
    assert.deepEqual(await connect({}, `https://pay${n}.example/api/webhooks/stitch?account=a`), connected);
  const posts = sentTo("/api/v1/redirect-urls").filter(({ method }) => method === "POST");
  assert.deepEqual(posts.map(({ text }) => JSON.parse(text).redirectUrl).slice(0, 2), [
    "https://pay1.example",
    "https://pay2.example",
  ]);
  assert.equal(posts.length, 6);
});

test("the connection test names no address", async () => {
  assert.deepEqual(await stitch.check?.(at.call()), { kind: "connected", credentials: {} });
  const credentials = { ...protocol.credentials, clientId: "x" };
  assert.partialDeepStrictEqual(await stitch.check?.(at.call({ credentials })), { kind: "refused" });
  assert.equal(sentTo("/api/v1/redirect-urls").length, 0);
});
