// Writes: audit_log (by the functions that erase). Reads nothing else.

import { erased, OF_STAFF } from "../../domain/personal-data.ts";
import { record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How entries of the audit log are handed over and erased. */
export const AUDIT_LOG_RECORD = record({
  held: {
    "audit-log": (tx, customer) =>
      part`from audit_log t where t.organisation_id = ${tx.organisation} and t.subject = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    audit_log: {
      plain: "id actor_kind actor_id request_id action subject",
      columns: {
        before: erased("without_personal(before)"),
        after: erased("without_personal(after)"),
        ip: erased("case when actor_kind = 'payer' then null else ip end"),
        actor_name: OF_STAFF,
      },
      rows: "subject = any (subjects)",
      counted: "auditEntries",
      alsoKept: [
        `update audit_log set before = before || '{"description": "erased", "reference": null}',
           after = after || '{"description": "erased", "reference": null}'
     where organisation_id = p_organisation and subject = any (lines)`,
      ],
    },
  },
});
