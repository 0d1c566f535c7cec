import type { RefundStatus } from "../../domain/refund.ts";
import type { TransactionStatus } from "./types.ts";

/**
 * Reported statuses move a payment forward along this list and never back (interface 3.1, decisions.md#late-success-wins). Refunded
 * statuses are not in the list, so no report changes them.
 */
export const FORWARD = ["pending", "cancelled", "failed", "complete"] as const;
export type ForwardStatus = (typeof FORWARD)[number];

/** The statuses from which a payment can move to `to`. */
export const statusesBefore = (to: ForwardStatus): readonly ForwardStatus[] => FORWARD.slice(0, FORWARD.indexOf(to));

/** Whether a payment with this status can be refunded (interface 3.1). */
export const isRefundable = (status: TransactionStatus): boolean =>
  status === "complete" || status === "partially_refunded";

/** The status of a completed payment of `amount` cents after refunds of `refunded` cents (interface 3.1). */
export function afterRefunds(amount: number, refunded: number): "complete" | "partially_refunded" | "refunded" {
  if (refunded <= 0) return "complete";
  return refunded < amount ? "partially_refunded" : "refunded";
}

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
