// Writes nothing. Reads nothing else.

import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of overview. */
export const OVERVIEW_RECORD = record({
  tables: {
    day_sums: {
      plain: "figure currency",
    },
    money_sums: {
      plain: "account currency held_by",
    },
  },
});
