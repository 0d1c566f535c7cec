import assert from "node:assert/strict";
import { test } from "node:test";
import { formPairs, valueIn } from "./form-body.ts";

const BODIES: [string, [string, string][] | null][] = [
  ["", []],
  [
    "a=1&b=2&a=3",
    [
      ["a", "1"],
      ["b", "2"],
      ["a", "3"],
    ],
  ],
  [
    "b=&a",
    [
      ["b", ""],
      ["a", ""],
    ],
  ],
  ["?a=1", [["?a", "1"]]],
  ["n=Thab%6F+N%C5%A1%2b%26%25", [["n", "Thabo Nš+&%"]]],
  ["n=100%zz%", [["n", "100%zz%"]]],
  ["&&a=1&", [["a", "1"]]],
  ["a=b=c", [["a", "b=c"]]],
  [`a=${encodeURIComponent("😀 ’n")}`, [["a", "😀 ’n"]]],
  ["a&".repeat(1001), null],
];
for (const [body, pairs] of BODIES)
  test(`the pairs of ${body.slice(0, 40)}`, () => assert.deepEqual(formPairs(Buffer.from(body)), pairs));

test("bytes that are no UTF-8 are no form", () => assert.equal(formPairs(Buffer.from([0x61, 0x3d, 0xff])), null));

test("a value is found by its name; the first of several counts", () => {
  const pairs = formPairs(Buffer.from("a=1&a=2&b=")) ?? [];
  assert.deepEqual([valueIn(pairs, "a"), valueIn(pairs, "b"), valueIn(pairs, "toString")], ["1", "", null]);
});
