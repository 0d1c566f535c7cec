import type { Decimal } from "../../kernel/decimal.ts";
import type { Exemption } from "../../kernel/exemption.ts";
import type { CreditNoteId, CustomerId, InvoiceId, RefundId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** The statuses of a credit note (interface 4.14). */
export const CREDIT_NOTE_STATUSES = ["issued", "applied", "partially_applied"] as const;
export type CreditNoteStatus = (typeof CREDIT_NOTE_STATUSES)[number];

/** A part of a credit note that was applied to an invoice. */
export interface Application {
  readonly invoiceId: InvoiceId;
  readonly amount: Cents;
  readonly appliedAt: Instant;
}

/** A line of a credit note, in cents. */
export interface CreditNoteLine extends Exemption {
  readonly description: string;
  /** Percent. */
  readonly taxRate: Decimal;
  /** VAT within `amount`. */
  readonly tax: Cents;
  readonly amount: Cents;
}

/** A credit note (interface 2.14); amounts include VAT. When its lines have a VAT mark, the note has none. */
export interface CreditNote extends Exemption {
  readonly id: CreditNoteId;
  readonly number: string;
  readonly status: CreditNoteStatus;
  readonly customerId: CustomerId;
  /** The invoice it corrects (VAT Act, section 21); it may be applied to others. */
  readonly correctsInvoiceId: InvoiceId | null;
  readonly currency: string;
  /** Percent; null when each line has its own. */
  readonly taxRate: Decimal | null;
  /** Empty when the note has one rate. */
  readonly lines: readonly CreditNoteLine[];
  /** VAT within `amount`. */
  readonly tax: Cents;
  readonly amount: Cents;
  readonly remaining: Cents;
  readonly reason: string;
  /** The payment that it credits; a payment has at most one credit note (interface 4.11). */
  readonly transactionReference: string | null;
  /** The refund with which it was issued, and which settles it. */
  readonly refundId: RefundId | null;
  /** Oldest first. */
  readonly applications: readonly Application[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
