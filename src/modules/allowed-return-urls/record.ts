// Writes nothing. Reads nothing else.

import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of allowed return urls. */
export const ALLOWED_RETURN_URL_RECORD = record({
  tables: {
    allowed_return_urls: {
      plain: "origin",
    },
  },
});
