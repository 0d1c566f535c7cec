import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";

/** What was posted to a ledger account in a month, in cents. */
export interface LedgerTotal {
  readonly account: string;
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
