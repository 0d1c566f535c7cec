import assert from "node:assert/strict";
import { test } from "node:test";
import { median, percentile } from "./statistics.ts";

test("the median of odd, even and no values", () => {
  assert.equal(median([5, 1, 30]), 5);
  assert.equal(median([4, 1, 2, 30]), 3);
  assert.ok(Number.isNaN(median([])));
});

test("a percentile by nearest rank", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.equal(percentile(hundred, 0.99), 99);
  assert.equal(percentile(hundred, 0.5), 50);
  assert.equal(percentile([7], 0.99), 7);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});
