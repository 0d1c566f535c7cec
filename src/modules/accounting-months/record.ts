// Writes nothing. Reads nothing else.

import { OF_STAFF } from "../../domain/personal-data.ts";
import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of accounting months. */
export const ACCOUNTING_MONTH_RECORD = record({
  tables: {
    accounting_months: {
      columns: {
        closed_by: OF_STAFF,
      },
    },
  },
});
