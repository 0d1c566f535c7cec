// Writes nothing. Reads: card_charges.

import { MERCHANTS_REFERENCE } from "../../domain/personal-data.ts";
import { record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How card charges are handed over and erased. */
export const CARD_CHARGE_RECORD = record({
  held: {
    "card-charges": (tx, customer) =>
      part`from card_charges t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    card_charges: {
      plain: "id transaction_id customer_id card_id status due_invoice_id failure_reason",
      columns: {
        external_reference: MERCHANTS_REFERENCE,
      },
      subjects: "customer_id",
    },
  },
});
