// Writes nothing. Reads nothing else.

import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of accounting software. */
export const ACCOUNTING_SOFTWARE_RECORD = record({
  tables: {
    accounting_software: {
      plain: "software codes",
    },
  },
});
