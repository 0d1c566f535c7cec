// Writes nothing. Reads: gateway_accounts.

import { type NameRow, record } from "../../domain/records.ts";

/** How gateway accounts are named and erased. */
export const GATEWAY_ACCOUNT_RECORD = record({
  kinds: [
    {
      prefix: "gw",
      noun: "gateway",
      permission: "gateways:read",
      path: "/gateways",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, name, id as target from gateway_accounts where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  tables: {
    gateway_accounts: {
      plain: "id type name mode credentials_sealed currencies",
    },
  },
});
