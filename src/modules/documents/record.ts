// Writes nothing. Reads: document_parties.

import { part } from "../../platform/database.ts";
import { record, subjectsOf } from "../../platform/records.ts";

/** How the particulars on documents are handed over with a customer's data. */
export const DOCUMENT_RECORD = record({
  held: {
    "document-particulars": (tx, customer) =>
      part`from document_parties t where t.organisation_id = ${tx.organisation} and t.document_id = any (${subjectsOf(tx, customer)})`,
  },
});
