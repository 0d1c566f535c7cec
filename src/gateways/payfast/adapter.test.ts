import assert from "node:assert/strict";
import { test } from "node:test";
import { payfast, RECURRING, REQUEST, setUpStandIn } from "../../../test/support/gateways/payfast.ts";
import { cents } from "../../kernel/money.ts";
import { type CalendarDay, instant } from "../../kernel/time.ts";
import type { GatewayCall, PaymentIdentity, RefundRequest, StartPaymentRequest } from "../contract.ts";
import { GatewayNotReached, GatewayUnclear } from "../http.ts";

const stage = setUpStandIn();
const { checkout, refunds, subscriptions, connect } = payfast;
assert.ok(checkout && refunds && subscriptions?.pausing && subscriptions.changing && connect);
const { pausing, changing } = subscriptions;

const IDENTITY: PaymentIdentity = {
  reference: REQUEST.reference,
  checkoutRef: null,
  providerRef: null,
  amount: REQUEST.amount,
  currency: "ZAR",
  startedAt: instant("2031-01-31T08:00:00Z"),
};
const PAID: PaymentIdentity = { ...IDENTITY, providerRef: "1000000" };
const REFUND: RefundRequest = {
  payment: PAID,
  refundId: "ref_1",
  amount: cents(999),
  reason: null,
  notifyUrl: "x",
  requestedAt: IDENTITY.startedAt,
};

/** The fields of the form, without the signature. */
async function fieldsOf(changes: Partial<StartPaymentRequest>, call: Partial<GatewayCall> = {}) {
  const started = await checkout?.start({ ...REQUEST, ...changes }, stage.call(call));
  assert.ok(started?.kind === "form");
  return {
    action: started.action,
    fields: Object.fromEntries(started.fields),
    names: started.fields.map(([name]) => name),
  };
}

test("a payment is a form at the host of the mode, in the gateway's order", async () => {
  const live = await fieldsOf({}, { baseUrl: null, mode: "live" });
  assert.equal(live.action, "https://www.payfast.co.za/eng/process");
  const sandbox = await fieldsOf({ recurring: RECURRING }, { baseUrl: null });
  assert.equal(sandbox.action, "https://sandbox.payfast.co.za/eng/process");
  assert.deepEqual(sandbox.names, [
    ...["merchant_id", "merchant_key", "return_url", "cancel_url", "notify_url", "name_first", "email_address"],
    ...["m_payment_id", "amount", "item_name", "custom_str1", "custom_str2", "subscription_type", "billing_date"],
    ...["recurring_amount", "frequency", "cycles", "signature"],
  ]);
  assert.partialDeepStrictEqual(sandbox.fields, {
    amount: "19.99",
    recurring_amount: "25.00",
    billing_date: "2031-02-28",
    frequency: "3",
    cycles: "0",
  });
});

const FREQUENCIES = {
  monthly: ["3", "2031-02-28"],
  quarterly: ["4", "2031-04-30"],
  biannually: ["5", "2031-07-31"],
  annually: ["6", "2032-01-31"],
} as const;
for (const [frequency, [code, next]] of Object.entries(FREQUENCIES))
  test(`${frequency} is frequency ${code}, and is collected again on ${next}`, async () => {
    const recurring = { ...RECURRING, frequency: frequency as keyof typeof FREQUENCIES };
    assert.partialDeepStrictEqual((await fieldsOf({ recurring })).fields, { frequency: code, billing_date: next });
    const on = { ...recurring, nextChargeOn: "2031-03-05" as CalendarDay };
    assert.partialDeepStrictEqual((await fieldsOf({ recurring: on })).fields, { billing_date: "2031-03-05" });
  });

const E = "é😀";
// The field, what is given, and what is sent; undefined: the field is left out.
const LENGTHS: [string, Partial<StartPaymentRequest>, string | undefined][] = [
  ["item_name", { description: E.repeat(50) }, E.repeat(50)],
  ["item_name", { description: `${E.repeat(50)}x` }, E.repeat(50)],
  ["item_description", { description: E.repeat(50) }, undefined],
  ["item_description", { description: `${E.repeat(50)}x` }, `${E.repeat(50)}x`],
  ["item_description", { description: `${E.repeat(127)}é😀` }, `${E.repeat(127)}é`],
  ["item_name", { description: " \n " }, REQUEST.reference],
  ["item_name", { description: "a\r\nb\tc" }, "a b c"],
  ["name_first", { payer: { ...REQUEST.payer, firstName: `${E.repeat(50)}x` } }, E.repeat(50)],
  ["name_first", { payer: { ...REQUEST.payer, firstName: "   " } }, undefined],
  ["name_last", { payer: { ...REQUEST.payer, lastName: " Nkosi " } }, "Nkosi"],
  [
    "email_address",
    { payer: { ...REQUEST.payer, email: `${"a".repeat(88)}@example.com` } },
    `${"a".repeat(88)}@example.com`,
  ],
  ["email_address", { payer: { ...REQUEST.payer, email: `${"a".repeat(89)}@example.com` } }, undefined],
];
for (const [field, changes, sent] of LENGTHS)
  test(`${field} of ${JSON.stringify(Object.values(changes)[0]).slice(0, 40)} is sent as ${sent?.slice(0, 12)}`, async () => {
    assert.equal((await fieldsOf(changes)).fields[field], sent);
    // The gateway takes it.
    await stage.pay(changes);
  });

test("wrong credentials are refused in the gateway's words; the merchant key is not asked about", async () => {
  const ask = (changes: object) =>
    connect({ notifyUrl: REQUEST.notifyUrl }, stage.call({ credentials: { ...stage.call().credentials, ...changes } }));
  assert.deepEqual(await ask({}), { kind: "connected", credentials: {} });
  assert.deepEqual(await ask({ passphrase: "x" }), { kind: "refused", reason: "Merchant authorisation failed." });
  assert.deepEqual(await ask({ merchantId: "10000101" }), { kind: "refused", reason: "Merchant unknown." });
  assert.equal((await ask({ merchantKey: "x" })).kind, "connected");
});

test("a payment is found by our reference in the history, and by the gateway's id once it is known", async () => {
  assert.equal(await checkout.query(IDENTITY, stage.call()), null);
  await stage.pay({ reference: "TEFO-20310131-00000000" });
  assert.equal(await checkout.query(IDENTITY, stage.call()), null);
  await stage.pay();
  const found = {
    kind: "paid",
    amount: 1999,
    fee: 300,
    currency: "ZAR",
    reference: REQUEST.reference,
    providerRef: "1000001",
  };
  assert.partialDeepStrictEqual(await checkout.query(IDENTITY, stage.call()), found);
  const known = { ...IDENTITY, providerRef: "1000001" };
  assert.partialDeepStrictEqual(await checkout.query(known, stage.call()), {
    kind: "paid",
    amount: 1999,
    providerRef: "1000001",
  });
  assert.equal(await checkout.query({ ...IDENTITY, providerRef: "9" }, stage.call()), null);
  await stage.pay({}, "failed");
  const declined = { kind: "declined", reason: "Insufficient funds", hard: false };
  assert.partialDeepStrictEqual(await checkout.query({ ...IDENTITY, providerRef: "1000002" }, stage.call()), declined);
});

test("the first payment of a subscription is awaited, since only its notification has the token", async () => {
  await stage.pay({ recurring: RECURRING });
  const waiting = await checkout.query(IDENTITY, stage.call());
  assert.partialDeepStrictEqual(waiting, { kind: "pending", providerRef: null });
  assert.match(waiting?.kind === "pending" ? (waiting.forStaff ?? "") : "", /sent again/);
});

const HEADING = "Date,Type,Sign,M Payment ID,PF Payment ID,Gross,Fee,Currency";
const answering = (body: string, status = 200): Partial<GatewayCall> => ({
  http: async () => ({ status, headers: {}, body }),
});
// The history, and what is found in it.
const HISTORIES: [string, string, "paid" | null | "unclear"][] = [
  ["a receipt", `${HEADING}\nx,Funds Received,Credit,${REQUEST.reference},7,"1 999.00",-1.00,ZAR`, "paid"],
  ["a refund", `${HEADING}\nx,Refund,Debit,${REQUEST.reference},7,19.99,0,ZAR`, null],
  ["a reversed refund", `${HEADING}\nx,Refund reversal,Credit,${REQUEST.reference},7,19.99,0,ZAR`, null],
  ["nothing", HEADING, null],
  ["an empty answer", "", null],
  ["other columns", "a,b\n1,2", "unclear"],
  ["a page", "<html><body>Maintenance</body></html>", "unclear"],
  ["an amount that cannot be read", `${HEADING}\nx,Funds Received,Credit,${REQUEST.reference},7,much,0,ZAR`, "unclear"],
  ["no id", `${HEADING}\nx,Funds Received,Credit,${REQUEST.reference},,19.99,0,ZAR`, "unclear"],
];
for (const [what, body, expected] of HISTORIES)
  test(`a history with ${what}: ${expected}`, async () => {
    const asked = checkout.query(IDENTITY, stage.call(answering(body)));
    if (expected === "unclear") await assert.rejects(asked, GatewayUnclear);
    else assert.equal((await asked)?.kind ?? null, expected);
  });

/** A subscription that runs; answers its token. */
async function begun(): Promise<string> {
  await stage.pay({ recurring: RECURRING });
  const [, token = ""] = /token=(\w+)/.exec(Buffer.from(stage.notice().rawBody).toString()) ?? [];
  return token;
}
const inBooks = () => stage.standIn.acts.subscription?.(REQUEST.reference);

test("a subscription is paused, resumed, changed and cancelled; what took effect is done when it is repeated", async () => {
  const token = await begun();
  const call = stage.call();
  const done = (nextChargeOn: string | null) => ({ kind: "done", nextChargeOn });
  for (const _ of ["first", "again"]) {
    assert.deepEqual(await pausing.pause(token, call), done("2031-02-28"));
    assert.equal(inBooks()?.status, "paused");
  }
  for (const _ of ["first", "again"]) assert.deepEqual(await pausing.resume(token, call), done("2031-02-28"));
  assert.deepEqual(await changing.change(token, { amount: cents(9950) }, call), done("2031-02-28"));
  assert.deepEqual(await changing.change(token, { nextDate: "2031-03-15" as CalendarDay }, call), done("2031-03-15"));
  assert.deepEqual(inBooks(), { status: "active", amount: 9950, nextDate: "2031-03-15" });
  const link = { key: "k", handle: token };
  assert.partialDeepStrictEqual(await subscriptions.query(link, call), {
    kind: "active",
    subscription: { nextChargeOn: "2031-03-15" },
  });
  for (const _ of ["first", "again"]) assert.deepEqual(await subscriptions.cancel(token, call), done(null));
  assert.equal(inBooks()?.status, "cancelled");
  assert.equal((await pausing.pause(token, call)).kind, "refused");
  assert.equal((await pausing.resume(token, call)).kind, "refused");
  assert.equal((await changing.change(token, { amount: cents(500) }, call)).kind, "refused");
  assert.equal(await subscriptions.query({ key: "k", handle: null }, call), null);
  assert.equal(await subscriptions.query({ key: "k", handle: "unknown" }, call), null);
});

test("an action whose answer is lost is unclear, and done when it is asked for again", async () => {
  const token = await begun();
  for (const kind of ["silence", "error", "half", "html", "redirect", "garbled"] as const) {
    stage.standIn.failAnswers({ kind, done: true, on: "PUT" });
    await assert.rejects(subscriptions.cancel(token, stage.call()), GatewayUnclear, kind);
    assert.equal((await subscriptions.cancel(token, stage.call())).kind, "done");
  }
});

test("a refund is asked for once, in cents, with our id before its reason", async () => {
  await stage.pay();
  const request = { ...REFUND, reason: "Damaged\nin transit" };
  const fact = { about: "refund", kind: "processed", refundId: "ref_1", amount: 999, reference: REQUEST.reference };
  assert.partialDeepStrictEqual(await refunds.refund(request, stage.call()), fact);
  const query = { ...request, providerRefundRef: null };
  assert.partialDeepStrictEqual(await refunds.query(query, stage.call()), fact);
  await assert.rejects(refunds.query({ ...query, refundId: "ref_2" }, stage.call()), GatewayUnclear);
  const rest = { ...request, refundId: "ref_2", amount: cents(1001), reason: "x".repeat(500) };
  assert.partialDeepStrictEqual(await refunds.refund(rest, stage.call()), {
    kind: "refused",
    reason: "The amount is more than is left.",
  });
  assert.equal((await refunds.refund({ ...rest, amount: cents(1000) }, stage.call())).kind, "processed");
  assert.deepEqual(
    stage.standIn.payments().map(({ refunded }) => refunded),
    [1999],
  );
});

// What PayFast lists of the refunds of a payment, and what is known of ref_1, of R9.99.
const LISTED: [string, unknown, "processed" | "refused" | "unclear"][] = [
  ["it", [{ reason: "ref_1", amount: 999 }], "processed"],
  [
    "it in an object",
    { balance: 0, transactions: [{ reason: "ref_1 Damaged", amount: "-999", status: "COMPLETE" }] },
    "processed",
  ],
  ["it as failed", [{ reason: "ref_1 Damaged", amount: 999, status: "FAILED" }], "refused"],
  ["another whose id begins as this one", [{ reason: "ref_12 Damaged", amount: 999 }], "unclear"],
  ["another that names it", [{ reason: "ref_2 in place of ref_1", amount: 999 }], "unclear"],
  ["another amount", [{ reason: "ref_1", amount: 99 }], "unclear"],
  ["a text that names it", "no refund ref_1 999", "unclear"],
  ["a fault that names it", { error: { path: "ref_1" } }, "unclear"],
];
for (const [what, response, expected] of LISTED)
  test(`a refund, when PayFast lists ${what}: ${expected}`, async () => {
    const body = JSON.stringify({ code: 200, status: "success", data: { response } });
    const asked = refunds.query({ ...REFUND, payment: PAID, providerRefundRef: null }, stage.call(answering(body)));
    if (expected === "unclear") await assert.rejects(asked, GatewayUnclear);
    else assert.equal((await asked)?.kind, expected);
  });

const WITHOUT = { ...PAID, providerRef: null };
const refundable = (status: string, method: string) =>
  answering(
    JSON.stringify({
      code: 200,
      status: "success",
      data: { response: { status, refund_full: { method }, refund_partial: { method: "NOT_AVAILABLE" } } },
    }),
  );
// What PayFast says can be refunded, the amount, and why it is not.
const OBSTACLES: [PaymentIdentity, Partial<GatewayCall>, number, RegExp][] = [
  [WITHOUT, {}, 1999, /told no id/],
  [PAID, refundable("NOT_AVAILABLE", "NOT_AVAILABLE"), 1999, /does not refund this payment/],
  [PAID, refundable("REFUNDABLE", "BANK_PAYOUT"), 1999, /only to a bank account/],
  [PAID, refundable("REFUNDABLE", "PAYMENT_SOURCE"), 1000, /does not refund this amount/],
  [
    PAID,
    answering('{"code":200,"status":"failed","data":{"response":400,"message":"No refunds in the sandbox."}}'),
    1999,
    /^No refunds in the sandbox\.$/,
  ],
  [PAID, answering("", 404), 1999, /does not know/],
];
for (const [payment, call, amount, reason] of OBSTACLES)
  test(`a refund is refused: ${reason}`, async () => {
    const request = { ...REFUND, payment, amount: cents(amount) };
    const fact = await refunds.refund(request, stage.call(call));
    assert.equal(fact.kind, "refused");
    assert.match(fact.reason ?? "", reason);
  });

test("a refund whose answer is lost is unclear, and found when it was made", async () => {
  await stage.pay();
  stage.standIn.failAnswers({ kind: "silence", done: true, on: "POST /refunds" });
  await assert.rejects(refunds.refund(REFUND, stage.call()), GatewayUnclear);
  assert.equal((await refunds.query({ ...REFUND, providerRefundRef: null }, stage.call()))?.kind, "processed");
  assert.equal(stage.standIn.payments()[0]?.refunded, 999, "it was asked for once");
});

for (const kind of ["error", "silence", "garbled"] as const)
  test(`a refund before which PayFast does not say what can be refunded (${kind}) was certainly not sent`, async () => {
    await stage.pay();
    stage.standIn.failAnswers({ kind, times: 9, on: "GET /refunds/query" });
    await assert.rejects(refunds.refund(REFUND, stage.call()), GatewayNotReached);
    assert.equal(stage.standIn.payments()[0]?.refunded, 0);
  });

test("API calls go to the host of the API, marked as tests in the sandbox, and hold no secret in the clear", async () => {
  for (const [mode, testing] of [
    ["live", false],
    ["sandbox", true],
  ] as const) {
    const seen: Parameters<GatewayCall["http"]>[0][] = [];
    const http: GatewayCall["http"] = async (request) => {
      seen.push(request);
      return { status: 200, headers: {}, body: '{"code":200,"status":"success","data":{"response":true}}' };
    };
    await subscriptions.cancel("tok", stage.call({ baseUrl: null, mode, http }));
    assert.equal(seen[0]?.url, `https://api.payfast.co.za/subscriptions/tok/cancel${testing ? "?testing=true" : ""}`);
    assert.match(seen[0]?.headers?.["timestamp"] ?? "", /^2026-11-20T12:00:00\+02:00$/);
    assert.doesNotMatch(JSON.stringify(seen), /jt7NOE43FZPn|46f0cd694581a/);
  }
});
