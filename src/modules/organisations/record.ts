// Writes nothing. Reads: organisations.

import { type NameRow, record } from "../../platform/records.ts";

/** How organisations are named. */
export const ORGANISATION_RECORD = record({
  kinds: [
    {
      prefix: "org",
      permission: "settings:read",
      path: "/settings",
      list: true,
      names: (tx, ids) => tx.sql<NameRow>`
        select id, name, id as target from organisations where id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
});
