// Writes nothing. Reads: notes.

import { ERASED, OF_STAFF } from "../../domain/erasure.ts";
import { bankLinesOf, record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How notes are handed over and erased. */
export const NOTE_RECORD = record({
  held: {
    notes: (tx, customer) =>
      part`from notes t where t.organisation_id = ${tx.organisation}
          and t.subject = any (${subjectsOf(tx, customer)} || ${bankLinesOf(tx, customer)})`,
  },
  tables: {
    notes: {
      plain: "id subject member_id",
      columns: {
        text: ERASED,
        author_name: OF_STAFF,
      },
      rows: "subject = any (subjects || lines)",
      deleted: true,
      counted: "notes",
    },
  },
});
