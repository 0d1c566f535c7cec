import type {
  CustomerId,
  DebitBatchId,
  GatewayAccountId,
  InvoiceId,
  MandateId,
  PaymentLinkId,
  TransactionId,
} from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/**
 * `open`: debits are added; `submitting`: the gateway was asked, or will be; no debit is added any more. `cancelled`:
 * every debit was withdrawn before it was sent.
 */
export const DEBIT_BATCH_STATUSES = ["open", "submitting", "submitted", "refused", "cancelled"] as const;
export type DebitBatchStatus = (typeof DEBIT_BATCH_STATUSES)[number];

/** Debits of one gateway account that are collected on one day. */
export interface DebitBatch {
  readonly id: DebitBatchId;
  readonly gatewayAccountId: GatewayAccountId;
  /** A business day. */
  readonly actionDate: CalendarDay;
  /** The first action date of a batch that was sent too late for it; null unless it was moved. */
  readonly movedFrom: CalendarDay | null;
  readonly status: DebitBatchStatus;
  /** The number of debits that were not withdrawn. */
  readonly debits: number;
  /** Their sum, in cents. */
  readonly amount: Cents;
  readonly batchRef: string | null;
  readonly problem: string | null;
  /** When the gateway was asked to accept it; null before, and while it could not be reached. */
  readonly askedAt: Instant | null;
  readonly submittedAt: Instant | null;
  /** When the service stopped asking the gateway about undecided debits. */
  readonly givenUpAt: Instant | null;
  /** When the last of its debits had a result. */
  readonly completedAt: Instant | null;
  readonly createdAt: Instant;
}

/** A debit: a payment of a mandate for one date, before that date is moved to a business day. */
export interface Debit {
  readonly transactionId: TransactionId;
  readonly batchId: DebitBatchId;
  readonly mandateId: MandateId;
  readonly debitDate: CalendarDay;
  /**
   * The number of the debit among those of its mandate and date, from 1. A mandate that collects a subscription has one
   * for each invoice, any other one for each debit that was held back before.
   */
  readonly part: number;
  /** Why it was returned unpaid, in the bank's words, or not sent; null unless it was. */
  readonly unpaidReason: string | null;
  /** The bank's code for it; null when there is none. */
  readonly unpaidCode: string | null;
  /** When it was returned unpaid, also after it was collected; null unless it was. */
  readonly unpaidAt: Instant | null;
  /** The link on which the payer can pay it after it was returned; null for a debit of an invoice, which has its own. */
  readonly payLinkId: PaymentLinkId | null;
  /** Null unless staff held it back: it was not sent. */
  readonly heldBack: HeldBack | null;
  /** The debit that was held back, for which this one makes up. */
  readonly heldFrom: TransactionId | null;
}

/** Who held a debit back before its batch was submitted, when and why. */
export interface HeldBack {
  readonly at: Instant;
  readonly by: string | null;
  /** Null once its customer is erased. */
  readonly reason: string | null;
}

/** A debit with the day on which its batch collects it. */
export interface DatedDebit extends Debit {
  readonly actionDate: CalendarDay;
}

/** A debit that was returned unpaid, also after it was collected. */
export interface UnpaidDebit {
  readonly reference: string;
  readonly mandateId: MandateId;
  readonly amount: Cents;
  /** In the bank's words. */
  readonly reason: string;
  readonly customerName: string;
}

/** How many debits of a batch were returned unpaid, and their sum in cents. */
export interface UnpaidTotal {
  readonly count: number;
  readonly amount: Cents;
}

/** A debit that was returned unpaid, as the list of all of them shows it; `id` is that of its payment. */
export interface ReturnedDebit {
  readonly id: TransactionId;
  readonly reference: string;
  readonly customerId: CustomerId;
  readonly customerName: string;
  readonly mandateId: MandateId;
  readonly batchId: DebitBatchId;
  readonly actionDate: CalendarDay;
  readonly amount: Cents;
  readonly code: string | null;
  readonly reason: string;
  readonly unpaidAt: Instant;
  readonly invoiceId: InvoiceId | null;
  readonly payLinkId: PaymentLinkId | null;
  /** Whether nothing is owed for it any more: its invoice or link was paid, or staff have closed it. */
  readonly settled: boolean;
}

/** A debit with its payment; `id` is that of the payment. */
export interface BatchDebit extends Pick<Debit, "batchId" | "mandateId" | "debitDate" | "unpaidCode" | "heldBack"> {
  readonly id: TransactionId;
  readonly reference: string;
  readonly status: string;
  readonly amount: Cents;
  /** In the bank's words; null unless it was returned unpaid. */
  readonly unpaidReason: string | null;
  readonly customerId: CustomerId;
  readonly customerName: string;
  /** How the debit of the mandate before this one ended; null when there was none, or it has no result. */
  readonly lastResult: LastResult | null;
  /** The number of dates in a row, up to now, whose debits of the mandate were returned unpaid. */
  readonly unpaidInARow: number;
  /** The mandate's next date, on which a debit that was held back is collected; null when it has none. */
  readonly nextDebitDate: CalendarDay | null;
  /** The reference of the debit that was held back, for which this one makes up. */
  readonly heldFrom: string | null;
}

/** How an earlier debit ended. */
export const LAST_RESULTS = ["collected", "unpaid"] as const;
export type LastResult = (typeof LAST_RESULTS)[number];

/** The figures of a batch: outcomes so far, and the expected ones. */
export interface BatchFigures {
  readonly collected: number;
  readonly unpaid: number;
  readonly pending: number;
  /** From the earlier debits of each mandate; for a mandate without any, from all debits of the organisation. */
  readonly expectedUnpaid: number;
  /** The same in cents. */
  readonly expectedUnpaidAmount: Cents;
  /** The debits that are held back, and how many of them would be expected to be returned unpaid. */
  readonly held: number;
  readonly heldAmount: Cents;
  readonly heldExpectedUnpaid: number;
  /** What banks paid and returned so far, by day, oldest first. */
  readonly settled: readonly SettledDay[];
  /** The debits of the last 90 days before this batch that have an outcome. */
  readonly recent: number;
  readonly recentUnpaid: number;
  /** Of them, those that were returned after they were collected. */
  readonly recentReversed: number;
}

/** What banks paid and returned of a batch on a day, in cents. */
export interface SettledDay {
  readonly day: CalendarDay;
  readonly paid: Cents;
  readonly returned: Cents;
}

/** Debits of an action date that banks decided, of one outcome. */
export interface DecidedDebits {
  readonly day: CalendarDay;
  readonly outcome: "collected" | "unpaid" | "disputed";
  /** Of what was returned unpaid. */
  readonly code: string | null;
  readonly reason: string | null;
  readonly amount: Cents;
  readonly count: number;
}
