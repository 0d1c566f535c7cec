// Writes nothing. Reads: subscription_migrations.

import { part } from "../../platform/database.ts";
import { type NameRow, record } from "../../platform/records.ts";

/** How subscription migrations are named and handed over with a customer's data. */
export const MIGRATION_RECORD = record({
  kinds: [
    {
      prefix: "gsm",
      permission: "subscriptions:read",
      path: "/subscriptions/migrations",
      list: true,
      names: (tx, ids) => tx.sql<NameRow>`
        select id, payer_name as name, id as target
          from subscription_migrations where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  held: {
    "subscription-migrations": (tx, customer) =>
      part`from subscription_migrations t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
});
