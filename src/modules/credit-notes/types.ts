import type { Decimal } from "../../kernel/decimal.ts";
import type { CreditNoteId, CustomerId, InvoiceId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 4.14. */
export const CREDIT_NOTE_STATUSES = ["issued", "applied", "partially_applied"] as const;
export type CreditNoteStatus = (typeof CREDIT_NOTE_STATUSES)[number];

/** What an invoice took of a credit note. */
export interface Application {
  readonly invoiceId: InvoiceId;
  readonly amount: Cents;
  readonly appliedAt: Instant;
}

/** Interface 2.14, credit note; amounts are with VAT. */
export interface CreditNote {
  readonly id: CreditNoteId;
  readonly number: string;
  readonly status: CreditNoteStatus;
  readonly customerId: CustomerId;
  /** The invoice it corrects (VAT Act, section 21); it may be applied to others. */
  readonly correctsInvoiceId: InvoiceId | null;
  readonly currency: string;
  readonly taxRate: Decimal;
  /** VAT within `amount`. */
  readonly tax: Cents;
  readonly amount: Cents;
  readonly remaining: Cents;
  readonly reason: string;
  /** The payment it credits; at most one credit note a payment (interface 4.11). */
  readonly transactionReference: string | null;
  /** Oldest first. */
  readonly applications: readonly Application[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
