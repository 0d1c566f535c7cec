import { ZERO } from "../../kernel/money.ts";
import type { RecordedSpan } from "../../modules/customer-subscriptions/rules/planner/recorded.ts";
import { shadowBill } from "../../modules/customer-subscriptions/rules/planner/recorded.ts";
import type { Terms } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { ShadowBill } from "../../modules/recorded-periods/types.ts";

/** The bill that the service would have made for a recorded period; none for a trial. */
export function shadowOf(terms: Terms, { isTrial, ...span }: RecordedSpan): ShadowBill {
  const { taxInclusive } = terms.price;
  if (isTrial) return { subtotal: ZERO, tax: ZERO, total: ZERO, taxInclusive, lines: [] };
  const { subtotal, tax, total, lines } = shadowBill(terms, span);
  return { subtotal, tax, total, taxInclusive, lines };
}
