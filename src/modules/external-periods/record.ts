// Writes nothing. Reads: customer_subscriptions, recorded_periods.

import { keptByTaxLaw } from "../../domain/erasure.ts";
import { record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How recorded periods are handed over and erased. */
export const EXTERNAL_PERIOD_RECORD = record({
  held: {
    "recorded-periods": (tx, customer) =>
      part`from customer_subscriptions s join recorded_periods t on t.organisation_id = ${tx.organisation}
          and t.customer_subscription_id = s.id where s.organisation_id = ${tx.organisation} and s.customer_id = ${customer}`,
  },
  tables: {
    recorded_periods: {
      plain: "id customer_subscription_id status",
      columns: {
        lines: keptByTaxLaw(),
      },
    },
  },
});
