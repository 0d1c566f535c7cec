import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** A month of the books. */
export interface AccountingMonth {
  /** Its first day. */
  readonly month: CalendarDay;
  /** Null while it is open. */
  readonly closedAt: Instant | null;
  /** Who closed it. */
  readonly closedBy: string | null;
}
