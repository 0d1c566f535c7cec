import type { CustomerReference } from "../../domain/customer-reference.ts";
import type { LineReason } from "../../domain/line-reason.ts";
import type { Discount } from "../../kernel/discounts.ts";
import type { Exchange } from "../../kernel/exchange.ts";
import type { InvoiceId, InvoicePaymentId, PaymentLinkId, QuoteId } from "../../kernel/ids.ts";
import type { PricedLine, Totals } from "../../kernel/lines.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import type { PaymentMethod } from "../../kernel/payment-methods.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** Interface 2.5. */
export const INVOICE_STATUSES = ["draft", "sent", "overdue", "partially_paid", "paid", "cancelled"] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** What an invoice of a customer subscription bills (interface 2.5). */
export const INVOICE_CHARGES = ["first", "cycle", "recovery", "setup", "proration"] as const;
export type InvoiceCharge = (typeof INVOICE_CHARGES)[number];

/** A line of an invoice. In a customer subscription's invoice it has the reason of its amount. */
export interface InvoiceLine extends PricedLine {
  readonly reason?: LineReason;
}

/** An invoice (interface 2.5), with its customer and pay link. */
export interface Invoice extends Totals {
  readonly id: InvoiceId;
  readonly number: string;
  readonly status: InvoiceStatus;
  readonly externalReference: string | null;
  readonly customer: CustomerReference;
  readonly currency: string;
  /** At which rate it is reckoned in rand; null for one in rand, and while no rate is known. */
  readonly exchange: Exchange | null;
  /** It was made by itself while no rate was known, and gets the next that the settings are given. */
  readonly awaitsExchange: boolean;
  readonly issueDate: CalendarDay;
  readonly dueDate: CalendarDay | null;
  /** Prices were given with VAT, which was taken out of them (interface 16.11). The amounts of lines exclude VAT also then. */
  readonly taxInclusive: boolean;
  readonly lines: readonly InvoiceLine[];
  /** Off the sum of the lines, without VAT. */
  readonly discount: Discount | null;
  /** The part that its payer is asked to pay first, as the quote asked for it; 0 without one. */
  readonly deposit: Cents;
  /** Payments and credits applied, in cents. */
  readonly paid: Cents;
  readonly notes: string | null;
  readonly metadata: Metadata;
  readonly periodStart: CalendarDay | null;
  readonly periodEnd: CalendarDay | null;
  /** Null unless the invoice is of a customer subscription. */
  readonly charge: InvoiceCharge | null;
  /** Which bill of the subscription it is, from 1; null unless it is of a customer subscription. */
  readonly cycle: number | null;
  /** The quote it was converted from. */
  readonly quoteId: QuoteId | null;
  /** Null when no link could be created, or it is inactive. */
  readonly payLinkId: PaymentLinkId | null;
  /** When it left draft; it is in the books from then on. */
  readonly issuedAt: Instant | null;
  /** When it was changed last, as a draft; it may differ from its quote since. */
  readonly editedAt: Instant | null;
  readonly sentAt: Instant | null;
  readonly paidAt: Instant | null;
  readonly cancelledAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The rate of a currency. */
export interface ExchangeOf extends Exchange {
  readonly currency: string;
}

/** An invoice without its lines. */
export type InvoiceHead = Omit<Invoice, "lines">;

/** An invoice as other records refer to it. */
export type InvoiceReference = Pick<
  Invoice,
  "id" | "number" | "status" | "dueDate" | "externalReference" | "total" | "paid"
>;

/** An allocation: a payment or credit that reduced the balance of an invoice, or a reversal that raised it. */
export type Allocation = {
  readonly id: InvoicePaymentId;
  readonly amount: Cents;
  readonly paidAt: Instant;
} & (
  | { readonly source: "offline"; readonly method: PaymentMethod; readonly reference: string | null }
  /**
   * `subject` is the transaction's id, the credit note's, that of the application of credit, whose amount is below zero when a bank took it
   * back, or the reversal's, whose amount is below zero.
   */
  | { readonly source: "transaction" | "credit_note" | "credit" | "reversal"; readonly subject: string }
);

/** The outcome of a subscription's invoice whose collection failed: still unpaid, or paid in the end. */
export const MISSED_OUTCOMES = ["failed", "recovered", "retrying"] as const;
/**
 * Invoices by outcome: failed since `from`; paid since then, after they failed since `failedFrom`; or retried now,
 * whenever they failed.
 */
export interface Missed {
  readonly outcome: (typeof MISSED_OUTCOMES)[number];
  readonly from: Instant;
  readonly failedFrom: Instant;
}
