import type { ReversalId, TransactionId } from "../kernel/ids.ts";
import type { Cents } from "../kernel/money.ts";
import type { Instant } from "../kernel/time.ts";

/**
 * Money of a payment that a bank reversed (interface 2.7, `reversals`), as payments show it and the store keeps it.
 */
export interface Reversal {
  readonly id: ReversalId;
  readonly transactionId: TransactionId;
  /**
   * Of a reversal that waits, what the gateway reported; of one that was posted, at most what was left of the payment.
   * Below zero: the money of another reversal came back, because the merchant won the dispute.
   */
  readonly amount: Cents;
  /** The reversal whose money came back; null unless the amount is below zero. */
  readonly givesBack: ReversalId | null;
  readonly reason: string;
  /** The bank's or gateway's code. */
  readonly code: string | null;
  /** Whether it must not be collected again by itself, such as a disputed debit. */
  readonly isHard: boolean;
  /** By the gateway. */
  readonly occurredAt: Instant | null;
  /** When it was posted; null while its payment has not completed. */
  readonly reversedAt: Instant | null;
  readonly createdAt: Instant;
}
