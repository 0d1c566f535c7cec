import type { CustomerId } from "../../kernel/ids.ts";
import { type Cents, toRand } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";

/** The contents of a statement; amounts in cents. */
interface Facts {
  readonly period: { readonly start: CalendarDay; readonly end: CalendarDay };
  readonly currency: string;
  readonly opening: Cents;
  readonly closing: Cents;
  readonly movements: readonly {
    readonly day: CalendarDay;
    readonly description: string;
    readonly amount: Cents;
    readonly balance: Cents;
  }[];
  readonly unpaidDebits: readonly { readonly day: CalendarDay; readonly description: string; readonly amount: Cents }[];
}

/** Interface 18.6. */
export const statementView = (
  customerId: CustomerId,
  { period, currency, opening, closing, movements, unpaidDebits }: Facts,
  currencies: readonly string[],
) => ({
  object: "statement" as const,
  customerId,
  from: period.start,
  to: period.end,
  currency,
  currencies: [...currencies],
  opening: toRand(opening),
  closing: toRand(closing),
  movements: movements.map(({ day, description, amount, balance }) => ({
    date: day,
    description,
    amount: toRand(amount),
    balance: toRand(balance),
  })),
  unpaidDebits: unpaidDebits.map(({ day, description, amount }) => ({
    date: day,
    description,
    amount: toRand(amount),
  })),
});
