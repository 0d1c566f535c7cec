// Writes nothing. Reads: card_setups.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { erased } from "../../domain/personal-data.ts";
import { type NameRow, record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How card setups are named, handed over and erased. */
export const CARD_SETUP_RECORD = record({
  kinds: [
    {
      prefix: "cset",
      permission: "cards:read",
      path: "/customers",
      names: (tx, ids) => tx.sql<NameRow>`
        select s.id, ${CUSTOMER_LABEL} as name, c.id as target
          from card_setups s ${joinCustomer(tx, part`s.customer_id`)}
         where s.organisation_id = ${tx.organisation} and s.id = any (${ids})`,
    },
  ],
  held: {
    "card-setups": (tx, customer) =>
      part`from card_setups t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    card_setup_payments: {
      plain: "transaction_id card_setup_id",
    },
    card_setups: {
      plain: "id customer_id status return_url card_id failure_reason",
      columns: {
        metadata: erased("'{}'"),
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
  },
});
