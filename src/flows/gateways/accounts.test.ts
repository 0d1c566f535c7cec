import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayAdapter } from "../../gateways/contract.ts";
import { findAdapter } from "../../gateways/registry.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import { takesAmount } from "./accounts.ts";

const sandbox = findAdapter("sandbox") ?? assert.fail();

const adapterOf = (minimumAmounts: Record<string, Cents>): GatewayAdapter => ({
  ...sandbox,
  checkout: { ...(sandbox.checkout ?? assert.fail()), minimumAmounts },
});

// What a gateway takes at least, then an amount and its currency, and whether it takes it.
for (const [minimum, amount, currency, taken] of [
  [{}, 1, "ZAR", true],
  [{ ZAR: cents(500) }, 100, "ZAR", false],
  [{ ZAR: cents(500) }, 499, "ZAR", false],
  [{ ZAR: cents(500) }, 500, "ZAR", true],
  [{ ZAR: cents(500) }, 100, "USD", true],
] as const)
  test(`a gateway that takes at least ${JSON.stringify(minimum)} ${taken ? "takes" : "refuses"} ${amount} ${currency}`, () =>
    assert.equal(takesAmount({ adapter: adapterOf(minimum) }, cents(amount), currency), taken));
