import assert from "node:assert/strict";
import { test } from "node:test";
import { normaliseMetadata } from "./metadata.ts";

test("numbers and booleans are kept as strings, nulls dropped", () => {
  assert.deepEqual(normaliseMetadata({ a: 1.5, b: true, c: null, d: "x" }), { a: "1.5", b: "true", d: "x" });
});

test("a key called __proto__ is data", () => {
  const metadata = normaliseMetadata(JSON.parse('{"__proto__":"x"}'));
  assert.equal(JSON.stringify(metadata), '{"__proto__":"x"}');
});

/** Metadata that is `length` characters long as JSON. */
function ofLength(length: number) {
  const most = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`k${i}`, "x".repeat(500)]));
  return { ...most, last: "x".repeat(length - JSON.stringify({ ...most, last: "" }).length) };
}

const REFUSED: [string, unknown][] = [
  ["an array", []],
  ["text", "x"],
  ["nesting", { a: {} }],
  ["an array value", { a: [] }],
  ["an empty key", { "": "x" }],
  ["a long key", { ["k".repeat(41)]: "x" }],
  ["a key with a space", { "a b": "x" }],
  ["a long value", { a: "x".repeat(501) }],
  ["51 keys", Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, "x"]))],
  ["over 4000 characters in all", ofLength(4001)],
  ["a number beyond all", { a: Number.POSITIVE_INFINITY }],
  ["a NUL", { a: "\0" }],
  ["a lone surrogate", { a: "\ud800" }],
];
for (const [name, input] of REFUSED) test(`${name} is refused`, () => assert.throws(() => normaliseMetadata(input)));

test("the limits themselves are allowed", () => {
  normaliseMetadata(ofLength(4000));
  normaliseMetadata({ ["k".repeat(40)]: "💳".repeat(500) });
  normaliseMetadata(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, "x"])));
  normaliseMetadata(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i < 50 ? "x" : null])));
});
