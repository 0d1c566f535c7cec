import type { Cents } from "../kernel/money.ts";

/** An amount in a currency, and the number of records in it. */
export interface CurrencyTotal {
  readonly currency: string;
  readonly amount: Cents;
  readonly count: number;
}
