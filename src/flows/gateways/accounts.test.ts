import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayAdapter } from "../../gateways/contract.ts";
import { findAdapter } from "../../gateways/registry.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import { takesAmount } from "./accounts.ts";

const sandbox = findAdapter("sandbox") ?? assert.fail();

const adapterOf = (minimumAmounts: Record<string, Cents>, sandboxTakesAll?: true): GatewayAdapter => ({
  ...sandbox,
  checkout: {
    ...(sandbox.checkout ?? assert.fail()),
    minimumAmounts,
    ...(sandboxTakesAll ? { sandboxTakesAll } : {}),
  },
});

// A gateway's smallest amount, then an amount and its currency, and whether the gateway accepts it.
for (const [minimum, amount, currency, taken] of [
  [{}, 1, "ZAR", true],
  [{ ZAR: cents(500) }, 100, "ZAR", false],
  [{ ZAR: cents(500) }, 499, "ZAR", false],
  [{ ZAR: cents(500) }, 500, "ZAR", true],
  [{ ZAR: cents(500) }, 100, "USD", true],
] as const)
  test(`a gateway that takes at least ${JSON.stringify(minimum)} ${taken ? "takes" : "refuses"} ${amount} ${currency}`, () =>
    assert.equal(
      takesAmount({ account: { mode: "sandbox" }, adapter: adapterOf(minimum) }, cents(amount), currency),
      taken,
    ));

test("a smallest amount that holds for live payments alone holds for no sandbox account", () => {
  const adapter = adapterOf({ ZAR: cents(500) }, true);
  const takes = (mode: "live" | "sandbox") => takesAmount({ account: { mode }, adapter }, cents(100), "ZAR");
  assert.deepEqual([takes("live"), takes("sandbox")], [false, true]);
});
