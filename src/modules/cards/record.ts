// Writes nothing. Reads: cards.

import { erased } from "../../domain/personal-data.ts";
import { type NameRow, record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How cards are named, handed over and erased. */
export const CARD_RECORD = record({
  kinds: [
    {
      prefix: "card",
      noun: "card",
      permission: "cards:read",
      path: "/customers",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, concat_ws(' ending in ', initcap(brand), nullif(last4, '')) as name, customer_id as target
          from cards where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  held: {
    cards: (tx, customer) =>
      part`from cards t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    cards: {
      plain: "id customer_id gateway_account_id brand last4 status source",
      columns: {
        holder_name: erased(),
        fingerprint: erased(),
        token_sealed: erased("p_sealed_nothing"),
      },
      rows: "id = any (subjects)",
      counted: "cards",
      subjects: "customer_id",
    },
  },
});
