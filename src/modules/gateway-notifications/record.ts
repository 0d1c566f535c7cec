// Writes nothing. Reads: gateway_notifications.

import { ABOUT_THE_MATTER, erased } from "../../domain/personal-data.ts";
import { record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How gateway notifications are handed over and erased. */
export const GATEWAY_NOTIFICATION_RECORD = record({
  held: {
    "gateway-messages": (tx, customer) =>
      part`from gateway_notifications t where t.organisation_id = ${tx.organisation} and t.reference = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    gateway_notifications: {
      plain: "id gateway_account_id reference source outcome",
      columns: {
        fact: erased("without_personal(fact)"),
        handle_sealed: erased(),
        problem: ABOUT_THE_MATTER,
      },
      rows: "reference = any (subjects)",
      counted: "gatewayNotifications",
    },
  },
});
