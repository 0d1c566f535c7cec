// Writes nothing. Reads: debit_batches, debits, mandates.

import { erased, OF_STAFF } from "../../domain/erasure.ts";
import { type NameRow, record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How debit batches are named and erased. */
export const DEBIT_BATCH_RECORD = record({
  kinds: [
    {
      prefix: "dbat",
      noun: "debit_batch",
      permission: "mandates:read",
      path: "/debit-batches",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, 'Batch for ' || to_char(action_date, 'FMDD Mon YYYY') as name, id as target
          from debit_batches where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  held: {
    debits: (tx, customer) =>
      part`from mandates m join debits t on t.organisation_id = ${tx.organisation} and t.mandate_id = m.id
            where m.organisation_id = ${tx.organisation} and m.customer_id = ${customer}`,
  },
  tables: {
    debit_batches: {
      plain: "id gateway_account_id status batch_ref problem",
    },
    debits: {
      plain: "transaction_id debit_batch_id mandate_id unpaid_reason unpaid_code pay_link_id held_from",
      columns: {
        held_by: OF_STAFF,
        held_reason: erased(),
      },
      rows: "mandate_id = any (subjects)",
    },
  },
});
