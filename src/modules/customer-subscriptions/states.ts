import { isInvoiced } from "./rules/planner/bills.ts";
import type { Outcome } from "./rules/planner/types.ts";
import type { CustomerSubscription, CustomerSubscriptionStatus } from "./types.ts";

/**
 * The status that what the planner answered leads to (interface 3.11). A subscription with `paidThrough` is active at once; one whose first charge
 * is of zero is active without a payment. One that is collected from a card waits, pending, until its first charge is paid, unless it has a card
 * by then (interface 16.14).
 */
export function statusAfter(
  { after, ends, bills }: Pick<Outcome, "after" | "ends" | "bills">,
  before: Pick<CustomerSubscription, "status" | "collectionMethod" | "card">,
): CustomerSubscriptionStatus {
  if (ends) return ends.why;
  const { period, cyclesBilled } = after;
  if (period === null) return "scheduled";
  if (period.paid === null && cyclesBilled === 0) return "trialing";
  const charged = bills.some((bill) => bill.kind === "first" && isInvoiced(bill));
  const waits = before.status === "pending" || (charged && before.card === null);
  return before.collectionMethod === "gateway" && waits ? "pending" : "active";
}

/** Whether it has ended; only a reactivation follows. */
export const hasEnded = ({ status }: Pick<CustomerSubscription, "status">): boolean =>
  status === "cancelled" || status === "expired";

/** Whether the service bills it by itself when something falls due; not before its first charge was paid. */
export const isBilled = (of: Pick<CustomerSubscription, "status" | "collectionMethod">): boolean =>
  !hasEnded(of) && of.status !== "paused" && of.status !== "pending" && of.collectionMethod !== "external";
