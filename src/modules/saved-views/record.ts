// Writes nothing. Reads nothing.

import { OF_STAFF } from "../../domain/erasure.ts";
import { record } from "../../domain/records.ts";

/** What the columns of saved views hold. */
export const SAVED_VIEW_RECORD = record({
  tables: {
    saved_views: {
      plain: "id list member_id",
      columns: {
        name: OF_STAFF,
        created_by: OF_STAFF,
        query: { fate: "stays", why: "filters of staff; a search is not saved with a view" },
      },
    },
  },
});
