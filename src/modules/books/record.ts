// Writes nothing. Reads: journal_entries, journal_lines.

import { part } from "../../platform/database.ts";
import { record } from "../../platform/records.ts";

/** How the books are handed over with a customer's data. */
export const BOOK_RECORD = record({
  held: {
    "journal-entries": (tx, customer) =>
      part`from journal_entries t where t.organisation_id = ${tx.organisation} and t.id in (select l.entry_id from journal_lines l where l.organisation_id = ${tx.organisation} and l.customer_id = ${customer})`,
    "journal-lines": (tx, customer) =>
      part`from journal_lines t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
});
