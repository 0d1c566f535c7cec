import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { refundOf, setUpAtStandIn, UNCLEAR_ANSWERS } from "../../../test/gateways/adapter-at-stand-in.ts";
import { standInV2 as protocol } from "../../../test/gateways/stitch/v2-stand-in.ts";
import { cents } from "../../kernel/money.ts";
import { accountCapabilities } from "../capabilities.ts";
import type { RawNotification } from "../contract.ts";
import { GatewayNotReached, GatewayUnclear } from "../http.ts";
import { hmac } from "../signatures.ts";
import { stitch } from "./adapter.ts";

const at = setUpAtStandIn(stitch, protocol);
const { checkout, refunds, notifications } = stitch;

beforeEach(() => at.standIn.acts.notifyAt?.(at.request.notifyUrl));

const sentTo = (path: string) => at.standIn.requests.filter((request) => request.path === path);

test("an account from before there were two APIs is one of Express, and can the same", () => {
  const { api: _, ...old } = protocol.credentials;
  const before = accountCapabilities(stitch, old);
  assert.deepEqual(before, accountCapabilities(stitch, { ...old, api: "express" }));
  assert.ok(before.includes("recurring"));
  assert.deepEqual(accountCapabilities(stitch, protocol.credentials), ["onceOff", "refund"]);
});

test("a payment starts with a payment request, to which the payer's ways back are added", async () => {
  const started = await checkout?.start(at.request, at.call());
  assert.ok(started?.kind === "redirect");
  const url = new URL(started.url);
  assert.equal(url.searchParams.get("redirect_uri"), at.request.returnUrl);
  assert.equal(url.searchParams.get("failure_redirect_uri"), at.request.cancelUrl);
  assert.ok(url.pathname.endsWith(`/${started.checkoutRef}`));
  assert.deepEqual(JSON.parse(sentTo("/v2/payment-requests")[0]?.text ?? ""), {
    amount: { currency: "ZAR", quantity: 19.99 },
    externalReference: at.request.reference,
    expireAt: "2031-02-03T08:00:00.000Z",
    payer: { identifier: "p@example.com", email: "p@example.com", fullName: "Thabo Ngcobo" },
    paymentMethods: { card: { enabled: true }, eft: { enabled: true } },
    merchantId: protocol.credentials["merchantId"],
  });
});

test("without a merchant's id payments are by card; a client that is not known is refused in Stitch's words", async () => {
  const { merchantId: _, ...credentials } = protocol.credentials;
  assert.equal((await checkout?.start(at.request, at.call({ credentials })))?.kind, "redirect");
  const { paymentMethods } = JSON.parse(sentTo("/v2/payment-requests")[0]?.text ?? "");
  assert.deepEqual(paymentMethods, { card: { enabled: true }, eft: { enabled: false } });
  const wrong = at.call({ credentials: protocol.wrongCredentials ?? {} });
  assert.deepEqual(await stitch.check?.(wrong), { kind: "refused", reason: "invalid_client" });
  assert.deepEqual(await stitch.connect?.(at.request, at.call()), { kind: "connected", credentials: {} });
});

for (const [what, answer] of UNCLEAR_ANSWERS)
  test(`start, query and a refund, answered with ${what}, are unclear`, async () => {
    const known = at.identity({ checkoutRef: "l1" });
    const afterToken = at.call({
      http: async ({ url }) => ({
        ...{ status: 200, headers: {}, body: "{}" },
        ...(url.endsWith("/token") ? { body: '{"access_token":"t"}' } : answer),
      }),
    });
    for (const call of [at.answering(answer), afterToken]) {
      await assert.rejects(async () => checkout?.start(at.request, call), GatewayUnclear);
      await assert.rejects(async () => checkout?.query(known, call), GatewayUnclear);
      await assert.rejects(async () => at.refund(known, {}, call), GatewayUnclear);
    }
  });

for (const [outcome, kind] of [
  ["paid", "paid"],
  ["cancelled", "abandoned"],
  ["expired", "abandoned"],
] as const)
  test(`a payment that the payer left ${outcome} is ${kind}, by the message and by a query`, async () => {
    const { payment } = await at.pay({}, outcome);
    const fact = await at.query(payment);
    assert.partialDeepStrictEqual(fact, { kind, reference: at.request.reference, amount: 1999, currency: "ZAR" });
    assert.deepEqual(await at.factsOf(at.notice()), [fact]);
  });

test("what a message says is not believed: Stitch is asked, and without an answer it is unclear", async () => {
  await at.pay();
  const notice = at.notice();
  at.standIn.failAnswers({ kind: "error", times: 9 });
  await assert.rejects(() => at.factsOf(notice), GatewayUnclear);
});

test("refunds: a lost answer is asked for again under one nonce; it ends by a message", async () => {
  const { payment } = await at.pay();
  at.standIn.failAnswers({ on: "POST /graphql", kind: "silence", done: true });
  const asked = { ...refundOf(payment), notifyUrl: at.request.notifyUrl, amount: cents(500) };
  const first = await at.refund(payment, { amount: cents(500) }).catch((error: unknown) => error);
  if (first instanceof GatewayUnclear)
    assert.equal(await refunds?.query({ ...asked, providerRefundRef: null }, at.call()), null);
  const again = await at.refund(payment, { amount: cents(500) });
  assert.partialDeepStrictEqual(again, { kind: "pending", refundId: "ref_1", amount: 500 });
  assert.deepEqual(
    at.standIn.payments().map(({ refunded }) => refunded),
    [500],
  );
  await at.standIn.acts.endsRefund?.(payment.reference, "processed");
  assert.partialDeepStrictEqual(await at.factsOf(at.notice()), [{ kind: "processed", refundId: "ref_1", amount: 500 }]);
  const providerRefundRef = again?.providerRefundRef ?? null;
  assert.partialDeepStrictEqual(await refunds?.query({ ...asked, providerRefundRef }, at.call()), {
    kind: "processed",
  });
  const reason = "amount is more than can be refunded";
  assert.partialDeepStrictEqual(await at.refund(payment, { refundId: "ref_2" }), { kind: "refused", reason });
  at.standIn.failAnswers({ on: "POST /connect/token", kind: "error", times: 9 });
  await assert.rejects(() => at.refund(payment, { refundId: "ref_3" }), GatewayNotReached);
});

/** A message with a body of its own, signed by somebody who has the secret. */
function signed(body: unknown): RawNotification {
  const rawBody = Buffer.from(JSON.stringify(body));
  const time = Math.floor(Date.now() / 1000);
  const key = Buffer.from((protocol.credentials["webhookSecret"] ?? "").slice("whsec_".length), "base64");
  const signature = `v1,${hmac("sha256", key, `msg_1.${time}.${rawBody}`, "base64")}`;
  const headers = { "svix-id": "msg_1", "svix-timestamp": String(time), "svix-signature": signature };
  return { method: "POST", url: at.request.notifyUrl, headers, rawBody, remoteAddress: "127.0.0.1" };
}

for (const [body, reading] of [
  [{ type: "payment", data: { id: "p1" } }, { kind: "confirm" }],
  [
    { type: "dispute.created", data: { id: "d1" } },
    { kind: "unread", event: "dispute.created" },
  ],
  [{ data: { client: { disbursements: { node: { id: "d1" } } } } }, { kind: "unread", event: "disbursements" }],
  [{ hello: 1 }, { kind: "unread", event: "unnamed" }],
  ["paid!", { kind: "refused" }],
] as const)
  test(`a message ${JSON.stringify(body)} is ${JSON.stringify(reading)}`, () => {
    const raw = signed(body);
    assert.partialDeepStrictEqual(notifications?.read(raw, at.call()), reading);
    assert.equal(notifications?.read({ ...raw, headers: {} }, at.call())?.kind, "refused");
  });
