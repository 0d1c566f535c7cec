// Writes nothing. Reads nothing else.

import { OF_NOBODY } from "../../domain/personal-data.ts";
import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of gateway statements. */
export const GATEWAY_STATEMENT_RECORD = record({
  tables: {
    gateway_statement_lines: {
      plain: "gateway_account_id line reference status",
      columns: {
        fact: OF_NOBODY,
      },
    },
    gateway_statements: {
      plain: "gateway_account_id ticket",
    },
  },
});
