// Writes nothing. Reads: card_charges.

import { part } from "../../platform/database.ts";
import { record } from "../../platform/records.ts";

/** How card charges are handed over with a customer's data. */
export const CARD_CHARGE_RECORD = record({
  held: {
    "card-charges": (tx, customer) =>
      part`from card_charges t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
});
