import type { Outcome } from "./rules/planner/types.ts";
import type { CustomerSubscription, CustomerSubscriptionStatus } from "./types.ts";

/**
 * The status that what the planner answered leads to (interface 3.11). A subscription with `paidThrough` is active at once; one whose first charge
 * is of zero is active without a payment.
 */
export function statusAfter({ after, ends }: Pick<Outcome, "after" | "ends">): CustomerSubscriptionStatus {
  if (ends) return ends.why;
  const { period, cyclesBilled } = after;
  if (period === null) return "scheduled";
  return period.paid === null && cyclesBilled === 0 ? "trialing" : "active";
}

/** Whether it has ended; only a reactivation follows. */
export const hasEnded = ({ status }: Pick<CustomerSubscription, "status">): boolean =>
  status === "cancelled" || status === "expired";

/** Whether the service bills it by itself when something falls due. */
export const isBilled = (of: Pick<CustomerSubscription, "status" | "collectionMethod">): boolean =>
  !hasEnded(of) && of.status !== "paused" && of.collectionMethod !== "external";
