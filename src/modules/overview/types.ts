import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";

/** An amount in a currency, and how many records it adds up. */
export interface CurrencyTotal {
  readonly currency: string;
  readonly amount: Cents;
  readonly count: number;
}

/** What was collected on a South African day in a currency. */
export interface DayTotal extends CurrencyTotal {
  readonly day: BusinessDay;
}

/** What open invoices owe in a currency, and how much of it is past its due date. */
export interface OwedTotal extends CurrencyTotal {
  readonly overdue: Cents;
  readonly overdueCount: number;
}
