import assert from "node:assert/strict";
import { test } from "node:test";
import { hmac, isRecent, parseTimedSignature, sameSignature } from "./signatures.ts";

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

test("a timed header may hold several signatures and items of other schemes", () => {
  assert.deepEqual(parseTimedSignature("t=1,v1=aa, v1=bb,v0=cc"), { time: "1", signatures: ["aa", "bb"] });
  assert.deepEqual(parseTimedSignature("nonsense"), { time: undefined, signatures: [] });
  assert.deepEqual(parseTimedSignature(undefined), { time: undefined, signatures: [] });
});
