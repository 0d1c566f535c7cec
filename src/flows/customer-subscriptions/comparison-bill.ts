import { ZERO } from "../../kernel/money.ts";
import type { ExternalSpan } from "../../modules/customer-subscriptions/rules/planner/external.ts";
import { comparisonBill } from "../../modules/customer-subscriptions/rules/planner/external.ts";
import type { Terms } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { ComparisonBill } from "../../modules/external-periods/types.ts";

/** The bill that the service would have made for a recorded period; none for a trial. */
export function comparisonOf(terms: Terms, { isTrial, ...span }: ExternalSpan): ComparisonBill {
  const { taxInclusive } = terms.price;
  if (isTrial) return { subtotal: ZERO, tax: ZERO, total: ZERO, taxInclusive, lines: [] };
  const { subtotal, tax, total, lines } = comparisonBill(terms, span);
  return { subtotal, tax, total, taxInclusive, lines };
}
