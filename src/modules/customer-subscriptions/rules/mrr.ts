import { MONTHS } from "../../../kernel/frequency.ts";
import { type Cents, roundFraction, ZERO } from "../../../kernel/money.ts";
import type { CustomerSubscription } from "../types.ts";
import { regularPrice, unitIn } from "./planner/prices.ts";

/**
 * The monthly recurring revenue of a subscription, in cents, rounded to its currency's unit (interface 14.4): the price
 * of its plan and add-ons for a period, divided into months, without VAT, coupon, discounts, credits and usage
 * (decisions.md#recurring-revenue-is-kept). Zero while it is not active (scheduled, pending, in its trial, paused,
 * ended), and in mirror mode, where another platform collects it. Figures add up what is stored with each subscription;
 * `verify` alone reckons it again, in SQL and by its own means.
 */
export function mrrOf({
  status,
  collectionMethod,
  state,
}: Pick<CustomerSubscription, "status" | "collectionMethod" | "state">): Cents {
  const runs = (status === "active" || status === "past_due") && collectionMethod !== "external";
  if (!runs) return ZERO;
  const { price } = state.terms;
  return roundFraction(BigInt(regularPrice(state.terms).subtotal), BigInt(MONTHS[price.frequency]), unitIn(price));
}
