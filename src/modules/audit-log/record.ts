// Writes nothing. Reads: audit_log.

import { part } from "../../platform/database.ts";
import { record, subjectsOf } from "../../platform/records.ts";

/** How entries of the audit log are handed over with a customer's data. */
export const AUDIT_LOG_RECORD = record({
  held: {
    "audit-log": (tx, customer) =>
      part`from audit_log t where t.organisation_id = ${tx.organisation} and t.subject = any (${subjectsOf(tx, customer)})`,
  },
});
