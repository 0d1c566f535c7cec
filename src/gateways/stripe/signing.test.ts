import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { formFields } from "./form.ts";
import { signatureFault } from "./signing.ts";

const KEY = "whsec_example";
const V1 = "7fd3f63e358a5b466ad16eb9b92640b6639a1d1111041bfc08779d1bacd106f2";
const at = (seconds: number) => instant(seconds * 1000);
const T = 1_700_000_000;

const SIGNATURES: [string, string | undefined, string, number, string | null][] = [
  ["the documented example", `t=${T},v1=${V1}`, "{}", T, null],
  ["one of two", `t=${T},v1=${"0".repeat(64)},v1=${V1}`, "{}", T, null],
  ["beside another scheme", `t=${T},v0=${"0".repeat(64)},v1=${V1}`, "{}", T, null],
  ["300 s later", `t=${T},v1=${V1}`, "{}", T + 300, null],
  ["301 s later", `t=${T},v1=${V1}`, "{}", T + 301, "The signature is too old."],
  ["another time", `t=${T + 1},v1=${V1}`, "{}", T, "The signature is wrong."],
  ["another body", `t=${T},v1=${V1}`, "{ }", T, "The signature is wrong."],
  ["a cut signature", `t=${T},v1=${V1.slice(0, -1)}`, "{}", T, "The signature is wrong."],
  ["another scheme alone", `t=${T},v0=${V1}`, "{}", T, "The signature is missing."],
  ["no time", `v1=${V1}`, "{}", T, "The signature is missing."],
  ["nothing", undefined, "{}", T, "The signature is missing."],
];
for (const [what, header, body, now, fault] of SIGNATURES)
  test(`${what}: ${fault ?? "genuine"}`, () =>
    assert.equal(signatureFault(KEY, header, Buffer.from(body), at(now)), fault));

test("the secret is the whole text", () => {
  const header = `t=${T},v1=${V1}`;
  assert.equal(signatureFault("example", header, Buffer.from("{}"), at(T)), "The signature is wrong.");
  assert.throws(() => signatureFault("", header, Buffer.from("{}"), at(T)), /needs a key/);
});

test("fields are named as Stripe names them; what is undefined is left out, empty text is not", () => {
  const fields = { a: 1, b: { c: true, d: { e: "x&y" } }, f: ["g", { h: "" }], i: undefined };
  assert.deepEqual(formFields(fields), { a: "1", "b[c]": "true", "b[d][e]": "x&y", "f[0]": "g", "f[1][h]": "" });
});
