import type { CustomerId, Id, InvoiceId, InvoicePaymentId, ReversalId, TransactionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

export type CreditRefundId = Id<"crf">;

/**
 * The source of customer credit: a payment of more than was owed, or of an invoice that was cancelled, or a line of a
 * bank statement of which staff have marked a part as overpaid.
 */
export type CreditSource =
  | { readonly kind: "transaction"; readonly id: TransactionId; readonly reference: string }
  | { readonly kind: "invoice_payment"; readonly id: InvoicePaymentId; readonly invoiceId: InvoiceId }
  | {
      readonly kind: "bank_line";
      /** The match. */
      readonly id: string;
      readonly place: number;
      readonly itemId: string;
    };

/** The credit of one payment that was, or can be, paid out; in cents. */
export interface CreditPart {
  readonly source: CreditSource;
  readonly amount: Cents;
}

/** Credit that was paid out to a customer (interface 18.1). */
export interface CreditRefund {
  readonly id: CreditRefundId;
  readonly customerId: CustomerId;
  readonly currency: string;
  readonly amount: Cents;
  readonly method: "manual";
  readonly reason: string | null;
  readonly parts: readonly CreditPart[];
  readonly createdAt: Instant;
}

export type CreditApplicationId = Id<"cap">;

/** Credit of one payment that was applied to an invoice of the same customer (interface 18.1). */
export interface CreditApplication extends CreditPart {
  readonly id: CreditApplicationId;
  readonly customerId: CustomerId;
  readonly currency: string;
  readonly invoiceId: InvoiceId;
  /**
   * Of an amount below zero: the application of which it takes back, and the bank's reversal; no reversal where the
   * invoice was cancelled, or the application undone.
   */
  readonly takesBack: { readonly application: CreditApplicationId; readonly reversal: ReversalId | null } | null;
  readonly appliedAt: Instant;
}
