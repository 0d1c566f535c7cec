import type { BusinessDay, Instant } from "../../kernel/time.ts";

/** A day whose statement is to be read. */
export interface AwaitedStatement {
  readonly day: BusinessDay;
  /** What the gateway answered when it was asked for the statement and had to prepare it; null when it was not asked. */
  readonly ticket: string | null;
}

/** A line of a statement about a payment, as it is stored. `Fact`: what it reports, without secrets. */
export interface StoredLine<Fact> {
  /** The gateway's id of the line. */
  readonly line: string;
  readonly reference: string;
  readonly fact: Fact;
  /** What it reports is applied from this day on; null: at once. */
  readonly countsFrom: BusinessDay | null;
}

/** Where statements of an account stand. */
export interface StatementPlan {
  readonly from: BusinessDay;
  readonly to: BusinessDay;
  /** A statement that was read before is read again. */
  readonly since: Instant;
}
