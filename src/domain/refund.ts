import type { RefundId, TransactionId } from "../kernel/ids.ts";
import type { Cents } from "../kernel/money.ts";
import type { Instant } from "../kernel/time.ts";

/** `requested`: sent to the gateway, without a clear answer yet. */
export type RefundStatus = "requested" | "pending" | "processed" | "failed";

/** A refund (interface 2.7, `refunds`), as payments show it and the store keeps it. */
export interface Refund {
  readonly id: RefundId;
  readonly transactionId: TransactionId;
  readonly refundNumber: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly method: "gateway" | "manual";
  /** Staff made it in the gateway's own dashboard: it was not requested here. */
  readonly madeElsewhere: boolean;
  /** A credit note of the payment's invoice is issued for it when it is booked. */
  readonly withCreditNote: boolean;
  readonly status: RefundStatus;
  readonly reason: string | null;
  readonly providerRef: string | null;
  readonly failure: string | null;
  readonly processedAt: Instant | null;
  readonly createdAt: Instant;
}
