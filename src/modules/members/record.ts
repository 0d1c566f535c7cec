// Writes nothing. Reads: invitations, members, roles.

import { OF_STAFF } from "../../domain/erasure.ts";
import { type NameRow, record } from "../../domain/records.ts";

/** How members, invitations and roles are named, and what erasure leaves of them. */
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
    {
      prefix: "role",
      permission: "members:read",
      path: "/roles",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, name, id as target from roles where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  tables: {
    invitations: {
      plain: "id role token_hash invited_by",
      columns: {
        email: OF_STAFF,
      },
    },
    members: {
      plain: "id user_id role",
      columns: {
        email: OF_STAFF,
        name: OF_STAFF,
      },
    },
    roles: {
      plain: "id permissions",
      columns: {
        name: { fate: "stays", why: "what staff call a role" },
      },
    },
  },
});
