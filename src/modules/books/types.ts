import type { CustomerId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";

/** Accounts of the journal (docs/architecture.md, Data). */
export type LedgerAccount =
  | "receivable"
  | "revenue"
  | "vat_output"
  | "gateway_clearing"
  | "gateway_fees"
  | "customer_credit"
  | "refunds"
  | "bank";

/** One side of an entry. */
export interface Posting {
  readonly account: LedgerAccount;
  /** Debit above zero, credit below. */
  readonly amount: Cents;
  readonly customerId: CustomerId | null;
}

export type EntryKind =
  | "payment"
  | "refund"
  | "refund_reversal"
  | "invoice"
  | "invoice_cancelled"
  | "offline_payment"
  | "credit_note"
  | "credit_application";
