import type { RefundId, TransactionId } from "./ids.ts";
import type { Cents } from "./money.ts";
import type { Instant } from "./time.ts";

/** `requested`: put to the gateway, which has not clearly answered. */
export type RefundStatus = "requested" | "pending" | "processed" | "failed";

/** Money given back (interface 2.7, `refunds`); shared by the payment that shows it and the store that keeps it. */
export interface Refund {
  readonly id: RefundId;
  readonly transactionId: TransactionId;
  readonly refundNumber: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly method: "gateway" | "manual";
  readonly status: RefundStatus;
  readonly reason: string | null;
  readonly providerRef: string | null;
  readonly failure: string | null;
  readonly processedAt: Instant | null;
  readonly createdAt: Instant;
}
