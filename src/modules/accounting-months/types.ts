import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";

/** The sum posted to a ledger account in a month, in cents. */
export interface LedgerTotal {
  readonly account: MonthLedgerAccount;
  readonly currency: string;
  readonly debit: Cents;
  readonly credit: Cents;
}

/** A month of the books. */
export interface AccountingMonth {
  /** Its first day. */
  readonly month: BusinessDay;
  /** Null while it is open. */
  readonly closedAt: Instant | null;
  /** Who closed it. */
  readonly closedBy: string | null;
}

/** The ledger accounts, as totals and records name them. */
export const LEDGER_ACCOUNTS = [
  "receivable",
  "revenue",
  "vat_output",
  "gateway_clearing",
  "gateway_fees",
  "customer_credit",
  "refunds",
  "bank",
  "bank_reconciled",
  "bank_charges",
  "own_transfers",
] as const;
export type MonthLedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

/** An entry of the books with the sum that it posted to one ledger account, in cents. */
export interface LedgerRecord {
  /** Of the journal entry. */
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly occurredAt: Instant;
  readonly description: string;
  readonly currency: string;
  readonly debit: Cents;
  readonly credit: Cents;
}
