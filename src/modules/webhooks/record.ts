// Writes nothing. Reads: webhook_deliveries, webhook_endpoints.

import { part } from "../../platform/database.ts";
import { type NameRow, record, subjectsOf } from "../../platform/records.ts";

/** How webhooks are named and handed over with a customer's data. */
export const WEBHOOK_RECORD = record({
  kinds: [
    {
      prefix: "we",
      permission: "webhooks:read",
      path: "/webhook-endpoints",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, url as name, id as target from webhook_endpoints where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
    {
      prefix: "whd",
      permission: "events:read",
      path: "/webhook-deliveries",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, event_type as name, id as target
          from webhook_deliveries where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  held: {
    "webhook-deliveries": (tx, customer) =>
      part`from webhook_deliveries t where t.organisation_id = ${tx.organisation} and t.subject = any (${subjectsOf(tx, customer)})`,
  },
});
