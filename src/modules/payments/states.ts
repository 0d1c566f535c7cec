import type { Cents } from "../../kernel/money.ts";
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

/** The status of a completed payment of `amount` after refunds of `refunded` (interface 3.1). */
export function afterRefunds(amount: Cents, refunded: Cents): "complete" | "partially_refunded" | "refunded" {
  if (refunded <= 0) return "complete";
  return refunded < amount ? "partially_refunded" : "refunded";
}
