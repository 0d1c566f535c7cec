import { cents, sum } from "../../../kernel/money.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import type { CountedAmount, MovementKind } from "../types.ts";

/** What moved the recurring revenue of one currency on a South African day, of one kind. */
export interface MovementOfDay extends Omit<CountedAmount, "currency"> {
  readonly kind: MovementKind;
  readonly day: CalendarDay;
}

type Counted = Omit<CountedAmount, "currency">;

/** Recurring revenue before and after some days, and what moved it between. */
export interface RevenueSpan {
  readonly opening: Counted;
  readonly moved: Readonly<Record<MovementKind, Counted>>;
  readonly closing: Counted;
}

/** By how much a movement of each kind changes the number of subscriptions with recurring revenue. */
export const COUNTS: Readonly<Record<MovementKind, number>> = {
  new: 1,
  expansion: 0,
  contraction: 0,
  churn: -1,
  reactivation: 1,
};

const totalOf = (movements: readonly MovementOfDay[]): Counted => ({
  amount: sum(movements.map(({ amount }) => amount)),
  count: movements.reduce((all, { kind, count }) => all + COUNTS[kind] * count, 0),
});

const less = (one: Counted, other: Counted): Counted => ({
  amount: cents(one.amount - other.amount),
  count: one.count - other.count,
});

/**
 * The recurring revenue of some days, reckoned back from what it is now: `movements` are all since the first of these
 * days, those after the last one too.
 */
export function revenueOver(
  { from, to }: { readonly from: CalendarDay; readonly to: CalendarDay },
  now: Counted,
  movements: readonly MovementOfDay[],
): RevenueSpan {
  const within = movements.filter(({ day }) => day >= from && day <= to);
  const closing = less(now, totalOf(movements.filter(({ day }) => day > to)));
  const of = (kind: MovementKind): Counted => {
    const own = within.filter((one) => one.kind === kind);
    return { amount: sum(own.map(({ amount }) => amount)), count: own.reduce((all, { count }) => all + count, 0) };
  };
  return {
    opening: less(closing, totalOf(within)),
    moved: {
      new: of("new"),
      expansion: of("expansion"),
      contraction: of("contraction"),
      churn: of("churn"),
      reactivation: of("reactivation"),
    },
    closing,
  };
}
