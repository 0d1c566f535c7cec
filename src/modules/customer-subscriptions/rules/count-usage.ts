import { addDecimals, type Decimal, isMoreDecimal } from "../../../kernel/decimal.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import { addDays } from "../../../kernel/time.ts";
import type { Counting, Metered, Subscription } from "./planner/types.ts";
import { billedBefore, isAddedUp } from "./planner/usage.ts";

/*
 * In which period a usage event counts, and what it makes of its item's quantity (interface 16.24,
 * decisions.md#usage-is-counted-as-it-comes).
 */

/**
 * `open`: in the period that the next bill closes; `late`: in the same bill, for a day that was billed before; `free`:
 * of a trial that is over; or, with the day on which it begins, in the period after that.
 */
export type Place = "open" | "late" | "free" | { readonly from: CalendarDay };

/** Where an event of a day counts. A paused subscription is not billed when its period ends, so that its period goes on. */
export function placeOf(state: Subscription, isPaused: boolean, day: CalendarDay): Place {
  const { period, awaiting, startsOn, trialDays, cyclesBilled } = state;
  const last = awaiting ?? period;
  if (last === null) return "open";
  if (day >= last.next && !isPaused) return { from: last.next };
  if (day >= last.start) return "open";
  const isOfTrial = trialDays > 0 && day >= startsOn && day < addDays(startsOn, trialDays);
  return isOfTrial && cyclesBilled > 0 ? "free" : "late";
}

/** An event of an item. */
export interface Use {
  readonly quantity: Decimal;
  /** As a timestamp. */
  readonly at: string;
  readonly place: Place;
  /** Of an item with aggregation `unique`: the round in which its value counts, and whether it is new there. */
  readonly value?: { readonly round: string; readonly isNew: boolean };
}

const ONE = "1" as Decimal;
const NONE = "0" as Decimal;

interface Counted {
  readonly usage: Decimal;
  readonly counting: Counting;
}

/** The quantity with an event. Of events of the same time the one that comes last is the last. */
function withUse({ usage, counting }: Counted, item: Metered, { quantity, at, value }: Use): Counted {
  switch (item.aggregation ?? "sum") {
    case "sum":
      return { usage: addDecimals(usage, quantity), counting };
    case "max":
      return { usage: isMoreDecimal(quantity, usage) ? quantity : usage, counting };
    case "last":
      return counting.lastAt !== undefined && at < counting.lastAt
        ? { usage, counting }
        : { usage: quantity, counting: { ...counting, lastAt: at } };
    case "unique":
      return {
        usage: value?.isNew ? addDecimals(usage, ONE) : usage,
        counting: { ...counting, ...(value && { round: value.round }) },
      };
  }
}

function withLate(counting: Counting, item: Metered, { quantity }: Use): Counting {
  const { events, quantity: before } = counting.late ?? { events: 0, quantity: isAddedUp(item) ? NONE : null };
  return { ...counting, late: { events: events + 1, quantity: before && addDecimals(before, quantity) } };
}

const shown = ({ usage, counting }: Counted) => ({ usage, ...(Object.keys(counting).length > 0 ? { counting } : {}) });

/** The item with an event. */
export function counted(given: Metered, use: Use): Metered {
  const { place } = use;
  if (place === "free") return given;
  if (place === "open" || place === "late") {
    const { usage, counting = {}, ...item } = given;
    const after = withUse({ usage, counting }, given, use);
    return {
      ...item,
      ...shown(place === "late" ? { ...after, counting: withLate(after.counting, given, use) } : after),
    };
  }
  const { from } = place;
  // What was ahead of another end of the period may be of the open one now.
  const { ahead, ...item } = given.ahead && given.ahead.from < from ? billedBefore(given, from) : given;
  const { usage = NONE, from: _from, ...counting } = ahead ?? {};
  const after = withUse({ usage, counting }, given, use);
  return { ...item, ahead: { from, usage: after.usage, ...after.counting } };
}
