import { type Cents, sum, ZERO } from "../../../kernel/money.ts";
import { type BusinessDay, daysBetween } from "../../../kernel/time.ts";
import { amountDue } from "../rules.ts";
import type { Invoice } from "../types.ts";

/** Open balances in cents, by days past due: not past due, 1 to 30, 31 to 60, 61 to 90, more. */
export interface Aging {
  readonly current: Cents;
  readonly days30: Cents;
  readonly days60: Cents;
  readonly days90: Cents;
  readonly older: Cents;
}

const DAYS_PAST_DUE_MAX = [
  ["current", 0],
  ["days30", 30],
  ["days60", 60],
  ["days90", 90],
  ["older", Number.POSITIVE_INFINITY],
] as const satisfies readonly (readonly [keyof Aging, number])[];

/** The aging of the invoices' balances on `today`. An invoice without a due date is not past due. */
export function agingOf(invoices: readonly Pick<Invoice, "dueDate" | "total" | "paid">[], today: BusinessDay): Aging {
  const aging = { current: ZERO, days30: ZERO, days60: ZERO, days90: ZERO, older: ZERO };
  for (const invoice of invoices) {
    const late = invoice.dueDate === null ? 0 : daysBetween(invoice.dueDate, today);
    const [bucket] = DAYS_PAST_DUE_MAX.find(([, most]) => late <= most) ?? DAYS_PAST_DUE_MAX[0];
    aging[bucket] = sum([aging[bucket], amountDue(invoice)]);
  }
  return aging;
}
