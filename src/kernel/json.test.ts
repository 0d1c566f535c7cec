import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonDepth, parseJson } from "./json.ts";
import { fromRand } from "./money.ts";

const CASES: [string, number][] = [
  ["1.00499999999999999999", 100],
  ["1.005", 101],
  ["1.0050000000000000001", 101],
  ["0.00499999999999999999999", 0],
  ["-1.00499999999999999999", -100],
  ["12345.674999999999999999", 1234567],
  ["1e2", 10000],
  ["100499999999999999999e-20", 100],
];
for (const [text, expected] of CASES)
  test(`${text} is ${expected} cents`, () =>
    assert.equal(fromRand((parseJson(`{"amount":${text}}`) as { amount: number }).amount), expected));

for (const [text, expected] of [
  ["1.23456789012345", 1.23456789012345],
  ["1.234567890123459", 1.23456789012345],
  ["0.001234567890123459", 0.00123456789012345],
  ["0.0000000000000001", 1e-16],
] as const)
  test(`${text} keeps 15 digits that count`, () => assert.deepEqual(parseJson(`[${text}]`), [expected]));

for (const whole of [9_007_199_254_740_991, 1_234_567_890_123_456, -9_007_199_254_740_991])
  test(`${whole} keeps every digit`, () => assert.deepEqual(parseJson(`[${whole}]`), [whole]));

test("strings are not changed", () => {
  assert.deepEqual(parseJson('{"a":"1.00499999999999999999"}'), { a: "1.00499999999999999999" });
});

test("depth counts brackets outside strings", () => {
  assert.equal(jsonDepth('{"a":"[[[[","b":[{}]}'), 3);
  assert.equal(jsonDepth('"\\"[["'), 0);
  assert.equal(jsonDepth("[{},{},[],[]]"), 2);
});
