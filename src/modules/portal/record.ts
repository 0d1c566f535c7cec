// Writes nothing. Reads: portal_links.

import { ERASED } from "../../domain/personal-data.ts";
import { record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How links to the portal are handed over and erased. */
export const PORTAL_RECORD = record({
  held: {
    "portal-links": (tx, customer) =>
      part`from portal_links t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    portal_links: {
      plain: "customer_id issued_by",
      columns: {
        token_hash: ERASED,
      },
      rows: "customer_id = p_customer",
      deleted: true,
    },
    portal_sessions: {
      plain: "customer_id issued_by",
      columns: {
        token_hash: ERASED,
      },
      rows: "customer_id = p_customer",
      deleted: true,
      notHanded: "when somebody used a link, which is there",
    },
  },
});
