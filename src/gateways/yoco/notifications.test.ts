import assert from "node:assert/strict";
import { test } from "node:test";
import { setUpAtStandIn } from "../../../test/gateways/adapter-at-stand-in.ts";
import { mutants } from "../../../test/gateways/mutations.ts";
import { standIn as protocol } from "../../../test/gateways/yoco/stand-in.ts";
import { cents } from "../../kernel/money.ts";
import type { GatewayCall, RawNotification } from "../contract.ts";
import { LEFT_OUT_TEST } from "../refusals.ts";
import { hmac } from "../signatures.ts";
import { yoco } from "./adapter.ts";

const at = setUpAtStandIn(yoco, protocol);
const { notifications } = yoco;

/** A payment at an account whose address is registered; answers the account's call. */
async function paid(outcome = "paid") {
  const connection = await yoco.connect?.({ notifyUrl: at.request.notifyUrl }, at.call());
  assert.ok(connection?.kind === "connected");
  const call = at.call({ credentials: { ...protocol.credentials, ...connection.credentials } });
  return { call, ...(await at.pay({}, outcome, call)) };
}
const bodyOf = ({ rawBody }: RawNotification) => JSON.parse(Buffer.from(rawBody).toString());

/** The notification with another body, signed again by somebody who has the secret. */
function resigned(raw: RawNotification, body: unknown, { credentials }: GatewayCall): RawNotification {
  const rawBody = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const signed = `${raw.headers["webhook-id"]}.${raw.headers["webhook-timestamp"]}.${rawBody}`;
  const key = Buffer.from((credentials["webhookSecret"] ?? "").slice("whsec_".length), "base64");
  return {
    ...raw,
    rawBody,
    headers: { ...raw.headers, "webhook-signature": `v1,${hmac("sha256", key, signed, "base64")}` },
  };
}

test("a notification and a query tell the same payment", async () => {
  const { call, payment } = await paid();
  const raw = at.notice();
  const [fact, ...others] = await at.factsOf(raw, call);
  assert.deepEqual(others, []);
  const asked = await at.query(payment);
  assert.deepEqual({ ...fact, gatewayWord: "", occurredAt: null }, { ...asked, gatewayWord: "" });
  assert.partialDeepStrictEqual(fact, { kind: "paid", reference: payment.reference, amount: 1999, fee: null });
  assert.deepEqual(await at.factsOf(raw, call), [fact]);
});

test("a declined try says why, and a later one under the same checkout may be paid", async () => {
  const { call, payment } = await paid("failed");
  const [fact] = await at.factsOf(at.notice(), call);
  assert.partialDeepStrictEqual(fact, { kind: "declined", reason: "Insufficient funds", reference: payment.reference });
});

test("a message that does not bring our reference back is found by its checkout", async () => {
  const { call, payment } = await paid();
  const body = bodyOf(at.notice());
  const { checkoutId } = body.payload.metadata;
  const bare = resigned(at.notice(), { ...body, payload: { ...body.payload, metadata: { checkoutId } } }, call);
  assert.partialDeepStrictEqual((await at.factsOf(bare, call))[0], { kind: "paid", reference: payment.reference });
  const none = resigned(at.notice(), { ...body, payload: { ...body.payload, metadata: {} } }, call);
  assert.partialDeepStrictEqual((await at.factsOf(none, call))[0], { kind: "paid", reference: null });
});

test("news of a refund bring its id back", async () => {
  const { call, payment } = await paid();
  const asked = await at.refund(payment, { amount: cents(500) }, call);
  await at.standIn.acts.endsRefund?.(payment.reference, "failed");
  const [fact] = await at.factsOf(at.notice(), call);
  const { providerRefundRef = null } = asked ?? {};
  const reason = "The card's bank refused it";
  assert.partialDeepStrictEqual(fact, { kind: "refused", refundId: "ref_1", providerRefundRef, amount: 500, reason });
});

test("a refund that was made at Yoco names its payment, by Yoco's id of it and by its checkout", async () => {
  const { call, payment } = await paid();
  const { payload } = bodyOf(at.notice());
  const told = { id: "rfd_1", amount: 500, currency: "ZAR", mode: "live" };
  const read = async (more: object) => {
    const body = { id: "evt_9", type: "refund.succeeded", payload: { ...told, ...more } };
    return at.factsOf(resigned(at.notice(), body, call), call);
  };
  const fact = { kind: "processed", refundId: null, providerRefundRef: "rfd_1", amount: 500 };
  assert.partialDeepStrictEqual(await read({ paymentId: payload.id }), [{ ...fact, paymentRef: payload.id }]);
  const byCheckout = await read({ metadata: { checkoutId: payment.checkoutRef } });
  assert.partialDeepStrictEqual(byCheckout, [{ ...fact, reference: payment.reference }]);
});

test("refused: unsigned, forged, cut, written otherwise, too old, of another account", async () => {
  const { call } = await paid();
  const raw = at.notice();
  const text = Buffer.from(raw.rawBody).toString();
  const read = (changes: Partial<RawNotification>, other = call) => notifications?.read({ ...raw, ...changes }, other);
  const wrong = { kind: "refused", reason: "The signature is wrong." };
  assert.deepEqual(read({ headers: {} }), { kind: "refused", reason: "There is no signature." });
  assert.deepEqual(read({ rawBody: Buffer.from(text.replace("1999", "9999")) }), wrong);
  assert.deepEqual(read({ rawBody: Buffer.from(text.slice(0, -1)) }), wrong);
  assert.deepEqual(read({ rawBody: Buffer.from(JSON.stringify(JSON.parse(text), null, 1)) }), wrong);
  const late = { ...call, machineNow: new Date(Date.now() + 182_000) as GatewayCall["machineNow"] };
  assert.equal(read({}, late)?.kind, "refused");
  assert.deepEqual(read({}, at.call({ credentials: { webhookSecret: "whsec_AAAAAAAA" } })), wrong);
  assert.equal(read({}, at.call())?.kind, "refused");
});

test("a genuine message of another type or of test mode needs no action; one that is none is refused", async () => {
  const { call } = await paid();
  const body = bodyOf(at.notice());
  const read = (changed: unknown) => notifications?.read(resigned(at.notice(), changed, call), call);
  const nothing = { kind: "verified", facts: [] };
  assert.deepEqual(read({ ...body, type: "payout.paid", payload: null }), nothing);
  assert.deepEqual(read({ ...body, payload: { ...body.payload, mode: "test" } }), LEFT_OUT_TEST);
  for (const none of ["", "null", "[]", "paid!"]) assert.equal(read(none)?.kind, "refused");
  for (const payload of [null, { ...body.payload, amount: null }])
    assert.partialDeepStrictEqual(read({ ...body, payload }), { kind: "unread", event: "payment.succeeded" });
});

test("cents with a fraction are kept as they were written", async () => {
  const { call } = await paid();
  const body = bodyOf(at.notice());
  const [fact] = await at.factsOf(
    resigned(at.notice(), { ...body, payload: { ...body.payload, amount: 1998.5 } }, call),
    call,
  );
  assert.partialDeepStrictEqual(fact, { kind: "paid", inexactAmount: "1998.5" });
});

test("of 100 000 mutated notifications none is accepted, and none throws", async () => {
  const { call } = await paid();
  const original = at.notice();
  for (const raw of mutants(original, 100_000)) {
    if (notifications?.read(raw, call)?.kind === "refused") continue;
    // What is not signed may change, and more signatures may stand beside the right one.
    assert.ok(Buffer.from(raw.rawBody).equals(Buffer.from(original.rawBody)));
    for (const name of ["webhook-id", "webhook-timestamp"]) assert.equal(raw.headers[name], original.headers[name]);
    assert.ok(raw.headers["webhook-signature"]?.includes(original.headers["webhook-signature"] ?? "none"));
  }
});
