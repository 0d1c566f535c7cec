// Writes nothing. Reads: events.

import { erased } from "../../domain/erasure.ts";
import { type NameRow, record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How events are named, handed over and erased. */
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
  tables: {
    event_resumptions: {
      plain: "subject",
    },
    event_subjects: {
      plain: "subject",
    },
    events: {
      plain: "id type subject api_version",
      columns: {
        data: erased("without_personal(data::jsonb)::json"),
      },
      rows: "subject = any (subjects)",
      counted: "events",
    },
  },
});
