// Writes nothing. Reads: organisations.

import { OF_NOBODY, OF_STAFF } from "../../domain/personal-data.ts";
import { type NameRow, record } from "../../domain/records.ts";

/** How organisations are named and erased. */
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
  tables: {
    organisation_settings: {
      plain: "vat_timeline",
      columns: {
        settings: OF_STAFF,
        logo: OF_NOBODY,
        logo_print: OF_NOBODY,
      },
    },
    organisations: {
      plain: "id slug name plan state limits token_key_sealed",
    },
  },
});
