// Writes nothing. Reads: invitations, members.

import { type NameRow, record } from "../../platform/records.ts";

/** How members are named. */
export const MEMBER_RECORD = record({
  kinds: [
    {
      prefix: "mem",
      permission: "members:read",
      path: "/members",
      list: true,
      names: (tx, ids) => tx.sql<NameRow>`
        select id, coalesce(nullif(name, ''), email) as name, id as target
          from members where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
    {
      prefix: "ivt",
      permission: "members:read",
      path: "/members",
      list: true,
      names: (tx, ids) => tx.sql<NameRow>`
        select id, email as name, id as target from invitations where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
});
