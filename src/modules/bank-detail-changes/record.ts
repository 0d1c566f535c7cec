// Writes nothing. Reads nothing else.

import { OF_STAFF } from "../../domain/personal-data.ts";
import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of bank detail changes. */
export const BANK_DETAIL_CHANGE_RECORD = record({
  tables: {
    bank_detail_changes: {
      plain: "id gateway_account_id gateway_name kind fields actor_kind actor_id",
      columns: {
        before: OF_STAFF,
        after: OF_STAFF,
        actor_name: OF_STAFF,
      },
    },
  },
});
