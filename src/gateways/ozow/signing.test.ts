import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf, isHash } from "./signing.ts";

/** The documented example, and the same made with `printf '%s' tstste0001zazar1.00a1a1truesecret | sha512sum`. */
const EXAMPLE =
  "17ac786fdfb7805bb2b9a29f1954dfe57df2be3513d0af7d46c285079b6bff256606dffd2d0c5124f06e26ba79b6f00768bd8666d849e89fa72faacb8a387fac";
const VALUES = ["TSTSTE0001", "ZA", "ZAR", "1.00", "A1", "A1", "true"];

test("the hash is the documented one", () => assert.equal(hashOf(VALUES, "secret"), EXAMPLE));

test("a hash is of the very text, the key and the order", () => {
  for (const other of [
    hashOf(VALUES.with(3, "1"), "secret"),
    hashOf(VALUES, "secret2"),
    hashOf(VALUES.toReversed(), "secret"),
    hashOf([...VALUES, "x"], "secret"),
  ])
    assert.notEqual(other, EXAMPLE);
  assert.equal(hashOf(["tstste0001", ...VALUES.slice(1)], "SECRET"), EXAMPLE);
  assert.throws(() => hashOf(VALUES, ""), /needs a key/);
});

const ZEROS = `00${EXAMPLE.slice(2)}`;
for (const [what, given, expected, same] of [
  ["as it is", EXAMPLE, EXAMPLE, true],
  ["in capitals", EXAMPLE.toUpperCase(), EXAMPLE, true],
  ["without leading zeros", ZEROS.slice(2), ZEROS, true],
  ["with zeros more", `0${EXAMPLE}`, EXAMPLE, true],
  ["cut short", EXAMPLE.slice(0, -1), EXAMPLE, false],
  ["without a digit in front", EXAMPLE.slice(1), EXAMPLE, false],
  ["with another digit", EXAMPLE.replace("1", "2"), EXAMPLE, false],
  ["empty", "", EXAMPLE, false],
  ["all zeros", "0".repeat(128), EXAMPLE, false],
  ["missing", null, EXAMPLE, false],
] as const)
  test(`a hash ${what} is ${same ? "the" : "not the"} expected one`, () => assert.equal(isHash(given, expected), same));
