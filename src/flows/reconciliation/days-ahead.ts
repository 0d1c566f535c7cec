import { addDays, type BusinessDay } from "../../kernel/time.ts";
import type { Warning } from "../../platform/bank-statements/fault.ts";
import type { ReadStatement } from "../../platform/bank-statements/read-statement.ts";

/** Banks date some lines to the next business day; a line of a later day was misread, or its file is none of this account. */
const DAYS_AHEAD = 3;

/** What staff should look at of a statement that has lines of days to come. */
export const aheadWarnings = (
  { count, last }: Pick<ReadStatement, "count" | "last">,
  today: BusinessDay,
): readonly Warning[] =>
  count > 0 && last !== null && last > addDays(today, DAYS_AHEAD)
    ? [{ line: null, message: `Its last line is of ${last}, which is still to come. Check the dates of the file.` }]
    : [];
