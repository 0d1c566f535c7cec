import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../kernel/time.ts";
import { hmac, isRecent, sameSignature, standardWebhookFault, timedSignatureFault } from "./signatures.ts";

const STRIPE = "7fd3f63e358a5b466ad16eb9b92640b6639a1d1111041bfc08779d1bacd106f2";
const PAYSTACK =
  "abdada78dc8c347985ae7b43ed0fd1c6af9695ced33a8dfa18b6035ce169024d2de6b916d53281c127a5788e7092b6d1c6b6d2d7068895155a4284fde10d9e06";

test("agrees with the documented examples", () => {
  assert.equal(hmac("sha256", "whsec_example", "1700000000.{}"), STRIPE);
  assert.equal(hmac("sha512", "sk_test_example", '{"event":"charge.success","data":{}}'), PAYSTACK);
  const key = Buffer.from("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3", "base64");
  const standard = hmac("sha256", key, "msg_example.1700000000.{}", "base64");
  assert.equal(standard, "RIZU29rzyLXtEWvw52tZ2DxDPxAEsfS9yg6MperNkLU=");
});

test("nothing is signed with an empty key", () => {
  assert.throws(() => hmac("sha256", "", "body"), /needs a key/);
});

const COMPARED: [string | undefined, string, boolean][] = [
  ["abc", "abc", true],
  ["abd", "abc", false],
  ["ab", "abc", false],
  ["abcd", "abc", false],
  ["", "abc", false],
  [undefined, "abc", false],
  ["äbc", "abc", false],
  ["ABC", "abc", false],
];
for (const [given, expected, same] of COMPARED)
  test(`${given} is ${same ? "" : "not "}${expected}`, () => assert.equal(sameSignature(given, expected), same));

const NOW = new Date("2026-11-20T10:00:00Z");
const SECONDS = NOW.getTime() / 1000;
const TIMES: [string | undefined, boolean][] = [
  [String(SECONDS), true],
  [String(SECONDS - 300), true],
  [String(SECONDS - 301), false],
  [String(SECONDS + 300), true],
  [String(SECONDS + 301), false],
  [String(SECONDS * 1000), false],
  ["-1", false],
  ["1e9", false],
  ["", false],
  [undefined, false],
];
for (const [time, recent] of TIMES)
  test(`a signature of ${time} is ${recent ? "recent" : "refused"}`, () =>
    assert.equal(isRecent(time, NOW, 300), recent));

const T = 1_700_000_000;
const at = (seconds: number) => instant(seconds * 1000);
const TIMED: [string, string | undefined, string, number, string | null][] = [
  ["the documented example", `t=${T},v1=${STRIPE}`, "{}", T, null],
  ["one of two", `t=${T},v1=${"0".repeat(64)}, v1=${STRIPE}`, "{}", T, null],
  ["beside another scheme", `t=${T},v0=${"0".repeat(64)},v1=${STRIPE}`, "{}", T, null],
  ["300 s later", `t=${T},v1=${STRIPE}`, "{}", T + 300, null],
  ["301 s later", `t=${T},v1=${STRIPE}`, "{}", T + 301, "The signature is too old."],
  ["another time", `t=${T + 1},v1=${STRIPE}`, "{}", T, "The signature is wrong."],
  ["another body", `t=${T},v1=${STRIPE}`, "{ }", T, "The signature is wrong."],
  ["a cut signature", `t=${T},v1=${STRIPE.slice(0, -1)}`, "{}", T, "The signature is wrong."],
  ["another scheme alone", `t=${T},v0=${STRIPE}`, "{}", T, "The signature is missing."],
  ["no time", `v1=${STRIPE}`, "{}", T, "The signature is missing."],
  ["nonsense", "nonsense", "{}", T, "The signature is missing."],
  ["nothing", undefined, "{}", T, "The signature is missing."],
];
for (const [what, header, body, now, fault] of TIMED)
  test(`timed signature, ${what}: ${fault ?? "genuine"}`, () =>
    assert.equal(timedSignatureFault("whsec_example", header, Buffer.from(body), at(now)), fault));

test("the secret of a timed signature is the whole text", () => {
  const header = `t=${T},v1=${STRIPE}`;
  assert.equal(timedSignatureFault("example", header, Buffer.from("{}"), at(T)), "The signature is wrong.");
  assert.throws(() => timedSignatureFault("", header, Buffer.from("{}"), at(T)), /needs a key/);
});

const SIGNED = "v1,RIZU29rzyLXtEWvw52tZ2DxDPxAEsfS9yg6MperNkLU=";
const STANDARD = { id: "msg_example", timestamp: "1700000000", signature: SIGNED };
const [WRONG, OFF, NONE] = [/wrong/, /too far off/, /no signature/];
// What differs from the documented example, and the fault.
const MESSAGES: [string, Partial<Record<keyof typeof STANDARD | "body" | "secret", string>>, RegExp | null, number?][] =
  [
    ["as documented", {}, null],
    ["with another signature before it", { signature: `v1,AAAA v1a,BBBB ${SIGNED}` }, null],
    ["exactly as old as allowed", {}, null, 1_700_000_300],
    ["a second older", {}, OFF, 1_700_000_301],
    ["from the future", {}, OFF, 1_699_999_699],
    ["with another body", { body: "{ }" }, WRONG],
    ["with another id", { id: "msg_other" }, WRONG],
    ["with another time", { timestamp: "1700000001" }, WRONG],
    ["with a cut signature", { signature: SIGNED.slice(0, -1) }, WRONG],
    ["of another version", { signature: SIGNED.replace("v1", "v2") }, WRONG],
    ["with another secret", { secret: "whsec_AAAA" }, WRONG],
    ["without a secret", { secret: "" }, NONE],
    ["without a signature", { signature: "" }, NONE],
    ["without an id", { id: "" }, NONE],
    ["without a time", { timestamp: "" }, OFF],
  ];
for (const [
  what,
  { body = "{}", secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3", ...changed },
  fault,
  now,
] of MESSAGES)
  for (const prefix of ["webhook", "svix"] as const)
    test(`Standard Webhooks (${prefix}): a message ${what} ${fault ? "is refused" : "is genuine"}`, () => {
      const values = Object.entries({ ...STANDARD, ...changed });
      const headers = Object.fromEntries(values.map(([name, value]) => [`${prefix}-${name}`, value]));
      const message = { headers, rawBody: Buffer.from(body) };
      const at = new Date((now ?? 1_700_000_000) * 1000);
      const found = standardWebhookFault({ prefix, secret, toleranceSeconds: 300 }, message, at);
      if (fault) assert.match(found ?? "", fault);
      else assert.equal(found, null);
      const [other] = (["webhook", "svix"] as const).filter((one) => one !== prefix);
      assert.match(
        standardWebhookFault({ prefix: other ?? "svix", secret, toleranceSeconds: 300 }, message, at) ?? "",
        NONE,
      );
    });
