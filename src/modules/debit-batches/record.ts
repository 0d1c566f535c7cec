// Writes nothing. Reads: debit_batches.

import { type NameRow, record } from "../../platform/records.ts";

/** How debit batches are named. */
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
});
