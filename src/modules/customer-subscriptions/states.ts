import type { Outcome } from "./rules/planner/types.ts";
import type { StoredStatus } from "./types.ts";

/**
 * The status that what the planner answered leads to (interface 3.11). A subscription with `paidThrough` is active at once; one whose first charge
 * is of zero is active without a payment.
 */
export function statusAfter({ after, ends }: Pick<Outcome, "after" | "ends">): StoredStatus {
  if (ends) return ends.why;
  const { period, cyclesBilled } = after;
  if (period === null) return "scheduled";
  return period.paid === null && cyclesBilled === 0 ? "trialing" : "active";
}
