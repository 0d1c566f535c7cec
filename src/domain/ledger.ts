import type { Cents } from "../kernel/money.ts";
import type { Instant } from "../kernel/time.ts";

/** The ledger accounts (docs/architecture.md, Data). */
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
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

/** The sum posted to a ledger account in a month, in cents. */
export interface LedgerTotal {
  readonly account: LedgerAccount;
  readonly currency: string;
  readonly debit: Cents;
  readonly credit: Cents;
}

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
