import type { DebitBatchId, GatewayAccountId, MandateId, TransactionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";

/**
 * `open`: debits are added; `submitting`: the gateway was asked, or will be; no debit is added any more. `cancelled`: every debit was withdrawn
 * before it was sent.
 */
export const DEBIT_BATCH_STATUSES = ["open", "submitting", "submitted", "refused", "cancelled"] as const;
export type DebitBatchStatus = (typeof DEBIT_BATCH_STATUSES)[number];

/** Debits of one gateway account that go out on one day. */
export interface DebitBatch {
  readonly id: DebitBatchId;
  readonly gatewayAccountId: GatewayAccountId;
  /** A business day. */
  readonly actionDate: BusinessDay;
  /** The first action date of a batch that was sent too late for it; null unless it was moved. */
  readonly movedFrom: BusinessDay | null;
  readonly status: DebitBatchStatus;
  /** How many, without those that were withdrawn. */
  readonly debits: number;
  /** Of these, in cents. */
  readonly amount: Cents;
  readonly batchRef: string | null;
  readonly problem: string | null;
  /** When the gateway was asked to take it; null before, and while it could not be reached. */
  readonly askedAt: Instant | null;
  readonly submittedAt: Instant | null;
  /** When the gateway was no longer asked about debits that it had not decided. */
  readonly givenUpAt: Instant | null;
  readonly createdAt: Instant;
}

/** A debit: a payment of a mandate for one date, before that is moved to a business day. */
export interface Debit {
  readonly transactionId: TransactionId;
  readonly batchId: DebitBatchId;
  readonly mandateId: MandateId;
  readonly debitDate: BusinessDay;
  /** Which debit of its mandate and date it is, from 1. More than one has only a mandate that collects a subscription, one for each invoice. */
  readonly part: number;
  /** Why it was returned unpaid, in the bank's words; null unless it did. */
  readonly unpaidReason: string | null;
}

/** A debit that was returned unpaid, also after it was collected. */
export interface UnpaidDebit {
  readonly reference: string;
  readonly mandateId: MandateId;
  readonly amount: Cents;
  /** In the bank's words. */
  readonly reason: string;
}

/** A debit with the payment that it is; `id` is that of the payment. */
export interface BatchDebit extends Pick<Debit, "batchId" | "mandateId" | "debitDate"> {
  readonly id: TransactionId;
  readonly reference: string;
  readonly status: string;
  readonly amount: Cents;
  /** In the bank's words; null unless it was returned unpaid. */
  readonly unpaidReason: string | null;
}

/** How the debits of a batch stand, and what is to be expected of it. */
export interface BatchFigures {
  readonly collected: number;
  readonly unpaid: number;
  readonly pending: number;
  /** By the earlier debits of each mandate; of a mandate without any, by all debits of the organisation. */
  readonly expectedUnpaid: number;
  /** Debits of the last 90 days that ended, before this batch. */
  readonly recent: number;
  readonly recentUnpaid: number;
  /** Of them, those that were returned after they were collected. */
  readonly recentReversed: number;
}
