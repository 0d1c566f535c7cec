import { type Cents, sum, ZERO } from "../../kernel/money.ts";
import { type CalendarDay, daysBetween } from "../../kernel/time.ts";

/** The ages of debts (aged debtors, statements of customers): by days past due, with the last day of each. */
const LAST_DAYS = { current: 0, days30: 30, days60: 60, days90: 90, days120: 120, older: Number.POSITIVE_INFINITY };

export type Age = keyof typeof LAST_DAYS;

/** From the youngest on. */
export const AGES = Object.keys(LAST_DAYS) as readonly Age[];

/** Open balances in cents by age. */
export type Aged = Readonly<Record<Age, Cents>>;

/** The first day of each age but the first, for `width_bucket`, which then numbers the ages as `AGES` does. */
export const FIRST_DAYS: readonly number[] = AGES.slice(0, -1).map((age) => LAST_DAYS[age] + 1);

/** The age on `today` of what is due on `dueDate`; without a due date a debt is not past due. */
export function ageOf(dueDate: CalendarDay | null, today: CalendarDay): Age {
  const late = dueDate === null ? 0 : daysBetween(dueDate, today);
  return AGES.find((age) => late <= LAST_DAYS[age]) ?? "older";
}

/** Sums amounts in cents by their ages. */
export function sumByAge(debts: readonly { readonly age: Age; readonly amount: Cents }[]): Aged {
  const sums = Object.fromEntries(AGES.map((age) => [age, ZERO])) as Record<Age, Cents>;
  for (const { age, amount } of debts) sums[age] = sum([sums[age], amount]);
  return sums;
}
