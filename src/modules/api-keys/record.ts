// Writes nothing. Reads: api_keys.

import { type NameRow, record } from "../../domain/records.ts";

/** How api keys are named and erased. */
export const API_KEY_RECORD = record({
  kinds: [
    {
      prefix: "key",
      permission: "api_keys:read",
      path: "/api-keys",
      list: true,
      names: (tx, ids) => tx.sql<NameRow>`
        select id, name, id as target from api_keys where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  tables: {
    api_keys: {
      plain: "id prefix secret_hash name permissions scopes allowed_addresses",
    },
  },
});
