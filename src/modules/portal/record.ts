// Writes nothing. Reads: portal_links.

import { part } from "../../platform/database.ts";
import { record } from "../../platform/records.ts";

/** How links to the portal are handed over with a customer's data. */
export const PORTAL_RECORD = record({
  held: {
    "portal-links": (tx, customer) =>
      part`from portal_links t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
});
