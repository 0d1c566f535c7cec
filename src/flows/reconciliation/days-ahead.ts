import { addDays, type CalendarDay } from "../../kernel/time.ts";
import type { Warning } from "../../platform/bank-statements/fault.ts";
import type { ReadStatement } from "../../platform/bank-statements/read-statement.ts";

/**
 * Banks date some lines to the next business day. A line with a later day was misread, or its file belongs to another
 * account.
 */
const DAYS_AHEAD = 3;

/** The warnings to staff about a statement that has lines with future dates. */
export const aheadWarnings = (
  { count, last }: Pick<ReadStatement, "count" | "last">,
  today: CalendarDay,
): readonly Warning[] =>
  count > 0 && last !== null && last > addDays(today, DAYS_AHEAD)
    ? [{ line: null, message: `Its last line is of ${last}, which is still to come. Check the dates of the file.` }]
    : [];
