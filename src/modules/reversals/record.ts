// Writes nothing. Reads: reversals, transactions.

import { part } from "../../platform/database.ts";
import { type NameRow, record, subjectsOf } from "../../platform/records.ts";

/** How reversals are named and handed over with a customer's data. */
export const REVERSAL_RECORD = record({
  kinds: [
    {
      prefix: "rev",
      permission: "transactions:read",
      path: "/transactions",
      names: (tx, ids) => tx.sql<NameRow>`
        select r.id, t.reference as name, t.reference as target
          from reversals r join transactions t on t.organisation_id = ${tx.organisation} and t.id = r.transaction_id
         where r.organisation_id = ${tx.organisation} and r.id = any (${ids})`,
    },
  ],
  held: {
    reversals: (tx, customer) =>
      part`from reversals t where t.organisation_id = ${tx.organisation} and t.transaction_id = any (${subjectsOf(tx, customer)})`,
  },
});
