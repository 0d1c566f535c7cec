// Writes nothing. Reads: events.

import { part } from "../../platform/database.ts";
import { type NameRow, record, subjectsOf } from "../../platform/records.ts";

/** How events are named and handed over with a customer's data. */
export const EVENT_RECORD = record({
  kinds: [
    {
      prefix: "evt",
      permission: "events:read",
      path: "/events",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, type as name, id as target from events where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  held: {
    events: (tx, customer) =>
      part`from events t where t.organisation_id = ${tx.organisation} and t.subject = any (${subjectsOf(tx, customer)})`,
  },
});
