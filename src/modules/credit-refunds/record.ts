// Writes nothing. Reads: credit_refunds, credit_applications.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { keptByTaxLaw } from "../../domain/erasure.ts";
import { type NameRow, record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How credit refunds are named, handed over and erased. */
export const CREDIT_REFUND_RECORD = record({
  kinds: [
    {
      prefix: "crf",
      permission: "refunds:read",
      path: "/customers",
      names: (tx, ids) => tx.sql<NameRow>`
        select r.id, ${CUSTOMER_LABEL} as name, c.id as target
          from credit_refunds r ${joinCustomer(tx, part`r.customer_id`)}
         where r.organisation_id = ${tx.organisation} and r.id = any (${ids})`,
    },
  ],
  held: {
    "credit-applications": (tx, customer) =>
      part`from credit_applications t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
    "credit-refunds": (tx, customer) =>
      part`from credit_refunds t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    credit_applications: {
      plain: "id customer_id currency invoice_id transaction_id invoice_payment_id match_id takes_back reversal_id",
    },
    credit_refund_sources: {
      plain: "credit_refund_id transaction_id invoice_payment_id match_id",
    },
    credit_refunds: {
      plain: "id customer_id currency method",
      columns: {
        reason: keptByTaxLaw("null"),
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
  },
});
