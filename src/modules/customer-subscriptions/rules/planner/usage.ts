import type { Days, LateUsage } from "../../../../domain/line-reason.ts";
import { addDecimals, type Decimal, isMoreDecimal } from "../../../../kernel/decimal.ts";
import { type CalendarDay, daysBetween } from "../../../../kernel/time.ts";
import type { Counting, Item, Metered, Subscription, UsageAhead } from "./types.ts";

/*
 * The usage of metered items since the last bill: its quantity, and what usage events have made of it (interface 16.24,
 * decisions.md#usage-is-counted-as-it-comes).
 */

const NONE = "0" as Decimal;

/** Whether an item is billed by usage. */
export const isMetered = (item: Item): item is Metered => item.kind === "metered";

/** Whether each unit is billed by itself; else the quantity is one of the whole period, which a change of price cannot divide. */
export const isAddedUp = ({ aggregation = "sum" }: Metered): boolean => aggregation === "sum";

/** The item as it is when nothing was used. */
function unused({ counting: _counting, ahead: _ahead, minimumFrom: _from, ...item }: Metered): Metered {
  return { ...item, usage: NONE };
}

/** The item with the usage of another one; without another, with none, from a day on. */
export const withUsageOf = (item: Metered, other: Metered | undefined, day: CalendarDay): Metered => {
  if (!other) return chargedUntil(unused(item), day);
  const { usage, counting, ahead, minimumFrom } = other;
  return {
    ...unused(item),
    usage,
    ...(counting && { counting }),
    ...(ahead && { ahead }),
    ...(minimumFrom && { minimumFrom }),
  };
};

/** The item whose minimum is charged for all days before one, or is not due for them. */
export const chargedUntil = (item: Metered, day: CalendarDay): Metered =>
  item.tiering?.minimumAmount ? { ...item, minimumFrom: day } : item;

/**
 * The days for which the minimum of a metered item is due: those of the running period that the service charges the
 * plan for (interface 16.23), from the first one that it was not charged for, until another day. Null: of none, such as
 * a trial, a period that was paid elsewhere, and one that awaits its payment.
 */
export function daysOfMinimum(
  { period, awaiting, cyclesBilled }: Pick<Subscription, "period" | "awaiting" | "cyclesBilled">,
  { minimumFrom }: Metered,
  until: CalendarDay | null,
): Days | null {
  if (!period?.paid || awaiting !== null || cyclesBilled === 0) return null;
  const { until: end, of } = period.paid;
  const first = minimumFrom !== undefined && minimumFrom > period.start ? minimumFrom : period.start;
  const last = until !== null && until < end ? until : end;
  return first < last ? { billed: daysBetween(first, last), of } : null;
}

/** The items with their usage set to zero. */
export const withoutUsage = (items: readonly Item[]): readonly Item[] =>
  items.map((item) => (isMetered(item) ? unused(item) : item));

const lateOf = (one: LateUsage | undefined, other: LateUsage | undefined): Pick<Counting, "late"> => {
  if (!one || !other) return one || other ? { late: (one ?? other) as LateUsage } : {};
  const quantity = one.quantity && other.quantity && addDecimals(one.quantity, other.quantity);
  return { late: { events: one.events + other.events, quantity } };
};

/** Two quantities of one item as one: values that `unique` counts in both are counted twice. */
function joinedUsage({ aggregation = "sum" }: Metered, usage: Decimal, ahead: Decimal): Decimal {
  if (aggregation === "last") return ahead;
  if (aggregation === "max") return isMoreDecimal(ahead, usage) ? ahead : usage;
  return addDecimals(usage, ahead);
}

/** What a bill that begins on a day charges of an item: all usage, but that of days from its own on. Null: all. */
export function billedBefore(item: Metered, day: CalendarDay | null): Metered {
  const { ahead, ...rest } = item;
  if (!ahead || (day !== null && ahead.from >= day)) return rest;
  const late = lateOf(item.counting?.late, ahead.late);
  return { ...rest, usage: joinedUsage(item, item.usage, ahead.usage), counting: { ...item.counting, ...late } };
}

/** What is counted of an item once a bill that begins on a day has charged the rest. */
export function leftAfter(item: Metered, day: CalendarDay): Metered {
  const { ahead } = item;
  if (!ahead || ahead.from < day) return unused(item);
  return countedAs(unused(item), ahead);
}

/** The item with usage that was ahead of its period, which has begun now. */
function countedAs(item: Metered, { from: _from, usage, ...counting }: UsageAhead): Metered {
  return { ...item, usage, ...(Object.keys(counting).length > 0 ? { counting } : {}) };
}
