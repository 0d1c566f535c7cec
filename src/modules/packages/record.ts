// Writes nothing. Reads: packages, plans.

import { type NameRow, record } from "../../domain/records.ts";

/** How packages are named and erased. */
export const PACKAGE_RECORD = record({
  kinds: [
    {
      prefix: "pkg",
      noun: "package",
      permission: "packages:read",
      path: "/packages",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, name, id as target from packages where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
    {
      prefix: "plan",
      permission: "packages:read",
      path: "/packages",
      names: (tx, ids) => tx.sql<NameRow>`
        select p.id, concat_ws(', ', k.name, p.name) as name, k.id as target
          from plans p join packages k on k.organisation_id = ${tx.organisation} and k.id = p.package_id
         where p.organisation_id = ${tx.organisation} and p.id = any (${ids})`,
    },
  ],
  tables: {
    packages: {
      plain: "id name description",
    },
    plan_versions: {
      plain: "id plan_id currency frequency tiering prices",
    },
    plans: {
      plain: "id package_id code name features call_to_action call_to_action_url plan_version_id",
    },
  },
});
