import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import { priceInWords } from "./portal-subscription.ts";

test("a price says whether VAT is in it, comes on top, or is none as it is exempt", () => {
  const price = { amount: cents(5_000), frequency: "monthly" } as const;
  const cases = [
    [{ taxInclusive: false }, "R\u00a050.00 every month, plus VAT"],
    [{ taxInclusive: true }, "R\u00a050.00 every month, VAT included"],
    [{ taxInclusive: false, taxExempt: true }, "R\u00a050.00 every month, exempt from VAT"],
    [{ taxInclusive: true, taxExempt: true }, "R\u00a050.00 every month, exempt from VAT"],
  ] as const;
  for (const [vat, words] of cases) {
    assert.equal(priceInWords({ ...price, ...vat }, "ZAR"), words);
    assert.equal(priceInWords({ ...price, ...vat, amount: cents(0) }, "ZAR"), "Free");
  }
});
