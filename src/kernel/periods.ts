import { type Frequency, MONTHS } from "./frequency.ts";
import { addMonths, type CalendarDay } from "./time.ts";

/**
 * The `k`-th date of a period that recurs from `anchor`, which is the 0-th. Counted from the anchor and clamped to the end of its month,
 * never stepped from the date before: 31 January, 28 February, 31 March (interface 16.4).
 */
export const boundary = (anchor: CalendarDay, frequency: Frequency, k: number): CalendarDay =>
  addMonths(anchor, k * MONTHS[frequency]);
