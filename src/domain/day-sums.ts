import { type Part, part, type Tx } from "../platform/database.ts";

/** What is summed by day (decisions.md#sums-by-day). */
export type Figure =
  | "collected"
  | "open"
  | "recurring"
  | "debits"
  | "debits_reversed"
  | "debits_returned"
  | "recorded"
  | "refunded"
  | "reversed";

/**
 * The sums of these figures, by currency and day; conditions follow. Sums that connections keep apart are rows of
 * their own.
 */
export const fromDaySums = (tx: Tx, ...figures: readonly Figure[]): Part =>
  part`from day_sums where organisation_id = ${tx.organisation} and figure = any (${figures})`;
