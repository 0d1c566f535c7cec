import assert from "node:assert/strict";
import { test } from "node:test";
import { call, POSTBACK, posted, soap } from "../../../test/support/gateways/netcash.ts";
import type { GatewayAnswer, GatewayHttp } from "../http.ts";
import { GatewayUnclear } from "../http.ts";
import { netcash } from "./adapter.ts";

const { notifications, checkout } = netcash;
const never: GatewayHttp = async () => assert.fail("reading a notification must not call anyone");
const read = (raw: ReturnType<typeof posted>) => notifications?.read(raw, call(never)) ?? assert.fail();

/** Netcash's own answer about the payment. */
const says =
  (fields: object | null): GatewayHttp =>
  async ({ method, url }) => {
    assert.equal(method, "GET");
    assert.equal(url, "https://ws.netcash.co.za/PayNow/TransactionStatus/Check?RequestTrace=0A1B2C3D4E5F");
    return { status: fields ? 200 : 404, headers: {}, body: JSON.stringify(fields ?? {}) };
  };

async function confirmed(fields: Readonly<Record<string, string>>, http: GatewayHttp) {
  const reading = read(posted(fields));
  return reading.kind === "confirm" ? notifications?.confirm?.(reading.claim, call(http)) : reading;
}

// Netcash's answer about the payment, and the fact.
const RESULTS: [string, Partial<typeof POSTBACK> & Record<string, string>, object | null][] = [
  ["accepted", {}, { kind: "paid", amount: 29_900, providerRef: "0A1B2C3D4E5F", card: null }],
  ["accepted in capitals", { TransactionAccepted: "True" }, { kind: "paid" }],
  [
    "declined",
    { TransactionAccepted: "false", Reason: "Declined" },
    { kind: "declined", reason: "Declined", takesBack: { code: null } },
  ],
  [
    "declined without a reason",
    { TransactionAccepted: "false", Reason: "" },
    { kind: "declined", reason: "The payment was declined" },
  ],
  ["cancelled", { TransactionAccepted: "false", Reason: "User Cancelled" }, { kind: "abandoned" }],
  ["an authorisation", { Amount: "0.00" }, null],
  ["a fraction of a cent", { Amount: "299.001" }, { kind: "paid", inexactAmount: "299.001" }],
  ["no amount", { Amount: "R299" }, { kind: "paid", inexactAmount: "R299" }],
  ["cents", { Amount: "29900" }, { kind: "paid", amount: 2_990_000 }],
  [
    "a card",
    { ccToken: "t", ccHolder: "T Nkosi", ccMasked: "424242******4242", ccExpiry: "082031" },
    { card: { brand: "visa", last4: "4242", expiryMonth: 8, expiryYear: 2031, holderName: "T Nkosi" } },
  ],
  [
    "another form of expiry",
    { ccToken: "t", ccMasked: "555555xxxxxx4444", ccExpiry: "08/31" },
    { card: { brand: "mastercard", expiryMonth: 8, expiryYear: 2031 } },
  ],
  ["no expiry", { ccToken: "t", ccMasked: "37828224631****0005" }, { card: { brand: "amex", expiryMonth: null } }],
  ["no masked number", { ccToken: "t" }, { card: null }],
];
for (const [what, changes, fact] of RESULTS)
  test(`confirmed: ${what}`, async () => {
    const fields = { ...POSTBACK, ...changes } as Record<string, string>;
    const answer = await confirmed(fields, says(fields));
    assert.partialDeepStrictEqual(answer, { kind: "verified", facts: fact === null ? [] : [fact] });
    const asked = { reference: POSTBACK.Reference, providerRef: POSTBACK.RequestTrace } as never;
    const queried = await checkout?.query(asked, call(says(fields)));
    assert.deepEqual(answer?.kind === "verified" && (answer.facts[0] ?? null), queried ?? null);
  });

// Claims of a message that Netcash's answer does not confirm.
const CLAIMS: [string, Record<string, string>][] = [
  ["another amount", { Amount: "29.90" }],
  ["an amount with a fraction of a cent", { Amount: "299.001" }],
  ["the reference of another payment", { Reference: "TEFO-20270301-00000000" }],
];
for (const [what, changes] of CLAIMS)
  test(`refused: a claim of ${what}`, async () =>
    assert.equal((await confirmed({ ...POSTBACK, ...changes }, says(POSTBACK)))?.kind, "refused"));
test("refused: a trace that Netcash does not know, and a result of another trace or reference", async () => {
  assert.equal((await confirmed(POSTBACK, says(null)))?.kind, "refused");
  assert.equal((await confirmed(POSTBACK, says({ ...POSTBACK, RequestTrace: "another" })))?.kind, "refused");
  assert.equal((await confirmed(POSTBACK, says({ ...POSTBACK, Extra1: "another" })))?.kind, "refused");
});
test("what Netcash says counts, not what the message says: a forged acceptance of a declined payment is a decline", async () => {
  const declined = { ...POSTBACK, TransactionAccepted: "false", Reason: "Declined" };
  assert.partialDeepStrictEqual(await confirmed(POSTBACK, says(declined)), {
    kind: "verified",
    facts: [{ kind: "declined" }],
  });
});

const UNCLEAR: [string, GatewayAnswer][] = [
  ["a fault", { status: 500, headers: {}, body: "" }],
  ["a page", { status: 200, headers: {}, body: "<html>" }],
  ["a redirect", { status: 302, headers: { location: "/" }, body: "" }],
  ["too many requests", { status: 429, headers: {}, body: "" }],
  ["half an answer", { status: 200, headers: {}, body: JSON.stringify(POSTBACK).slice(0, 40) }],
  ["numbers", { status: 200, headers: {}, body: JSON.stringify({ ...POSTBACK, Amount: 299 }) }],
  [
    "neither accepted nor declined",
    { status: 200, headers: {}, body: JSON.stringify({ ...POSTBACK, TransactionAccepted: "" }) },
  ],
];
for (const [what, answer] of UNCLEAR)
  test(`unclear: ${what}`, () => assert.rejects(async () => confirmed(POSTBACK, async () => answer), GatewayUnclear));

const MANDATE = { MandateSuccessful: "1", AccountRef: "DO0123456789", MandateStatus: "Accepted", IsDeclined: "False" };
const file =
  (status: number): GatewayHttp =>
  async ({ body }) => {
    const [, method = ""] = /<soap:Body><(\w+)/.exec(String(body)) ?? [];
    const text =
      method === "RequestMandateData"
        ? "token.1"
        : `###BEGIN\t2027-03-01&#xD;${status}\tDO0123456789\tT\t250.00&#xD;###END`;
    return { status: 200, headers: {}, body: soap(method, text) };
  };
// What the message claims, the status in Netcash's file, and the answer.
for (const [claim, status, answer] of [
  ["1", 6, "accepted"],
  ["1", 9, "accepted"],
  ["0", 5, "rejected"],
  ["0", 3, "rejected"],
  ["1", 5, "refused"],
  ["0", 6, "refused"],
  ["1", 2, "unclear"],
  ["1", 7, "unclear"],
  ["1", 10, "unclear"],
] as const)
  test(`an e-mandate: ${claim} is claimed, ${status} is true: ${answer}`, async () => {
    const told = () => confirmed({ ...MANDATE, MandateSuccessful: claim }, file(status));
    if (answer === "unclear") await assert.rejects(told, GatewayUnclear);
    else if (answer === "refused") assert.equal((await told())?.kind, "refused");
    else assert.partialDeepStrictEqual(await told(), { kind: "verified", facts: [{ about: "mandate", kind: answer }] });
  });
test("refused: an e-mandate that Netcash does not know", async () =>
  assert.equal((await confirmed({ ...MANDATE, AccountRef: "DO9999999999" }, file(6)))?.kind, "refused"));

const NONE: [string, string][] = [
  ["empty", ""],
  ["JSON", JSON.stringify(POSTBACK)],
  ["cut", new URLSearchParams(POSTBACK).toString().slice(0, 60)],
  ["a field twice", `${new URLSearchParams(POSTBACK)}&Amount=1.00`],
  ["a trace with a space", new URLSearchParams({ ...POSTBACK, RequestTrace: "a b" }).toString()],
  ["an empty trace", new URLSearchParams({ ...POSTBACK, RequestTrace: "" }).toString()],
  ["a long trace", new URLSearchParams({ ...POSTBACK, RequestTrace: "x".repeat(101) }).toString()],
  ["a mandate without a reference", "MandateSuccessful=1&AccountRef="],
];
for (const [what, body] of NONE) test(`refused: ${what}`, () => assert.equal(read(posted(body)).kind, "refused"));

test("100 000 mutated messages: none is accepted by itself, and none throws", () => {
  const originals = [POSTBACK, MANDATE].map((fields) => Buffer.from(new URLSearchParams(fields).toString()));
  let seed = 20_270_301;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let n = 0; n < 100_000; n++) {
    let bytes = Buffer.from(originals[n % 2] ?? assert.fail());
    for (let changes = 1 + random(4); changes > 0; changes--) {
      const at = random(bytes.length);
      const kind = random(3);
      if (kind === 0) bytes[at] = random(256);
      else if (kind === 1) bytes = bytes.subarray(0, at);
      else bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256)]), bytes.subarray(at)]);
      if (bytes.length === 0) break;
    }
    assert.notEqual(read({ ...posted(""), rawBody: bytes }).kind, "verified");
  }
});
