// Writes nothing. Reads: cards.

import { part } from "../../platform/database.ts";
import { type NameRow, record } from "../../platform/records.ts";

/** How cards are named and handed over with a customer's data. */
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
});
