// Writes nothing. Reads: reversals.

import { keptByTaxLaw } from "../../domain/erasure.ts";
import { joinPayment } from "../../domain/joins.ts";
import { type NameRow, record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How reversals are named, handed over and erased. */
export const REVERSAL_RECORD = record({
  kinds: [
    {
      prefix: "rev",
      permission: "transactions:read",
      path: "/transactions",
      names: (tx, ids) => tx.sql<NameRow>`
        select r.id, t.reference as name, t.reference as target
          from reversals r ${joinPayment(tx, part`r.transaction_id`)}
         where r.organisation_id = ${tx.organisation} and r.id = any (${ids})`,
    },
  ],
  held: {
    reversals: (tx, customer) =>
      part`from reversals t where t.organisation_id = ${tx.organisation} and t.transaction_id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    reversals: {
      plain: "id transaction_id code debit_invoice_id reversal_id",
      columns: {
        reason: keptByTaxLaw(),
      },
    },
  },
});
