// Writes nothing. Reads nothing else.

import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of checkout pages. */
export const CHECKOUT_PAGE_RECORD = record({
  tables: {
    checkout_pages: {
      plain: "design",
    },
  },
});
