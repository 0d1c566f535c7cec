import { cents, sum } from "../../../kernel/money.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import type { CountedAmount, MovementKind } from "../types.ts";
import { COUNTS } from "./revenue-over-time.ts";

type Counted = Omit<CountedAmount, "currency">;

/** What moved the recurring revenue of the subscriptions that started in one month, in another month, of one kind. */
export interface CohortMovement extends Counted {
  /** The first day of the month in which they first had recurring revenue. */
  readonly started: CalendarDay;
  /** The first day of the month in which it moved. */
  readonly month: CalendarDay;
  readonly kind: MovementKind;
}

/** The subscriptions that started in a month. */
export interface Cohort {
  /** The first day of the month. */
  readonly month: CalendarDay;
  /** How many started, and the recurring revenue with which they did. */
  readonly started: Counted;
  /** What of them there is at the end of that month and of each one after. */
  readonly months: readonly (Counted & { readonly month: CalendarDay })[];
}

/** The cohorts of these months, which are consecutive and ascending; months in which none started are left out. */
export function cohortsOf(months: readonly CalendarDay[], movements: readonly CohortMovement[]): Cohort[] {
  const byCohort = Map.groupBy(movements, ({ started }) => started);
  return months.flatMap((month) => {
    const own = byCohort.get(month);
    return own
      ? [
          {
            month,
            started: startedOf(own),
            months: lastsOf(
              own,
              months.filter((one) => one >= month),
            ),
          },
        ]
      : [];
  });
}

function startedOf(movements: readonly CohortMovement[]): Counted {
  const begun = movements.filter(({ kind }) => kind === "new");
  return { amount: sum(begun.map(({ amount }) => amount)), count: begun.reduce((all, { count }) => all + count, 0) };
}

function lastsOf(movements: readonly CohortMovement[], months: readonly CalendarDay[]): Cohort["months"] {
  const byMonth = Map.groupBy(movements, ({ month }) => month);
  let [amount, count] = [cents(0), 0];
  return months.map((month) => {
    for (const moved of byMonth.get(month) ?? []) {
      amount = cents(amount + moved.amount);
      count += COUNTS[moved.kind] * moved.count;
    }
    return { month, amount, count };
  });
}
