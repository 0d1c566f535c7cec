import assert from "node:assert/strict";
import { test } from "node:test";
import { addDecimals, type Decimal } from "./decimal.ts";

test("decimals are added exactly", () => {
  for (const [one, other, sum] of [
    ["0", "0", "0"],
    ["0.1", "0.2", "0.3"],
    ["5", "0.5", "5.5"],
    ["0.000001", "0.000009", "0.00001"],
    ["9.75", "0.25", "10"],
    ["1000000000", "0.000001", "1000000000.000001"],
    ["10", "90", "100"],
  ])
    assert.equal(addDecimals(one as Decimal, other as Decimal), sum);
});
