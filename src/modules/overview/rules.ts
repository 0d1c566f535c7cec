import { cents, sum } from "../../kernel/money.ts";
import { addDays, addMonths, type CalendarDay, dayOfWeek, daysBetween, firstOfMonth } from "../../kernel/time.ts";
import { MONEY_ACCOUNTS, type MoneyHeld, type MoneyPart, type MoneyPlace } from "./types.ts";

/** South African days, both included. */
export interface Days {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

/** What a figure about some days is divided by. */
export const DIVISIONS = ["day", "week", "month"] as const;
export type Division = (typeof DIVISIONS)[number];

/** The number of days in the series of the overview, including today. */
const SHOWN = 30;

/** The days of the figures about received money. `from`: the first of all of them. */
export function receivedSpans(today: CalendarDay) {
  const first = firstOfMonth(today);
  const firstBefore = addMonths(first, -1);
  const shown = { from: addDays(today, 1 - SHOWN), to: today } satisfies Days;
  return {
    today: { from: today, to: today } satisfies Days,
    thisMonth: { from: first, to: today } satisfies Days,
    lastMonth: { from: firstBefore, to: addDays(first, -1) } satisfies Days,
    shown,
    from: [firstBefore, shown.from].toSorted()[0] ?? firstBefore,
  };
}

/** The days in which money is expected: thirty from tomorrow on. */
export const expectedDays = (today: CalendarDay): Days => ({ from: addDays(today, 1), to: addDays(today, SHOWN) });

/** As many days before these. */
export function daysBefore({ from, to }: Days): Days {
  return { from: addDays(from, -1 - daysBetween(from, to)), to: addDays(from, -1) };
}

/** The days, weeks (from Monday) or months of some days, oldest first; the first and the last may be cut. */
export function divided({ from, to }: Days, by: Division): Days[] {
  const parts: Days[] = [];
  for (let at = from; at <= to; ) {
    const next = nextPart(at, by);
    const last = addDays(next, -1);
    parts.push({ from: at, to: last < to ? last : to });
    at = next;
  }
  return parts;
}

/** The first day after the day, week or month of a day. */
function nextPart(day: CalendarDay, by: Division): CalendarDay {
  if (by === "month") return addMonths(firstOfMonth(day), 1);
  return addDays(day, by === "week" ? 8 - dayOfWeek(day) : 1);
}

/** What bank and gateway accounts hold of a ledger account; undefined: the caller may not know. */
export type PartsOf = Partial<Record<MoneyPlace["place"], readonly MoneyPart[]>>;

/**
 * Where the money of a currency is: the ledger accounts that are not zero, each with the parts that are known of it, the
 * most first, and as a part without a name what is in none of these, so that they always add up to it.
 */
export function moneyPlaces(held: readonly Pick<MoneyHeld, "account" | "amount">[], known: PartsOf): MoneyPlace[] {
  return MONEY_ACCOUNTS.map((place) => {
    const amount = sum(held.filter(({ account }) => account === place).map((one) => one.amount));
    return { place, amount, parts: partsOf(amount, known[place]) };
  }).filter(({ amount }) => amount !== 0);
}

function partsOf(amount: MoneyPlace["amount"], known: readonly MoneyPart[] | undefined): readonly MoneyPart[] {
  if (known === undefined) return [];
  const rest = cents(amount - sum(known.map((one) => one.amount)));
  return [...known.toSorted((one, other) => other.amount - one.amount), { name: null, id: null, amount: rest }].filter(
    (one) => one.amount !== 0,
  );
}
