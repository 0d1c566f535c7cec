import type { RefundStatus } from "../../domain/refunds.ts";

const REFUND_FORWARD: readonly RefundStatus[] = ["requested", "pending", "processed", "failed"];
const REFUND_STATUS_OF = { pending: "pending", processed: "processed", refused: "failed" } as const;

/**
 * The status of a refund after its gateway's report; null when it has that status or a later one. A processed refund can still fail
 * (the money returns to the merchant), but a failed one stays failed, so any order of reports leads to the same status.
 */
export function moveRefund(
  from: RefundStatus,
  said: keyof typeof REFUND_STATUS_OF,
): (typeof REFUND_STATUS_OF)[keyof typeof REFUND_STATUS_OF] | null {
  const to = REFUND_STATUS_OF[said];
  return REFUND_FORWARD.indexOf(to) > REFUND_FORWARD.indexOf(from) ? to : null;
}
