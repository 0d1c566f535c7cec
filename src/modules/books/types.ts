import type { LedgerAccount } from "../../domain/ledger.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";

/** One line of an entry. */
export interface Posting {
  readonly account: LedgerAccount;
  /** In cents; a debit is positive, a credit negative. */
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
  | "credit_application"
  | "credit_use"
  | "reversal"
  | "credit_refund"
  | "offline_payment_reversal"
  | "bank_match"
  | "bank_match_reversal"
  | "credit_note_refund"
  | "credit_note_refund_reversal";
