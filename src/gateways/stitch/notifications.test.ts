import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setUpAtStandIn } from "../../../test/gateways/adapter-at-stand-in.ts";
import { mutants } from "../../../test/gateways/mutations.ts";
import { standIn as protocol } from "../../../test/gateways/stitch/stand-in.ts";
import { cents } from "../../kernel/money.ts";
import { instant } from "../../kernel/time.ts";
import type { RawNotification } from "../contract.ts";
import { GatewayUnclear } from "../http.ts";
import { hmac } from "../signatures.ts";
import { stitch } from "./adapter.ts";

const at = setUpAtStandIn(stitch, protocol);
const { notifications } = stitch;
const RECURRING = { recurring: { frequency: "monthly", amount: cents(2500), nextChargeOn: null } } as const;

beforeEach(() => at.standIn.acts.notifyAt?.(at.request.notifyUrl));

/** A message with a body of its own, signed by somebody who has the secret. */
function signed(body: unknown): RawNotification {
  const rawBody = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const time = Math.floor(Date.now() / 1000);
  const key = Buffer.from((protocol.credentials["webhookSecret"] ?? "").slice("whsec_".length), "base64");
  const signature = `v1,${hmac("sha256", key, `msg_1.${time}.${rawBody}`, "base64")}`;
  const headers = { "svix-id": "msg_1", "svix-timestamp": String(time), "svix-signature": signature };
  return { method: "POST", url: at.request.notifyUrl, headers, rawBody, remoteAddress: "127.0.0.1" };
}
const read = (raw: RawNotification, call = at.call()) => notifications?.read(raw, call);
const NOTICE = {
  id: "p1",
  type: "LINK",
  status: "PAID",
  amount: "1999",
  merchantReference: at.request.reference,
  linkId: "l1",
};

test("a notification and a query tell the same payment, its fee included", async () => {
  const { payment } = await at.pay();
  assert.deepEqual(await at.factsOf(at.notice()), [await at.query(payment)]);
  assert.partialDeepStrictEqual((await at.factsOf(at.notice()))[0], { kind: "paid", amount: 1999, fee: 60 });
});

test("what is signed is true without an answer; it has no fee then", async () => {
  await at.pay();
  at.standIn.failAnswers({ kind: "error", times: 9 });
  assert.partialDeepStrictEqual((await at.factsOf(at.notice()))[0], { kind: "paid", amount: 1999, fee: null });
});

for (const [changes, fact] of [
  [{ status: "SETTLED" }, { kind: "paid", amount: 1999 }],
  [{ status: "FAILED" }, { kind: "declined" }],
  [
    { status: "EXPIRED", id: "l1" },
    { kind: "abandoned", providerRef: null },
  ],
  [{ status: "CANCELLED" }, { kind: "abandoned" }],
  [{ status: "NEW" }, { kind: "pending" }],
  [{ amount: 1999 }, { kind: "paid", amount: 1999 }],
  [{ amount: "19.99" }, { kind: "paid", inexactAmount: "19.99" }],
  [{ type: "SUBSCRIPTION" }, { subscription: { key: at.request.reference, handle: "l1" } }],
  [
    { type: "SUBSCRIPTION", status: "CANCELLED" },
    { about: "subscription", kind: "cancelled" },
  ],
  [
    { type: "REFUND", status: "PROCESSED", id: "r1", paymentId: "p1", amount: 500 },
    { about: "refund", kind: "processed", providerRefundRef: "r1", paymentRef: "p1", amount: 500 },
  ],
  [
    { type: "REFUND", status: "FAILED", id: "r1" },
    { about: "refund", kind: "refused", providerRefundRef: "r1" },
  ],
  [{ status: "REFUNDED" }, { about: "refund", kind: "processed", paymentRef: "p1", amount: null, whole: true }],
  [{ status: "PARTIALLY_REFUNDED" }, { about: "refund", kind: "processed", paymentRef: "p1", amount: null }],
] as const)
  test(`a message with ${JSON.stringify(changes)} is told as ${JSON.stringify(fact)}`, async () =>
    assert.partialDeepStrictEqual(await at.factsOf(signed({ ...NOTICE, ...changes })), [fact]));

test("a cancelled payment of a subscription that goes on ends nothing; the end of one does", async () => {
  const { payment } = await at.pay(RECURRING);
  const { reference: merchantReference, checkoutRef: linkId } = payment;
  const cancelled = { ...NOTICE, type: "SUBSCRIPTION", status: "CANCELLED", merchantReference, linkId };
  assert.partialDeepStrictEqual(await at.factsOf(signed(cancelled)), [{ about: "payment", kind: "abandoned" }]);
  await at.standIn.acts.endsSubscription?.(merchantReference);
  assert.partialDeepStrictEqual(await at.factsOf(at.notice()), [{ about: "subscription", kind: "cancelled" }]);
});

for (const status of ["CANCELLED", "EXPIRED"])
  for (const [what, fault] of [
    ["while Stitch gives no access token", { on: "POST /api/v1/token", kind: "error" }],
    ["while Stitch's list fails", { on: "GET /api/v1/subscriptions", kind: "error" }],
    ["while Stitch's list does not answer", { on: "GET /api/v1/subscriptions", kind: "silence" }],
    ["while Stitch refuses its list", { on: "GET /api/v1/subscriptions", kind: "error", status: 403 }],
  ] as const)
    test(`${what}, a message of ${status} does not end a running subscription: it is unclear`, async () => {
      const { payment } = await at.pay(RECURRING);
      const { reference: merchantReference, checkoutRef: linkId } = payment;
      const raw = signed({ ...NOTICE, id: "p9", type: "SUBSCRIPTION", status, merchantReference, linkId });
      at.standIn.failAnswers({ ...fault, times: 9 });
      await assert.rejects(() => at.factsOf(raw), GatewayUnclear);
      at.standIn.mend();
      assert.partialDeepStrictEqual(await at.factsOf(raw), [{ about: "payment", kind: "abandoned" }]);
    });

test("a later collection has an id of its own under the first reference", async () => {
  const { payment } = await at.pay(RECURRING);
  const [first] = await at.factsOf(at.notice());
  await at.standIn.acts.renews?.(payment.reference, "paid");
  const [later] = await at.factsOf(at.notice());
  const subscription = { key: payment.reference, handle: payment.checkoutRef };
  assert.partialDeepStrictEqual(first, { kind: "paid", amount: 1999, reference: payment.reference, subscription });
  assert.partialDeepStrictEqual(later, { kind: "paid", amount: 2500, reference: payment.reference, subscription });
  assert.ok(first?.about === "payment" && later?.about === "payment" && first.providerRef !== later.providerRef);
});

test("refused: unsigned, forged, cut, written otherwise, too old, of another account, no message", () => {
  const raw = signed(NOTICE);
  const text = JSON.stringify(NOTICE);
  const changed = (body: string) => ({ ...raw, rawBody: Buffer.from(body) });
  for (const spoiled of [
    { ...raw, headers: {} },
    changed(text.replace("1999", "9999")),
    changed(text.slice(0, -1)),
    changed(JSON.stringify(NOTICE, null, 1)),
    ...["", "null", "[]", "paid!"].map(signed),
  ])
    assert.equal(read(spoiled)?.kind, "refused");
  for (const strange of [{ status: 1 }, { amount: "much" }])
    assert.partialDeepStrictEqual(read(signed({ ...NOTICE, ...strange })), { kind: "unread", event: "LINK" });
  assert.equal(read(raw)?.kind, "confirm");
  assert.equal(read(raw, at.call({ machineNow: instant(Date.now() + 302_000) }))?.kind, "refused");
  assert.equal(read(raw, at.call({ credentials: { webhookSecret: "whsec_AAAAAAAAAAAAAAAA" } }))?.kind, "refused");
  assert.equal(read(raw, at.call({ credentials: {} }))?.kind, "refused");
});

test("of 100 000 mutated notifications none is accepted, and none throws", () => {
  const original = signed(NOTICE);
  const call = at.call();
  for (const raw of mutants(original, 100_000)) {
    if (read(raw, call)?.kind === "refused") continue;
    // More signatures may stand beside the right one.
    assert.ok(Buffer.from(raw.rawBody).equals(Buffer.from(original.rawBody)));
    for (const name of ["svix-id", "svix-timestamp"]) assert.equal(raw.headers[name], original.headers[name]);
    assert.ok(raw.headers["svix-signature"]?.includes(original.headers["svix-signature"] ?? "none"));
  }
});
