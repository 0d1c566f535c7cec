// Writes nothing. Reads: notes.

import { part } from "../../platform/database.ts";
import { bankLinesOf, record, subjectsOf } from "../../platform/records.ts";

/** How notes are handed over with a customer's data. */
export const NOTE_RECORD = record({
  held: {
    notes: (tx, customer) =>
      part`from notes t where t.organisation_id = ${tx.organisation} and t.subject = any (${subjectsOf(tx, customer)} || ${bankLinesOf(tx, customer)})`,
  },
});
