import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { setUpAtStandIn } from "../../../test/gateways/adapter-at-stand-in.ts";
import { mutants } from "../../../test/gateways/mutations.ts";
import { standIn as protocol } from "../../../test/gateways/ozow/stand-in.ts";
import type { RawNotification } from "../contract.ts";
import { GatewayUnclear } from "../http.ts";
import { LEFT_OUT_TEST } from "../refusals.ts";
import { ozow } from "./adapter.ts";
import { PAYMENT_FIELDS } from "./wire.ts";

const at = setUpAtStandIn(ozow, protocol);
const { notifications } = ozow;

const read = (raw: RawNotification) => notifications?.read(raw, at.call());
const bodyOf = ({ rawBody }: RawNotification) => Buffer.from(rawBody).toString();
const withBody = (raw: RawNotification, body: string | Uint8Array): RawNotification => ({
  ...raw,
  rawBody: Buffer.from(body),
});

/** The notification with fields changed, hashed again by somebody who has the key. */
function rehashed(raw: RawNotification, changes: Record<string, string>): RawNotification {
  const fields = { ...Object.fromEntries(new URLSearchParams(bodyOf(raw))), ...changes };
  const text = PAYMENT_FIELDS.map((name) => fields[name] ?? "").join("") + protocol.credentials["privateKey"];
  const Hash = createHash("sha512").update(text.toLowerCase()).digest("hex");
  return withBody(raw, new URLSearchParams({ ...fields, Hash }).toString());
}

test("a notification and a query tell the same fact", async () => {
  const { payment } = await at.pay();
  const [fact, ...others] = await at.factsOf(at.notice());
  assert.deepEqual([fact, others], [await at.query(payment), []]);
  assert.partialDeepStrictEqual(fact, { kind: "paid", amount: 1999, currency: "ZAR", fee: null });
});

test("a repeated notification tells the same fact again; written in another order or encoding it is the same", async () => {
  await at.pay();
  const raw = at.notice();
  const first = await at.factsOf(raw);
  assert.deepEqual(await at.factsOf(raw), first);
  const pairs = [...new URLSearchParams(bodyOf(raw))];
  assert.deepEqual(await at.factsOf(withBody(raw, new URLSearchParams(pairs.toReversed()).toString())), first);
  assert.deepEqual(await at.factsOf(withBody(raw, bodyOf(raw).replaceAll("-", "%2D"))), first);
});

test("a hash in capitals and without leading zeros is accepted", async () => {
  await at.pay();
  const raw = at.notice();
  const hash = new URLSearchParams(bodyOf(raw)).get("Hash") ?? "";
  assert.equal(read(withBody(raw, bodyOf(raw).replace(hash, hash.toUpperCase())))?.kind, "confirm");
  assert.equal(read(withBody(raw, bodyOf(raw).replace(hash, `00${hash}`)))?.kind, "confirm");
});

const HASH = "The hash is missing or wrong.";
const REFUSALS: [string, (raw: RawNotification) => RawNotification, string][] = [
  ["amount changed", (raw) => withBody(raw, bodyOf(raw).replace("19.99", "9.99")), HASH],
  ["status changed", (raw) => withBody(raw, bodyOf(raw).replace("Complete", "Error")), HASH],
  ["hash cut", (raw) => withBody(raw, bodyOf(raw).slice(0, -1)), HASH],
  ["hash missing", (raw) => withBody(raw, bodyOf(raw).replace(/&Hash=.*/, "")), HASH],
  ["half", (raw) => withBody(raw, bodyOf(raw).slice(0, 100)), HASH],
  ["empty", (raw) => withBody(raw, ""), HASH],
  ["JSON", (raw) => withBody(raw, JSON.stringify(Object.fromEntries(new URLSearchParams(bodyOf(raw))))), HASH],
  ["a field twice", (raw) => withBody(raw, `${bodyOf(raw)}&Status=Complete`), "A field comes twice."],
  ["no UTF-8", (raw) => withBody(raw, Buffer.from([0x61, 0x3d, 0xff])), "The body is not a form."],
  ["for another site", (raw) => rehashed(raw, { SiteCode: "TST-OTHER-1" }), "The message is for another site."],
  [
    "without a transaction",
    (raw) => rehashed(raw, { TransactionId: "" }),
    "The body is not a message about a payment.",
  ],
];
for (const [what, spoil, reason] of REFUSALS)
  test(`refused: ${what}`, async () => {
    await at.pay();
    assert.deepEqual(read(spoil(at.notice())), { kind: "refused", reason });
  });

test("of another account: refused", async () => {
  await at.pay();
  const credentials = { ...protocol.credentials, privateKey: "another" };
  assert.deepEqual(notifications?.read(at.notice(), at.call({ credentials })), { kind: "refused", reason: HASH });
});

test("what a message claims does not count, Ozow's own word does", async () => {
  const { payment } = await at.pay({}, "pending");
  const claimed = rehashed(at.notice(), { Status: "Complete", Amount: "0.01" });
  assert.deepEqual(await at.factsOf(claimed), [await at.query(payment)]);
  const elsewhere = rehashed(at.notice(), { TransactionReference: "TEFO-20310131-00000000" });
  const reading = read(elsewhere);
  assert.ok(reading?.kind === "confirm");
  assert.equal((await notifications?.confirm?.(reading.claim, at.call()))?.kind, "refused");
});

test("a message that Ozow cannot confirm is unclear; one of a transaction that it does not know is refused", async () => {
  await at.pay();
  const unknown = read(rehashed(at.notice(), { TransactionId: "00000000-0000-4000-8000-000000000000" }));
  assert.ok(unknown?.kind === "confirm");
  assert.equal((await notifications?.confirm?.(unknown.claim, at.call()))?.kind, "refused");
  at.standIn.failAnswers({ on: "GET /GetTransaction", kind: "error", times: 3 });
  await assert.rejects(async () => notifications?.confirm?.(unknown.claim, at.call()), GatewayUnclear);
});

// What came of a payer's attempts, in their order, and what each of their messages then tells.
for (const [tries, kind] of [
  [["failed"], "declined"],
  [["cancelled"], "abandoned"],
  [["failed", "pending"], "pending"],
  [["pending", "failed"], "pending"],
  [["pending", "cancelled"], "pending"],
  [["failed", "paid"], "paid"],
  [["cancelled", "failed", "paid"], "paid"],
  [["cancelled", "failed"], "declined"],
  [["failed", "cancelled"], "declined"],
] as const)
  test(`each message of the attempts ${tries.join(", ")} and the query tell the same: ${kind}`, async () => {
    for (const outcome of tries) await at.pay({}, outcome);
    const queried = await at.query(at.identity());
    assert.equal(queried?.kind, kind);
    for (const index of tries.keys()) assert.deepEqual(await at.factsOf(at.notice(index)), [queried]);
  });

test("an attempt that failed tells nothing while Ozow does not say what became of the others", async () => {
  await at.pay({}, "failed");
  at.standIn.failAnswers({ on: "GET /GetTransactionByReference", kind: "error", times: 3 });
  await assert.rejects(() => at.factsOf(at.notice()), GatewayUnclear);
});

test("an attempt that is not among those of its reference yet counts beside them", async () => {
  await at.pay({}, "pending");
  const asked = at.call();
  const withoutList = at.call({
    http: (request) =>
      request.url.includes("/GetTransactionByReference")
        ? Promise.resolve({ status: 404, headers: {}, body: "" })
        : asked.http(request),
  });
  assert.partialDeepStrictEqual(await at.factsOf(at.notice(), withoutList), [{ kind: "pending" }]);
});

test("a test payment is no money to a live account", async () => {
  await at.pay({}, "paid", at.call({ mode: "sandbox" }));
  assert.deepEqual(read(at.notice()), LEFT_OUT_TEST);
  assert.equal((await at.factsOf(at.notice(), at.call({ mode: "sandbox" })))[0]?.about, "payment");
});

test("another amount is told as it is", async () => {
  await at.pay();
  assert.partialDeepStrictEqual((await at.factsOf(at.notice(-1, 1)))[0], { kind: "paid", amount: 1 });
});

test("of 100 000 mutated notifications none is accepted that says anything else, and none throws", async () => {
  const { payment } = await at.pay();
  const call = at.call();
  const original = at.notice();
  const claim = read(original);
  for (const raw of mutants(original, 100_000)) {
    const reading = notifications?.read(raw, call);
    // Fields outside the hash may change, and letters their case: Ozow is asked about the same transaction.
    if (reading?.kind !== "refused")
      assert.equal(JSON.stringify(reading).toLowerCase(), JSON.stringify(claim).toLowerCase(), bodyOf(raw));
  }
  await at.refund({ ...payment, providerRef: (await at.query(payment))?.providerRef ?? null });
  await at.standIn.acts.endsRefund?.(payment.reference, "processed");
  const genuine = read(at.notice());
  for (const raw of mutants(at.notice(), 20_000)) {
    const reading = notifications?.read(raw, call);
    if (reading?.kind === "verified" && reading.facts[0]?.gatewayWord === "Complete")
      assert.equal(JSON.stringify(reading).toLowerCase(), JSON.stringify(genuine).toLowerCase(), bodyOf(raw));
  }
});
