import type { CustomerReference } from "../../domain/customer-reference.ts";
import type { DepositTerms } from "../../kernel/deposits.ts";
import type { Discount } from "../../kernel/discounts.ts";
import type { InvoiceId, QuoteId } from "../../kernel/ids.ts";
import type { PricedLine, Totals } from "../../kernel/lines.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** The statuses of a quote (interface 2.6). */
export const QUOTE_STATUSES = ["draft", "sent", "accepted", "declined", "expired", "invoiced"] as const;
export type QuoteStatus = (typeof QUOTE_STATUSES)[number];

/** The most characters of the name of the person who accepts. */
export const ACCEPTED_BY_MAX = 100;

/** The invoice a quote was converted into, as the quote shows it (interface 2.6). */
export interface QuotedInvoice {
  readonly id: InvoiceId;
  readonly number: string;
  readonly status: string;
  readonly externalReference: string | null;
}

/** A quote (interface 2.6). */
export interface Quote extends Totals, DepositTerms {
  readonly id: QuoteId;
  readonly number: string;
  /** As stored; `statusAt` gives the status at a moment. */
  readonly status: QuoteStatus;
  readonly customer: CustomerReference;
  readonly currency: string;
  readonly issueDate: CalendarDay;
  /** The last valid day. */
  readonly expiryDate: CalendarDay | null;
  /** Billing period, both days inclusive; both or neither. */
  readonly periodStart: CalendarDay | null;
  readonly periodEnd: CalendarDay | null;
  /** Whether prices and amounts of its lines include VAT. */
  readonly taxInclusive: boolean;
  readonly lines: readonly PricedLine[];
  /** Off the sum of the lines, in the terms of their prices. */
  readonly discount: Discount | null;
  readonly notes: string | null;
  readonly invoice: QuotedInvoice | null;
  /** The time of the last change to this status; kept when the status changes again. */
  readonly sentAt: Instant | null;
  readonly acceptedAt: Instant | null;
  /** Who accepted it on its page, in their own words; null when staff did, and for one that was accepted without a name. */
  readonly acceptedBy: string | null;
  readonly declinedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
