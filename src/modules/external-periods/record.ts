// Writes nothing. Reads: customer_subscriptions, external_periods.

import { keptByTaxLaw } from "../../domain/erasure.ts";
import { record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How the periods of subscriptions billed elsewhere are handed over and erased. */
export const EXTERNAL_PERIOD_RECORD = record({
  held: {
    "recorded-periods": (tx, customer) =>
      part`from customer_subscriptions s join external_periods t on t.organisation_id = ${tx.organisation}
          and t.customer_subscription_id = s.id where s.organisation_id = ${tx.organisation} and s.customer_id = ${customer}`,
  },
  tables: {
    external_periods: {
      plain: "id customer_subscription_id status",
      columns: {
        lines: keptByTaxLaw(),
      },
    },
  },
});
