import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { type Decimal, toDecimal } from "./decimal.ts";
import { inRand } from "./exchange.ts";
import { cents } from "./money.ts";

describe("an amount in rand", () => {
  for (const [amount, rate, expected] of [
    [1500, "18.5012", 27752],
    [1, "0.5", 1],
    [1, "0.499999", 0],
    [-1, "0.5", -1],
    [0, "18", 0],
    [100, "1", 100],
    [100, "0.000001", 0],
    [1_000_000_000_00, "18.501234", 1_850_123_400_000],
  ] as const)
    test(`${amount} at ${rate} is ${expected}`, () =>
      assert.equal(inRand(cents(amount), { rate: rate as Decimal }), expected));

  test("is never more than half a cent off, and the same below zero", () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 1, max: 1e8 }), (amount, millionths) => {
        const rate = toDecimal(millionths / 1e6);
        const exact = BigInt(amount) * BigInt(millionths);
        const shown = BigInt(inRand(cents(amount), { rate })) * 1_000_000n;
        const off = shown > exact ? shown - exact : exact - shown;
        assert(off * 2n <= 1_000_000n);
        assert.equal(inRand(cents(-amount), { rate }), 0 - inRand(cents(amount), { rate }));
      }),
    ));
});
