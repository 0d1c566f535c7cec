import type { Cents } from "../kernel/money.ts";
import type { CalendarDay } from "../kernel/time.ts";
import { type Part, part, type Tx } from "../platform/database.ts";

/** A customer's balance in one currency, from the journal and the open invoices. Amounts in cents. */
export interface CustomerBalance {
  /** What the customer owes; above zero is a debt. */
  readonly balance: Cents;
  readonly overdue: Cents;
  readonly oldestOverdue: CalendarDay | null;
  /** Credit of the customer: credit notes and overpayments not used yet. */
  readonly credit: Cents;
  readonly openInvoices: number;
}

/** Joins the kept balance `b` of a customer in a currency; it has no row before anything was posted. */
export const leftJoinBalance = (tx: Tx, customer: Part, currency: string): Part => part`
  left join customer_balances b on b.organisation_id = ${tx.organisation} and b.customer_id = ${customer} and b.currency = ${currency}`;

/** Joins the kept balances `b` of a customer, one for each currency in which something was posted. */
export const joinBalances = (tx: Tx, customer: Part): Part => part`
  join customer_balances b on b.organisation_id = ${tx.organisation} and b.customer_id = ${customer} and b.posted`;
