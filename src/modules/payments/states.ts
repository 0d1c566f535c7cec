import type { TransactionStatus } from "./types.ts";

/** Spec 3.1: news of a payment moves it forward along this list and never back; refunds are in no list, so never move by news. */
export const FORWARD = ["pending", "cancelled", "failed", "complete"] as const;
export type ForwardStatus = (typeof FORWARD)[number];

/** The statuses from which a payment moves to `to`. */
export const earlierThan = (to: ForwardStatus): readonly ForwardStatus[] => FORWARD.slice(0, FORWARD.indexOf(to));

/** Statuses from which money can be given back (spec 3.1). */
export const isRefundable = (status: TransactionStatus): boolean =>
  status === "complete" || status === "partially_refunded";

/** Where refunds of `refunded` in all leave a completed payment of `amount` (spec 3.1). */
export function afterRefunds(amount: number, refunded: number): "complete" | "partially_refunded" | "refunded" {
  if (refunded <= 0) return "complete";
  return refunded < amount ? "partially_refunded" : "refunded";
}
