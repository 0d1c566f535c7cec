import type { CardId, CustomerId, Id, InvoiceId, TransactionId } from "../../kernel/ids.ts";
import type { CalendarDay } from "../../kernel/time.ts";

export type CardChargeId = Id<"chg">;

/** Interface 3.8. */
export const CARD_CHARGE_STATUSES = ["pending", "complete", "failed"] as const;
export type CardChargeStatus = (typeof CARD_CHARGE_STATUSES)[number];

/** A charge of a saved card (interface 2.9). Its amount, description and metadata are those of its transaction. */
export interface CardCharge {
  readonly id: CardChargeId;
  readonly transactionId: TransactionId;
  readonly customerId: CustomerId;
  readonly cardId: CardId;
  readonly status: CardChargeStatus;
  /** The merchant's own reference; null for a charge that was not made through the API. */
  readonly externalReference: string | null;
  /**
   * Whether the external reference is reserved, so that no other charge may have it; when several charges of it succeed
   * late, one reserves it.
   */
  readonly holdsReference: boolean;
  /** The invoice for which the default card was charged when it fell due; null for any other charge. */
  readonly dueInvoiceId: InvoiceId | null;
  /** Whether it collected a subscription: it does not count for the customer's limits, since the customer did not start it. */
  readonly isCollection: boolean;
  /** The South African day, by the organisation's clock, on which it was requested. */
  readonly chargeDay: CalendarDay;
  /** Why it failed; null for one that has not. */
  readonly failureReason: string | null;
}
