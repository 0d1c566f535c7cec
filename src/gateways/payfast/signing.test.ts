import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { formPairs } from "../form-body.ts";
import { apiSignature, isSigned, notificationText, type Pair, phpEncode, signedForm } from "./signing.ts";

const PASSPHRASE = "jt7NOE43FZPn";

test("the documented form is signed as documented", () => {
  const fields: Pair[] = [
    ["merchant_id", "10000100"],
    ["merchant_key", "46f0cd694581a"],
    ["amount", "100.00"],
    ["item_name", "Sam's test (1)"],
  ];
  assert.deepEqual(signedForm(fields, PASSPHRASE), [...fields, ["signature", "1788c007c6f8362813ad4308359b6b12"]]);
});

test("the documented notification is signed as documented", () => {
  const body =
    "m_payment_id=A1&pf_payment_id=9&payment_status=COMPLETE&item_description=&amount_gross=5.00&merchant_id=10000100";
  const text = notificationText(formPairs(Buffer.from(body)) ?? []);
  assert.equal(text, body);
  assert.equal(isSigned(text, "02a21affdc5a9021d585a6506f2bb69c", PASSPHRASE), true);
  assert.equal(isSigned(`${text}&m=1`, "02a21affdc5a9021d585a6506f2bb69c", PASSPHRASE), false);
  assert.equal(isSigned(text, undefined, PASSPHRASE), false);
});

test("the documented API call is signed as documented", () => {
  const values = { "merchant-id": "10000100", version: "v1", timestamp: "2026-01-01T12:00:00", cycles: "1" };
  assert.equal(apiSignature(values, PASSPHRASE), "4c11260ed29ad2b63a6497884df3cb5a");
});

test("a form posts trimmed values, no blank ones, and zeros", () => {
  const fields: Pair[] = [
    ["a", " x "],
    ["b", "   "],
    ["c", ""],
    ["cycles", "0"],
  ];
  const posted = signedForm(fields, "p");
  assert.deepEqual(posted.slice(0, -1), [
    ["a", "x"],
    ["cycles", "0"],
  ]);
  assert.deepEqual(signedForm(posted.slice(0, -1), " p "), posted, "the passphrase is trimmed too");
  assert.notDeepEqual(signedForm(fields, "").at(-1), posted.at(-1));
});

// As PHP's urlencode gives it.
const ENCODED: [string, string][] = [
  ["Sam's test (1)", "Sam%27s+test+%281%29"],
  ["a-b_c.d~e!f*g", "a-b_c.d%7Ee%21f%2Ag"],
  ['R&D + 100% "x"', "R%26D+%2B+100%25+%22x%22"],
  ["Zoë ’n š", "Zo%C3%AB+%E2%80%99n+%C5%A1"],
  ["😀", "%F0%9F%98%80"],
  ["https://x.example/a?b=c", "https%3A%2F%2Fx.example%2Fa%3Fb%3Dc"],
  ["", ""],
];
for (const [text, encoded] of ENCODED)
  test(`"${text}" is encoded as PHP does`, () => assert.equal(phpEncode(text), encoded));

test("whatever encoding the wire uses, the signed text of a notification is the same", () => {
  const fields = fc.array(fc.tuple(fc.stringMatching(/^[a-z_0-9]{1,12}$/), fc.string({ unit: "grapheme" })), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(fields, (pairs) => {
      const text = notificationText(pairs);
      const other = text.replaceAll("+", "%20").replaceAll(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase());
      for (const wire of [text, other]) assert.equal(notificationText(formPairs(Buffer.from(wire)) ?? []), text);
    }),
  );
});
