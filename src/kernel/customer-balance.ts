import type { Cents } from "./money.ts";
import type { BusinessDay } from "./time.ts";

/** What the books and the open invoices say of one customer in one currency. */
export interface CustomerBalance {
  /** Owed by the customer: above zero is a debt. */
  readonly balance: Cents;
  readonly overdue: Cents;
  readonly oldestOverdue: BusinessDay | null;
  /** Held for the customer. */
  readonly credit: Cents;
  readonly openInvoices: number;
}
