import type { CustomerReference } from "../../kernel/customer-reference.ts";
import type {
  CustomerId,
  EftOrderId,
  GatewayAccountId,
  InvoiceId,
  PaymentLinkId,
  TransactionId,
} from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 2.7. */
export const TRANSACTION_STATUSES = [
  "pending",
  "complete",
  "failed",
  "cancelled",
  "refunded",
  "partially_refunded",
] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];
/** Interface 2.7. */
export const TRANSACTION_TYPES = [
  "once",
  "recurring",
  "invoice",
  "debit_order",
  "eft",
  "card_setup",
  "card_debit",
] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/** For staff to look at (interface 16.21): money nobody asked for, or news from a gateway that does not fit. */
export const FLAGS = ["overpaid", "notification_mismatch", "refund_failed"] as const;
export type Flag = (typeof FLAGS)[number];

/** Interface 2.7: one attempt to pay. */
export interface Transaction {
  readonly id: TransactionId;
  readonly reference: string;
  readonly status: TransactionStatus;
  readonly amount: Cents;
  /** Null until the gateway reports it. */
  readonly fee: Cents | null;
  readonly currency: string;
  readonly type: TransactionType;
  readonly gatewayAccountId: GatewayAccountId;
  readonly gatewayType: string;
  /** Its money is not real. */
  readonly sandbox: boolean;
  readonly description: string | null;
  readonly providerRef: string | null;
  readonly checkoutRef: string | null;
  readonly payerEmail: string | null;
  readonly paymentLinkId: PaymentLinkId | null;
  readonly invoiceId: InvoiceId | null;
  readonly eftOrderId: EftOrderId | null;
  readonly customerId: CustomerId | null;
  readonly externalReference: string | null;
  readonly metadata: Metadata;
  readonly renewal: boolean;
  readonly parentReference: string | null;
  readonly subscriptionId: string | null;
  /** What the payer's browser posts to the gateway, sealed; null when it is sent there by URL. */
  readonly handoffSealed: string | null;
  readonly flags: readonly Flag[];
  /** What nobody owed, kept as the customer's credit (interface 16.21). */
  readonly overpaid: Cents;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
}

/** A transaction with all that its public object shows. */
export interface TransactionRecord {
  readonly transaction: Transaction;
  readonly refunds: readonly Refund[];
  readonly customer: CustomerReference | null;
  readonly invoice: PaidInvoice | null;
}

/** An invoice as a transaction shows it (interface 2.7); a partly paid one is `sent` or `overdue` (interface 2.7). */
export interface PaidInvoice {
  readonly id: InvoiceId;
  readonly number: string;
  readonly status: "draft" | "sent" | "paid" | "overdue" | "cancelled";
  readonly externalReference: string | null;
}

/** Where news of a payment came from. */
export type NotificationSource = "notification" | "query" | "payer" | "sweep" | "staff";
