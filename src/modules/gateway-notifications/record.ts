// Writes nothing. Reads: gateway_notifications.

import { part } from "../../platform/database.ts";
import { record, subjectsOf } from "../../platform/records.ts";

/** How gateway notifications are handed over with a customer's data. */
export const GATEWAY_NOTIFICATION_RECORD = record({
  held: {
    "gateway-messages": (tx, customer) =>
      part`from gateway_notifications t where t.organisation_id = ${tx.organisation} and t.reference = any (${subjectsOf(tx, customer)})`,
  },
});
