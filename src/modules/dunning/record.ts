// Writes nothing. Reads nothing else.

import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of subscription collections. */
export const DUNNING_RECORD = record({
  tables: {
    collection_attempts: {
      plain: "id customer_subscription_id invoice_id cause transaction_id status reason",
    },
    subscription_collections: {
      plain: "invoice_id customer_subscription_id new_card_id ended",
    },
  },
});
