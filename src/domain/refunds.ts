import type { RefundId, TransactionId } from "../kernel/ids.ts";
import type { Cents } from "../kernel/money.ts";
import type { Instant } from "../kernel/time.ts";
import { part } from "../platform/database.ts";

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

/** Statuses of a refund that is in the books: its gateway accepted it, and it has not failed. In SQL: `r.status ${IN_BOOKED}`. */
export const IN_BOOKED = part`in ('pending', 'processed')`;

/** Statuses of a refund whose gateway has not said how it ended. In SQL: `r.status ${IN_UNDECIDED}`. */
export const IN_UNDECIDED = part`in ('requested', 'pending')`;

/** As `IN_BOOKED`: whether the refund is in the books, though its gateway may still be making it. */
export const isBooked = ({ status }: Pick<Refund, "status">): boolean => status === "pending" || status === "processed";
