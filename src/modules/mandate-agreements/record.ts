// Writes nothing. Reads: mandate_agreements, mandates.

import { part } from "../../platform/database.ts";
import { type NameRow, record, subjectsOf } from "../../platform/records.ts";

/** How mandate agreements are named and handed over with a customer's data. */
export const AGREEMENT_RECORD = record({
  kinds: [
    {
      prefix: "agr",
      permission: "mandates:read",
      path: "/mandates",
      names: (tx, ids) => tx.sql<NameRow>`
        select a.id, m.account_reference as name, m.id as target
          from mandate_agreements a join mandates m on m.organisation_id = ${tx.organisation} and m.id = a.mandate_id
         where a.organisation_id = ${tx.organisation} and a.id = any (${ids})`,
    },
  ],
  held: {
    "mandate-agreements": (tx, customer) =>
      part`from mandate_agreements t where t.organisation_id = ${tx.organisation} and t.id = any (${subjectsOf(tx, customer)})`,
  },
});
