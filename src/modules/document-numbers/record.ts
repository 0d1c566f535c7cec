// Writes nothing. Reads nothing else.

import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of document numbers. */
export const DOCUMENT_NUMBER_RECORD = record({
  tables: {
    document_numbers: {
      plain: "kind prefixes",
    },
  },
});
