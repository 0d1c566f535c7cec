// Writes nothing. Reads: subscription_migrations.

import { erased, MERCHANTS_REFERENCE } from "../../domain/personal-data.ts";
import { type NameRow, record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How subscription migrations are named, handed over and erased. */
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
  tables: {
    subscription_migrations: {
      plain: "id status gateway_subscription_id customer_subscription_id frequency customer_id card_setup_id",
      columns: {
        payer_name: erased("'erased'"),
        email: erased("'erased'"),
        legacy_reference: MERCHANTS_REFERENCE,
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
  },
});
