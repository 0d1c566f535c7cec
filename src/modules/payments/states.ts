import type { RefundStatus } from "../../kernel/refund.ts";
import type { TransactionStatus } from "./types.ts";

/** Interface 3.1: news of a payment moves it forward along this list and never back; refunds are in no list, so never move by news. */
export const FORWARD = ["pending", "cancelled", "failed", "complete"] as const;
export type ForwardStatus = (typeof FORWARD)[number];

/** The statuses from which a payment moves to `to`. */
export const statusesBefore = (to: ForwardStatus): readonly ForwardStatus[] => FORWARD.slice(0, FORWARD.indexOf(to));

/** Statuses from which money can be given back (interface 3.1). */
export const isRefundable = (status: TransactionStatus): boolean =>
  status === "complete" || status === "partially_refunded";

/** Where refunds of `refunded` in all leave a completed payment of `amount` (interface 3.1). */
export function afterRefunds(amount: number, refunded: number): "complete" | "partially_refunded" | "refunded" {
  if (refunded <= 0) return "complete";
  return refunded < amount ? "partially_refunded" : "refunded";
}

const REFUND_FORWARD: readonly RefundStatus[] = ["requested", "pending", "processed", "failed"];
const REFUND_STATUS_OF = { pending: "pending", processed: "processed", refused: "failed" } as const;

/**
 * Where a refund goes when its gateway says so; null when it is already there or further. It can fail after it was processed (the money
 * comes back to the merchant), never the other way round, so any order of facts ends at the same status.
 */
export function moveRefund(
  from: RefundStatus,
  said: keyof typeof REFUND_STATUS_OF,
): (typeof REFUND_STATUS_OF)[keyof typeof REFUND_STATUS_OF] | null {
  const to = REFUND_STATUS_OF[said];
  return REFUND_FORWARD.indexOf(to) > REFUND_FORWARD.indexOf(from) ? to : null;
}
