import { MONTHS } from "../../../kernel/frequency.ts";
import { type Cents, roundFraction, ZERO } from "../../../kernel/money.ts";
import type { CustomerSubscription } from "../types.ts";
import { regularPrice } from "./planner/prices.ts";

/**
 * The monthly recurring revenue of a subscription, in cents (interface 14.4): the price of its plan and add-ons for a period, divided into
 * months, without VAT, coupon, discounts, credits and usage. Zero while it is not active (scheduled, pending, in its trial, paused, ended), and
 * in mirror mode, where another platform collects it.
 */
export function mrrOf({
  status,
  collectionMethod,
  state,
}: Pick<CustomerSubscription, "status" | "collectionMethod" | "state">): Cents {
  const runs = (status === "active" || status === "past_due") && collectionMethod !== "external";
  if (!runs) return ZERO;
  return roundFraction(BigInt(regularPrice(state.terms).subtotal), BigInt(MONTHS[state.terms.price.frequency]));
}
