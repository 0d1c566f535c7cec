import type { CurrencyTotal } from "../../domain/totals.ts";
import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";

/** The amount collected on a South African day in a currency. */
export interface DayTotal extends CurrencyTotal {
  readonly day: BusinessDay;
}

/** The amount due of open invoices in a currency, and the part of it that is past its due date. */
export interface OwedTotal extends CurrencyTotal {
  readonly overdue: Cents;
  readonly overdueCount: number;
}
