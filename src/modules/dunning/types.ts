import type { CardId, CustomerSubscriptionId, Id, InvoiceId, TransactionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/**
 * How the collection of an invoice ended. `stopped`: its subscription ended or was paused; `given_up`: after the last
 * attempt; `taken_back`: a bank reversed its payment (decisions.md#no-card-charge-after-a-chargeback).
 */
export const COLLECTION_ENDS = ["paid", "cancelled", "stopped", "given_up", "taken_back"] as const;
export type CollectionEnd = (typeof COLLECTION_ENDS)[number];

/** An invoice of a subscription that the service collects automatically: from a stored card, or by debit order (interface 16.14, 16.16). */
export interface Collection {
  readonly invoiceId: InvoiceId;
  readonly subscriptionId: CustomerSubscriptionId;
  /** When the first attempt failed; the days of retries are counted from it. Null while none has failed. */
  readonly missedAt: Instant | null;
  /** The number of the settings' retries that were made. */
  readonly retries: number;
  /** Whether the last card will never pay: only a new one is tried. */
  readonly isHard: boolean;
  /** A card that became the customer's default, to be tried once. */
  readonly newCardId: CardId | null;
  /** Null while it is being collected. */
  readonly ended: CollectionEnd | null;
  readonly createdAt: Instant;
}

/** The cause of an attempt. `request`: staff or the merchant's system asked for it. */
export const ATTEMPT_CAUSES = ["renewal", "retry", "new_card", "request", "debit_day"] as const;
export type AttemptCause = (typeof ATTEMPT_CAUSES)[number];

/** As the charge of a saved card (interface 3.8); `cancelled`: a debit that was not sent to any bank. */
export const ATTEMPT_STATUSES = ["pending", "complete", "failed", "cancelled"] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** One attempt to collect an invoice of a subscription. */
export interface Attempt {
  readonly id: Id<"att">;
  readonly subscriptionId: CustomerSubscriptionId;
  readonly invoiceId: InvoiceId;
  readonly cause: AttemptCause;
  /** Null when no gateway could be asked, such as without a card. */
  readonly transactionId: TransactionId | null;
  readonly status: AttemptStatus;
  /** Why it failed or was cancelled, for people; null unless it did. */
  readonly reason: string | null;
  /** Whether its card will never pay. */
  readonly isHard: boolean;
  readonly createdAt: Instant;
}

/** An attempt as its timeline shows it. */
export interface ShownAttempt extends Attempt {
  readonly invoiceNumber: string;
  readonly reference: string | null;
  /** When the next attempt is made automatically; null when none comes. */
  readonly nextAt: Instant | null;
  /** The last amount of its payment that a bank reversed. */
  readonly reversal: { readonly amount: Cents; readonly reason: string; readonly reversedAt: Instant } | null;
}

/** Collections that failed, of one outcome. */
export interface RecoveryTotal {
  readonly outcome: "recovered" | "retrying" | "lost";
  /** Whether the collection was retried at least once. */
  readonly retried: boolean;
  /** The totals of their invoices. */
  readonly amount: Cents;
  readonly count: number;
}
