import { billOf } from "./bills.ts";
import { chargesOfPeriod } from "./charges.ts";
import { daysOfExternal } from "./periods.ts";
import type { Bill, Span, Terms } from "./types.ts";

/**
 * The bill that the service would have made for a period that another platform has billed (shadow billing): the plan
 * and its add-ons, without coupon and credits.
 */
export function comparisonBill(terms: Terms, span: Span): Bill {
  const days = daysOfExternal(span, terms.price.frequency);
  const { charges } = chargesOfPeriod({ terms, coupon: null, discounts: [] }, { ...span, ...days }, []);
  return billOf({ kind: "cycle", cycle: 0, date: span.start, ...span }, terms.price, charges, []).bill;
}
