// Writes nothing. Reads nothing else.

import { GONE_IN_A_MONTH, MASKED } from "../../domain/erasure.ts";
import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of request log. */
export const REQUEST_LOG_RECORD = record({
  tables: {
    request_log: {
      plain: "id method parameters error key_id key_prefix idempotency",
      columns: {
        path: GONE_IN_A_MONTH,
        request_body: MASKED,
        response_body: MASKED,
      },
    },
  },
});
