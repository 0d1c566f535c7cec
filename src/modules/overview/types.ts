import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";

/** An amount in a currency, and the number of records in it. */
export interface CurrencyTotal {
  readonly currency: string;
  readonly amount: Cents;
  readonly count: number;
}

/** The amount collected on a South African day in a currency. */
export interface DayTotal extends CurrencyTotal {
  readonly day: BusinessDay;
}

/** The amount due of open invoices in a currency, and the part of it that is past its due date. */
export interface OwedTotal extends CurrencyTotal {
  readonly overdue: Cents;
  readonly overdueCount: number;
}
