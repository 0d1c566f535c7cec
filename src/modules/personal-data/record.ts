// Writes nothing. Reads: revisions.

import { part } from "../../platform/database.ts";
import { record, subjectsOf } from "../../platform/records.ts";

/** How earlier versions of records are handed over with a customer's data. */
export const REVISION_RECORD = record({
  held: {
    "earlier-versions": (tx, customer) =>
      part`from revisions t where t.organisation_id = ${tx.organisation} and t.subject = any (${subjectsOf(tx, customer)})`,
  },
});
