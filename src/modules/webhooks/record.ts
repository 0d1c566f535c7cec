// Writes nothing. Reads: webhook_deliveries, webhook_endpoints.

import { erased } from "../../domain/personal-data.ts";
import { type NameRow, record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How webhooks are named, handed over and erased. */
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
  tables: {
    webhook_deliveries: {
      plain: "id event_id event_type subject endpoint_id status",
      columns: {
        body: erased("without_personal(body::jsonb)::text"),
        attempts: erased(`(select coalesce(jsonb_agg(a.value || '{"responseExcerpt": null}' order by a.place), '[]')
          from jsonb_array_elements(attempts) with ordinality as a(value, place))`),
      },
      rows: "subject = any (subjects)",
      counted: "deliveries",
    },
    webhook_endpoints: {
      plain: "id url events secret_sealed previous_secret_sealed disabled_reason",
    },
  },
});
