import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { formFault, headerFault, isSignedInHeaders, signatureOf } from "./signing.ts";

/**
 * The documented example, and the same made with `printf '%s' amount1.00currencyZARnotificationUrl | openssl dgst
 * -sha256 -hmac secret`.
 */
const EXAMPLE = "3ecebbe815dc9d4696b527b60d58fe3ab37f88f579c9d8dfd0112f3ba5f95ce3";
const FIELDS: [string, string][] = [
  ["amount", "1.00"],
  ["currency", "ZAR"],
  ["notificationUrl", ""],
];
const signed = (pairs: [string, string][], secret = "secret"): [string, string][] => [
  ...pairs,
  ["signature", signatureOf(pairs, secret)],
];

test("the signature is the documented one, whatever the order, empty values included", () => {
  assert.equal(signatureOf(FIELDS, "secret"), EXAMPLE);
  assert.equal(signatureOf(FIELDS.toReversed(), "secret"), EXAMPLE);
  assert.equal(signatureOf([...FIELDS, ["signature", "anything"]], "secret"), EXAMPLE);
  assert.notEqual(signatureOf(FIELDS.slice(0, 2), "secret"), EXAMPLE);
  assert.throws(() => signatureOf(FIELDS, ""), /needs a key/);
});

test("names are sorted by their bytes", () => {
  const pairs: [string, string][] = [
    ["é", "1"],
    ["a", "2"],
    ["Z", "3"],
    ["a.b", "4"],
    ["a[b]", "5"],
    ["𝒂", "6"],
    ["\uffff", "7"],
  ];
  const text = "Z3a2a.b4a[b]5é1\uffff7𝒂6";
  assert.equal(signatureOf(pairs, "secret"), createHmac("sha256", "secret").update(text).digest("hex"));
});

for (const [what, pairs, fault] of [
  ["as it is", signed(FIELDS), null],
  [
    "in capitals",
    signed(FIELDS).map(([n, v]) => [n, n === "signature" ? v.toUpperCase() : v] as [string, string]),
    null,
  ],
  [
    "with names & values of all kinds",
    signed([
      ["customParameters[naam & van]", "Zoë + 100% 🎉 'x' \"y\""],
      ["result.code", "000.000.000"],
    ]),
    null,
  ],
  [
    "with another value",
    [["amount", "9.00"], ...signed(FIELDS).slice(1)] as [string, string][],
    "The signature is wrong.",
  ],
  ["with one value more", [...signed(FIELDS), ["a", "b"]] as [string, string][], "The signature is wrong."],
  ["without its empty value", signed(FIELDS).filter(([name]) => name !== "notificationUrl"), "The signature is wrong."],
  ["of another secret", signed(FIELDS, "other"), "The signature is wrong."],
  ["cut short", [...FIELDS, ["signature", EXAMPLE.slice(0, -1)]] as [string, string][], "The signature is wrong."],
  ["empty", [...FIELDS, ["signature", ""]] as [string, string][], "There is no signature."],
  ["missing", FIELDS, "There is no signature."],
  ["with a name twice", signed([...FIELDS, ["amount", "1.00"]]), "A field comes twice."],
] as const)
  test(`a form's signature ${what}: ${fault ?? "accepted"}`, () => assert.equal(formFault(pairs, "secret"), fault));

const URL = "https://pay.example/api/webhooks/peach?account=gw_1";
const message = (changes: Record<string, string | undefined> = {}, url = URL, body = "a=1") => {
  const signature = createHmac("sha256", "secret").update(`1700000000.wh_1.${URL}.a=1`).digest("hex");
  const headers = {
    "x-webhook-timestamp": "1700000000",
    "x-webhook-id": "wh_1",
    "x-webhook-signature": signature,
    ...changes,
  };
  return { url, headers, rawBody: Buffer.from(body) };
};
for (const [what, given, fault] of [
  ["as it is", message(), null],
  ["at another address", message({}, `${URL}2`), "The signature is wrong."],
  ["with another body", message({}, URL, "a=2"), "The signature is wrong."],
  ["with another time", message({ "x-webhook-timestamp": "1700000001" }), "The signature is wrong."],
  ["with another id", message({ "x-webhook-id": "wh_2" }), "The signature is wrong."],
  ["without a time", message({ "x-webhook-timestamp": undefined }), "There is no signature."],
  ["without a signature", message({ "x-webhook-signature": "" }), "There is no signature."],
] as const)
  test(`a signature in headers ${what}: ${fault ?? "accepted"}`, () =>
    assert.equal(headerFault(given, "secret"), fault));

test("a message shows where it is signed", () => {
  assert.equal(isSignedInHeaders(message()), true);
  assert.equal(isSignedInHeaders(message({ "x-webhook-signature": undefined })), false);
});
