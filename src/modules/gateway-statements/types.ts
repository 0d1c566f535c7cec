import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** A day whose statement is to be read. */
export interface AwaitedStatement {
  readonly day: CalendarDay;
  /** The gateway's answer when it has to prepare the statement; null when it was not asked. */
  readonly ticket: string | null;
}

/** A line of a statement about a payment, as it is stored. `Fact` is the reported fact, without secrets. */
export interface StoredLine<Fact> {
  /** The gateway's id of the line. */
  readonly line: string;
  readonly reference: string;
  readonly fact: Fact;
  /** The fact is applied from this day on; null: at once. */
  readonly countsFrom: CalendarDay | null;
}

/** Which statements of an account are to be read. */
export interface StatementPlan {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  /** A statement whose last reading is before this time is read again. */
  readonly since: Instant;
}
