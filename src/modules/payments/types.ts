import type { NamedCard } from "../../domain/card-brands.ts";
import type { CustomerReference } from "../../domain/customer-reference.ts";
import type { DeclineReason } from "../../domain/decline-reasons.ts";
import type { Refund } from "../../domain/refunds.ts";
import type { Reversal } from "../../domain/reversal.ts";
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
import type { CalendarDay, Instant } from "../../kernel/time.ts";

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

/**
 * Flags for staff (interface 16.21): overpaid money, a fact from a gateway that differs from the payment, a refund that
 * failed, a dispute by the payer, a refund that was made in the gateway's own dashboard, a payment that the gateway's
 * statement does not name.
 */
export const FLAGS = [
  "overpaid",
  "notification_mismatch",
  "refund_failed",
  "disputed",
  "made_elsewhere",
  "not_on_statement",
] as const;
export type Flag = (typeof FLAGS)[number];

/** Whether a collected debit can still be disputed by its payer (interface 16.20). */
export const RISKS = ["at_risk", "safe"] as const;
export type Risk = (typeof RISKS)[number];

/** The times at which the debits of a risk were collected: since `from`, before `until`. */
export interface DebitSpan {
  readonly risk: Risk;
  readonly from: Instant;
  readonly until: Instant;
}

/** The remaining amount of the debits that were collected on one day in a currency. */
export interface DebitsOfDay {
  readonly currency: string;
  readonly day: CalendarDay;
  readonly amount: Cents;
  readonly count: number;
}

/** A transaction: one attempt to pay (interface 2.7). */
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
  /** Whether its money is not real. */
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
  /** The encrypted form that the payer's browser posts to the gateway; null when the payer is redirected by URL. */
  readonly handoffSealed: string | null;
  readonly flags: readonly Flag[];
  /** The amount above what was owed, in cents: the customer's credit (interface 16.21). */
  readonly overpaid: Cents;
  /** When its gateway reported it as paid, of one that completes only when the gateway's statement names it. */
  readonly reportedAt: Instant | null;
  /** Why it failed, or came back unpaid after it was collected; null for others, and where the reason was not kept. */
  readonly declineReason: DeclineReason | null;
  /** The card that pays, as far as its gateway has told; null for other ways to pay. */
  readonly card: NamedCard | null;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
}

/** How a payment is attempted: by the payer on a page, or without one. */
export const ATTEMPT_METHODS = ["checkout", "saved_card", "debit_order", "gateway_renewal"] as const;
export type AttemptMethod = (typeof ATTEMPT_METHODS)[number];

/** How an attempt ended; a debit that came back unpaid is declined, also when it had been collected. */
export const ATTEMPT_OUTCOMES = ["succeeded", "declined", "abandoned", "pending"] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The attempts of a day that were made and ended in one way. */
export interface Attempts {
  readonly day: CalendarDay;
  readonly method: AttemptMethod;
  readonly gateway: string;
  readonly outcome: AttemptOutcome;
  /** Of declined ones. */
  readonly reason: DeclineReason | null;
  readonly count: number;
  readonly amount: Cents;
}

/** A transaction with the data of other rows that the API shows. */
export interface TransactionRecord {
  readonly transaction: Transaction;
  readonly refunds: readonly Refund[];
  readonly reversals: readonly Reversal[];
  readonly customer: CustomerReference | null;
  readonly invoice: PaidInvoice | null;
}

/** An invoice as a transaction shows it; a partly paid one is `sent` or `overdue` (interface 2.7). */
export interface PaidInvoice {
  readonly id: InvoiceId;
  readonly number: string;
  readonly status: "draft" | "sent" | "paid" | "overdue" | "cancelled";
  readonly externalReference: string | null;
}

/** The source of a fact about a payment; `sweep` is the service, which gives up a payment that its gateway does not know. */
export type NotificationSource = "notification" | "query" | "payer" | "sweep" | "staff" | "statement";
