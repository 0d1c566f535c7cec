import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { signatureFault } from "./signing.ts";

const KEY = "sk_test_example";
const BODY = '{"event":"charge.success","data":{}}';
const SIGNED =
  "abdada78dc8c347985ae7b43ed0fd1c6af9695ced33a8dfa18b6035ce169024d2de6b916d53281c127a5788e7092b6d1c6b6d2d7068895155a4284fde10d9e06";
const sha256 = createHmac("sha256", KEY).update(BODY).digest("hex");

const SIGNATURES: [string, string | undefined, string, string | null][] = [
  ["the documented example", SIGNED, BODY, null],
  ["none", undefined, BODY, "The signature is missing."],
  ["an empty one", "", BODY, "The signature is missing."],
  ["a short one", SIGNED.slice(0, -1), BODY, "The signature is wrong."],
  ["a long one", `${SIGNED}0`, BODY, "The signature is wrong."],
  ["one of SHA-256", sha256, BODY, "The signature is wrong."],
  ["one in capitals", SIGNED.toUpperCase(), BODY, "The signature is wrong."],
  [
    "one of the same JSON written otherwise",
    SIGNED,
    '{"event": "charge.success", "data": {}}',
    "The signature is wrong.",
  ],
  ["one of another order", SIGNED, '{"data":{},"event":"charge.success"}', "The signature is wrong."],
  ["one of a body with a line more", SIGNED, `${BODY}\n`, "The signature is wrong."],
];
const faultOf = (key: string, header: string | undefined, body: string) =>
  signatureFault(key, { headers: { "x-paystack-signature": header }, rawBody: Buffer.from(body) });

for (const [what, header, body, fault] of SIGNATURES)
  test(`${what}: ${fault ?? "genuine"}`, () => assert.equal(faultOf(KEY, header, body), fault));

test("another key signs otherwise, and an empty key signs nothing", () => {
  assert.equal(faultOf("sk_test_other", SIGNED, BODY), "The signature is wrong.");
  assert.throws(() => faultOf("", SIGNED, BODY), /needs a key/);
});
